-- Which jobs a claim takes from queues that limit a rate or what runs with one key. Internal to claim, which
-- holds the advisory lock of each queue named here: nobody else claims from it or changes its limits meanwhile,
-- and what runs there can only become less.

-- Tokens in a queue's bucket now: p_rate_limit per p_period_ms flow in, up to p_burst. A bucket never seen is full.
-- Time that seems to run backwards adds nothing.
CREATE OR REPLACE FUNCTION bucket_tokens(
  p_queue int, p_rate_limit int, p_period_ms bigint, p_burst int, p_now timestamptz) RETURNS double precision
LANGUAGE sql STABLE
AS $$
  SELECT coalesce(
    (SELECT least(p_burst, b.tokens + greatest(extract(epoch FROM p_now - b.refilled_at)::double precision, 0)
                                        * p_rate_limit * 1000 / p_period_ms)
       FROM rate_buckets b WHERE b.queue_id = p_queue),
    p_burst)
$$;

-- How many jobs a bucket pays for: whole tokens, whatever the last digit says.
CREATE OR REPLACE FUNCTION whole_tokens(p_tokens double precision) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT floor(p_tokens + 0.000001)::int
$$;

-- Takes the first candidates, in order, whose costs fill p_wanted slots; the last one may cost more than is left.
CREATE OR REPLACE FUNCTION fill_slots(p_ids bigint[], p_costs smallint[], p_wanted int) RETURNS bigint[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
  v_filled int := 0;
BEGIN
  FOR i IN 1 .. coalesce(cardinality(p_ids), 0) LOOP
    IF v_filled >= p_wanted THEN
      RETURN p_ids[:i - 1];
    END IF;
    v_filled := v_filled + p_costs[i];
  END LOOP;
  RETURN p_ids;
END
$$;

-- Locks and returns the first jobs of a queue in dispatch order, at most p_take.
CREATE OR REPLACE FUNCTION pick_in_order(
  p_queue int, p_take int, p_wanted int, p_head_keys bigint[], p_head_ids bigint[]) RETURNS bigint[]
LANGUAGE sql VOLATILE
AS $$
  SELECT fill_slots(array_agg(p.id ORDER BY p.dispatch_lane DESC, p.dispatch_key, p.id),
                    array_agg(p.cost ORDER BY p.dispatch_lane DESC, p.dispatch_key, p.id), p_wanted)
    FROM (
      SELECT l.id, l.cost, l.dispatch_lane, l.dispatch_key
        FROM unnest(p_head_keys, p_head_ids) WITH ORDINALITY AS h (key, job_id, n)
       CROSS JOIN LATERAL (
         SELECT j.id, j.cost, j.dispatch_lane, j.dispatch_key
           FROM jobs j
          WHERE j.queue_id = p_queue
            AND j.dispatch_lane = (10 - h.n)::smallint
            AND j.state = 'ready'
            AND (j.dispatch_key, j.id) >= (h.key, h.job_id)
            AND (NOT j.has_dependencies OR NOT EXISTS (
                  SELECT 1 FROM dependencies d WHERE d.child_id = j.id AND NOT d.met OFFSET 0))
          ORDER BY j.dispatch_key, j.id
          LIMIT p_take
            FOR UPDATE OF j SKIP LOCKED) l
       WHERE h.key < 9223372036854775807
       LIMIT p_take) p
$$;

-- How many more jobs with one key may run in a queue. Reads at most p_per_key entries of jobs_running_key.
CREATE OR REPLACE FUNCTION key_room(p_queue int, p_key text, p_per_key int) RETURNS bigint
LANGUAGE sql STABLE
AS $$
  SELECT p_per_key - count(*)
    FROM (SELECT 1 FROM jobs r
           WHERE r.queue_id = p_queue AND r.concurrency_key = p_key AND r.state = 'running'
           LIMIT p_per_key) f
$$;

-- Locks and returns jobs of a queue so that with them no more than p_per_key run with one key; jobs without a key
-- are not counted. All reading is bounded, however many jobs with full keys wait:
--   1. the first 2 p_take + 64 jobs in dispatch order. When that is enough, the order holds exactly;
--   2. else, if more wait, up to 250 keys, each by one probe of jobs_ready_key, from where the last such walk
--      stopped; between these keys dispatch order holds;
--   3. else up to 1,000 jobs further on in dispatch order, for those without a key, from where the last such look
--      stopped; a whole look that found none is not repeated for 5 s.
-- So a job with a free key waits at most (keys that wait / 250) claims for its turn to be looked at, and one
-- without a key behind n jobs with full keys at most n / 1,000 claims and 5 s.
CREATE OR REPLACE FUNCTION pick_by_key(
  p_queue int, p_per_key int, p_take int, p_wanted int, p_head_keys bigint[], p_head_ids bigint[])
RETURNS bigint[]
LANGUAGE plpgsql VOLATILE
SET enable_hashjoin = on
AS $$
DECLARE
  c_keys CONSTANT int := 250;
  c_keyless CONSTANT int := 1000;
  v_first int := 2 * p_take + 64;
  v_seen int;
  v_ids bigint[];
  v_keys text[];
  v_more bigint[];
  v_more_keys text[];
  v_costs smallint[];
  v_walk key_walks;
  v_walked int;
  v_last text;
  v_lane smallint;
  v_key bigint;
  v_job bigint;
BEGIN
  WITH head AS MATERIALIZED (
    SELECT l.id, l.dispatch_lane, l.dispatch_key, l.concurrency_key
      FROM unnest(p_head_keys, p_head_ids) WITH ORDINALITY AS h (key, job_id, n)
     CROSS JOIN LATERAL (
       SELECT j.id, j.dispatch_lane, j.dispatch_key, j.concurrency_key
         FROM jobs j
        WHERE j.queue_id = p_queue
          AND j.dispatch_lane = (10 - h.n)::smallint
          AND j.state = 'ready'
          AND (j.dispatch_key, j.id) >= (h.key, h.job_id)
          AND (NOT j.has_dependencies OR NOT EXISTS (
                SELECT 1 FROM dependencies d WHERE d.child_id = j.id AND NOT d.met OFFSET 0))
        ORDER BY j.dispatch_key, j.id
        LIMIT v_first) l
     WHERE h.key < 9223372036854775807
     LIMIT v_first
  ), rooms AS MATERIALIZED (
    SELECT k.concurrency_key, key_room(p_queue, k.concurrency_key, p_per_key) AS room
      FROM (SELECT DISTINCT head.concurrency_key FROM head WHERE head.concurrency_key IS NOT NULL) k
  ), ranked AS (
    SELECT head.id, head.dispatch_lane, head.dispatch_key, head.concurrency_key,
           row_number() OVER (PARTITION BY head.concurrency_key
                              ORDER BY head.dispatch_lane DESC, head.dispatch_key, head.id) AS place
      FROM head
  ), fit AS (
    SELECT r.id, r.dispatch_lane, r.dispatch_key, r.concurrency_key
      FROM ranked r
      LEFT JOIN rooms o ON o.concurrency_key = r.concurrency_key
     WHERE r.concurrency_key IS NULL OR r.place <= o.room
     ORDER BY r.dispatch_lane DESC, r.dispatch_key, r.id
     LIMIT p_take
  ), last AS (
    SELECT head.dispatch_lane, head.dispatch_key, head.id FROM head
     ORDER BY head.dispatch_lane, head.dispatch_key DESC, head.id DESC LIMIT 1
  )
  SELECT coalesce(array_agg(fit.id), '{}'), coalesce(array_agg(fit.concurrency_key), '{}'),
         (SELECT count(*) FROM head), (SELECT last.dispatch_lane FROM last), (SELECT last.dispatch_key FROM last),
         (SELECT last.id FROM last)
    INTO v_ids, v_keys, v_seen, v_lane, v_key, v_job
    FROM fit;

  IF cardinality(v_ids) < p_take AND v_seen = v_first THEN
    SELECT w.* INTO v_walk FROM key_walks w WHERE w.queue_id = p_queue;
    v_walk.after_key := coalesce(v_walk.after_key, '');

    WITH RECURSIVE walk AS (
      SELECT s.key, s.wrapped, 1 AS n FROM next_ready_key(p_queue, v_walk.after_key, true) s
      UNION ALL
      SELECT s.key, walk.wrapped OR s.wrapped, walk.n + 1
        FROM walk CROSS JOIN LATERAL next_ready_key(p_queue, walk.key, NOT walk.wrapped) s
       WHERE walk.n < c_keys AND NOT ((walk.wrapped OR s.wrapped) AND s.key > v_walk.after_key)
    ), found AS MATERIALIZED (
      SELECT f.id, f.dispatch_lane, f.dispatch_key, walk.key
        FROM walk
       CROSS JOIN LATERAL (
         SELECT j.id, j.dispatch_lane, j.dispatch_key
           FROM jobs j
          WHERE j.queue_id = p_queue AND j.concurrency_key = walk.key AND j.state = 'ready'
            AND j.id <> ALL (v_ids)
            AND (NOT j.has_dependencies OR NOT EXISTS (
                  SELECT 1 FROM dependencies d WHERE d.child_id = j.id AND NOT d.met OFFSET 0))
          ORDER BY j.dispatch_lane DESC, j.dispatch_key, j.id
          LIMIT greatest(least(key_room(p_queue, walk.key, p_per_key)
                                 - cardinality(array_positions(v_keys, walk.key)),
                               p_take - cardinality(v_ids), 16), 0)) f
    ), best AS (
      SELECT found.id, found.key FROM found
       ORDER BY found.dispatch_lane DESC, found.dispatch_key, found.id
       LIMIT p_take - cardinality(v_ids)
    )
    SELECT coalesce(array_agg(best.id), '{}'), coalesce(array_agg(best.key), '{}'),
           (SELECT max(walk.n) FROM walk), (SELECT walk.key FROM walk ORDER BY walk.n DESC LIMIT 1)
      INTO v_more, v_more_keys, v_walked, v_last
      FROM best;
    v_ids := v_ids || v_more;
    v_keys := v_keys || v_more_keys;
    IF v_walked = c_keys THEN
      v_walk.after_key := v_last;
    END IF;

    IF cardinality(v_ids) < p_take AND coalesce(v_walk.scan_not_before, '-infinity') <= clock_timestamp() THEN
      IF v_walk.scan_lane IS NOT NULL THEN
        v_lane := v_walk.scan_lane;
        v_key := v_walk.scan_key;
        v_job := v_walk.scan_job;
      END IF;
      WITH further AS MATERIALIZED (
        SELECT f.id, f.dispatch_lane, f.dispatch_key, f.keyless
          FROM generate_series(v_lane::int, 0, -1) AS s (lane)
         CROSS JOIN LATERAL (
           SELECT j.id, j.dispatch_lane, j.dispatch_key,
                  j.concurrency_key IS NULL AND (NOT j.has_dependencies OR NOT EXISTS (
                    SELECT 1 FROM dependencies d WHERE d.child_id = j.id AND NOT d.met OFFSET 0)) AS keyless
             FROM jobs j
            WHERE j.queue_id = p_queue AND j.dispatch_lane = s.lane::smallint AND j.state = 'ready'
              AND (j.dispatch_key, j.id) > (CASE WHEN s.lane = v_lane THEN v_key ELSE -9223372036854775808 END,
                                            CASE WHEN s.lane = v_lane THEN v_job ELSE -9223372036854775808 END)
            ORDER BY j.dispatch_key, j.id
            LIMIT c_keyless) f
         LIMIT c_keyless
      ), best AS (
        SELECT further.id FROM further WHERE further.keyless AND further.id <> ALL (v_ids)
         ORDER BY further.dispatch_lane DESC, further.dispatch_key, further.id
         LIMIT p_take - cardinality(v_ids)
      ), last AS (
        SELECT further.dispatch_lane, further.dispatch_key, further.id FROM further
         ORDER BY further.dispatch_lane, further.dispatch_key DESC, further.id DESC LIMIT 1
      )
      SELECT coalesce(array_agg(best.id), '{}'), (SELECT count(*) FROM further),
             (SELECT last.dispatch_lane FROM last), (SELECT last.dispatch_key FROM last), (SELECT last.id FROM last)
        INTO v_more, v_seen, v_walk.scan_lane, v_walk.scan_key, v_walk.scan_job
        FROM best;
      v_ids := v_ids || v_more;
      v_keys := v_keys || array_fill(NULL::text, ARRAY[cardinality(v_more)]);
      IF cardinality(v_ids) >= p_take THEN
        -- There may be more where these were: the next look begins at the same place.
        v_walk.scan_lane := v_lane;
        v_walk.scan_key := v_key;
        v_walk.scan_job := v_job;
      ELSIF v_seen < c_keyless THEN
        v_walk.scan_lane := NULL;
        v_walk.scan_not_before := clock_timestamp() + CASE WHEN v_more = '{}' THEN interval '5 seconds' ELSE '0' END;
      END IF;
    END IF;
    INSERT INTO key_walks AS w (queue_id, after_key, scan_lane, scan_key, scan_job, scan_not_before)
    VALUES (p_queue, v_walk.after_key, v_walk.scan_lane, v_walk.scan_key, v_walk.scan_job,
            coalesce(v_walk.scan_not_before, '-infinity'))
    ON CONFLICT (queue_id) DO UPDATE
       SET after_key = excluded.after_key, scan_lane = excluded.scan_lane, scan_key = excluded.scan_key,
           scan_job = excluded.scan_job, scan_not_before = excluded.scan_not_before
     WHERE (w.after_key, w.scan_lane, w.scan_key, w.scan_job, w.scan_not_before) IS DISTINCT FROM
           (excluded.after_key, excluded.scan_lane, excluded.scan_key, excluded.scan_job, excluded.scan_not_before);
  END IF;

  -- By primary key, and judged again: between snapshot and lock a job may have been cancelled or edited.
  SELECT array_agg(l.id ORDER BY l.dispatch_lane DESC, l.dispatch_key, l.id),
         array_agg(l.cost ORDER BY l.dispatch_lane DESC, l.dispatch_key, l.id)
    INTO v_more, v_costs
    FROM (
      SELECT j.id, j.cost, j.dispatch_lane, j.dispatch_key
        FROM jobs j
       WHERE j.id = ANY (v_ids)
         AND j.queue_id = p_queue
         AND ARRAY['ready'] @> ARRAY[j.state]
         AND j.concurrency_key IS NOT DISTINCT FROM v_keys[array_position(v_ids, j.id)]
         FOR UPDATE OF j SKIP LOCKED) l;
  RETURN fill_slots(v_more, v_costs, p_wanted);
END
$$;

-- The first key after p_key with which jobs wait; past the last one, where p_wrap says so, the very first.
CREATE OR REPLACE FUNCTION next_ready_key(p_queue int, p_key text, p_wrap boolean)
RETURNS TABLE (key text, wrapped boolean)
LANGUAGE plpgsql STABLE
AS $$
BEGIN
  wrapped := false;
  SELECT j.concurrency_key INTO key
    FROM jobs j
   WHERE j.queue_id = p_queue AND j.concurrency_key > p_key AND j.state = 'ready'
   ORDER BY j.concurrency_key LIMIT 1;
  IF key IS NULL AND p_wrap THEN
    wrapped := true;
    SELECT j.concurrency_key INTO key
      FROM jobs j
     WHERE j.queue_id = p_queue AND j.concurrency_key > '' AND j.state = 'ready'
     ORDER BY j.concurrency_key LIMIT 1;
  END IF;
  IF key IS NOT NULL THEN
    RETURN NEXT;
  END IF;
END
$$;

-- Locks and returns what a claim takes from its queues with a limit per key or a rate. Tokens are spent only for
-- jobs that are taken.
CREATE OR REPLACE FUNCTION choose_jobs(
  p_queues int[], p_wanted int[], p_head_keys bigint[], p_head_ids bigint[], p_locked int[]) RETURNS bigint[]
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
DECLARE
  r record;
  v_take int;
  v_now timestamptz;
  v_tokens double precision;
  v_ids bigint[];
  v_all bigint[] := '{}';
BEGIN
  FOR r IN
    SELECT w.n AS i, w.wanted, q.id, q.max_concurrency, q.per_key_concurrency, q.rate_limit, q.rate_period_ms,
           q.rate_burst
      FROM unnest(p_queues, p_wanted) WITH ORDINALITY AS w (queue_id, wanted, n)
      JOIN queues q ON q.id = w.queue_id
     WHERE q.id = ANY (p_locked) AND q.paused_at IS NULL
       AND (q.per_key_concurrency IS NOT NULL OR q.rate_limit IS NOT NULL)
       AND array_position(p_queues, w.queue_id) = w.n
  LOOP
    v_take := r.wanted;
    IF r.max_concurrency IS NOT NULL THEN
      v_take := least(v_take, limit_room(r.id, r.max_concurrency));
    END IF;
    IF r.rate_limit IS NOT NULL THEN
      v_now := clock_timestamp();
      -- A clock that was set back must not keep the bucket dry until it has caught up.
      UPDATE rate_buckets b SET refilled_at = v_now WHERE b.queue_id = r.id AND b.refilled_at > v_now;
      v_tokens := bucket_tokens(r.id, r.rate_limit, r.rate_period_ms, r.rate_burst, v_now);
      v_take := least(v_take, whole_tokens(v_tokens));
    END IF;
    CONTINUE WHEN v_take <= 0;
    IF r.per_key_concurrency IS NULL THEN
      v_ids := pick_in_order(r.id, v_take, r.wanted, p_head_keys[r.i:r.i], p_head_ids[r.i:r.i]);
    ELSE
      v_ids := pick_by_key(r.id, r.per_key_concurrency, v_take, r.wanted, p_head_keys[r.i:r.i],
                           p_head_ids[r.i:r.i]);
    END IF;
    CONTINUE WHEN v_ids IS NULL OR v_ids = '{}';
    IF r.rate_limit IS NOT NULL THEN
      INSERT INTO rate_buckets AS b (queue_id, tokens, refilled_at)
      VALUES (r.id, greatest(v_tokens - cardinality(v_ids), 0), v_now)
      ON CONFLICT (queue_id) DO UPDATE SET tokens = excluded.tokens, refilled_at = excluded.refilled_at;
    END IF;
    v_all := v_all || v_ids;
  END LOOP;
  RETURN v_all;
END
$$;

-- For each of these queues that has a rate limit: milliseconds until its bucket holds a token, 0 if it does.
CREATE OR REPLACE FUNCTION next_tokens(p_queues int[])
RETURNS TABLE (queue_id int, wait_ms double precision)
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
  SELECT q.id,
         greatest(1 - bucket_tokens(q.id, q.rate_limit, q.rate_period_ms, q.rate_burst, clock_timestamp()), 0)
           * q.rate_period_ms / q.rate_limit
    FROM queues q
   WHERE q.id = ANY (p_queues) AND q.rate_limit IS NOT NULL
$$;
