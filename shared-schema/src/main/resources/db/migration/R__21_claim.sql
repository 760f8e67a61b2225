-- How many more jobs may run in a queue under a limit; below zero after it was lowered. By jobs_running. plpgsql, so
-- that a session plans it once; in the caller's snapshot.
CREATE OR REPLACE FUNCTION limit_room(p_queue int, p_limit int) RETURNS bigint
LANGUAGE plpgsql STABLE
AS $$
BEGIN
  RETURN p_limit - (SELECT count(*) FROM jobs r WHERE r.queue_id = p_queue AND r.state = 'running');
END
$$;

DROP FUNCTION IF EXISTS claim(bigint, bigint, int[], int[], bigint[], bigint[]);
-- Claims from queue p_queues[i] for a worker as many jobs as fill p_wanted[i] slots: in lane order 9 to 0 and,
-- in each lane, from the remembered head (p_head_keys[i][lane], p_head_ids[i][lane]), columns 1 to 10 standing
-- for lanes 9 to 0. A head key of 9223372036854775807 leaves the lane out. A job fills as many slots as its
-- cost; the last one taken may cost more than is left. Limits count jobs. An attempt is counted here.
-- timeout_ms is the job's own; where null, the queue's applies.
CREATE FUNCTION claim(
  p_worker bigint, p_claim_number bigint,
  p_queues int[], p_wanted int[], p_head_keys bigint[], p_head_ids bigint[])
RETURNS TABLE (
  id bigint, lease_token bigint, dispatch_key bigint, dispatch_lane smallint, queue_id int, project_id int,
  workflow_id int, attempt int, max_attempts int, priority smallint, type text, payload text,
  created_at timestamptz, ready_at timestamptz, started_at timestamptz,
  cost smallint, generation smallint, timeout_ms bigint, start_by timestamptz, traceparent text)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_bitmapscan = off
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  v_locked int[];
  v_choosy boolean;
  v_chosen bigint[];
BEGIN
  PERFORM require_read_committed();
  -- Statement 1. The gate, shared: who gives a queue its first limit holds it exclusively, so that no
  -- claim which still sees the queue unlimited is in flight. Then the limited queues, by try-lock: a
  -- queue not obtained waits for the next round, and nobody waits for anybody.
  IF NOT pg_try_advisory_xact_lock_shared(3, 0) THEN
    RETURN;
  END IF;
  SELECT array_agg(l.id), coalesce(bool_or(l.choosy), false) INTO v_locked, v_choosy
    FROM (SELECT q.id, q.per_key_concurrency IS NOT NULL OR q.rate_limit IS NOT NULL AS choosy
            FROM queues q
           WHERE q.id = ANY (p_queues) AND q.paused_at IS NULL
             AND (q.max_concurrency IS NOT NULL OR q.per_key_concurrency IS NOT NULL OR q.rate_limit IS NOT NULL)
           ORDER BY q.id) l
   WHERE pg_try_advisory_xact_lock(1, l.id);

  -- Statement 2, with a snapshot newer than the locks: limits, count and claim. Queues with a limit per key or
  -- a rate choose by more than the order; what they chose is locked and joins the claim below.
  IF v_choosy THEN
    v_chosen := choose_jobs(p_queues, p_wanted, p_head_keys, p_head_ids, v_locked);
  END IF;
  RETURN QUERY
  WITH wanted AS MATERIALIZED (
    SELECT w.queue_id, w.n AS i, w.wanted,
           CASE WHEN q.max_concurrency IS NULL THEN w.wanted
                ELSE least(w.wanted, limit_room(q.id, q.max_concurrency)) END AS take
      FROM unnest(p_queues, p_wanted) WITH ORDINALITY AS w (queue_id, wanted, n)
      JOIN queues q ON q.id = w.queue_id
     WHERE q.paused_at IS NULL
       AND q.per_key_concurrency IS NULL AND q.rate_limit IS NULL
       -- A limited queue named twice would get its room twice.
       AND (q.max_concurrency IS NULL
            OR (q.id = ANY (v_locked) AND array_position(p_queues, w.queue_id) = w.n))
  ), picked AS MATERIALIZED (
    -- One range scan of jobs_ready per lane, pulled row by row: the inner LIMIT bounds a lane, the
    -- outer one the queue, and no row beyond it is locked. OF j: an edge is read, never locked, so
    -- two jobs with a parent in common do not block each other's claims.
    SELECT p.id, p.cost, p.dispatch_lane, p.dispatch_key, w.i, w.wanted
      FROM wanted w
     CROSS JOIN LATERAL (
       SELECT l.id, l.cost, l.dispatch_lane, l.dispatch_key
         FROM unnest(p_head_keys[w.i:w.i], p_head_ids[w.i:w.i]) WITH ORDINALITY AS h (key, job_id, n)
        CROSS JOIN LATERAL (
          SELECT j.id, j.cost, j.dispatch_lane, j.dispatch_key
            FROM jobs j
           WHERE j.queue_id = w.queue_id
             AND j.dispatch_lane = (10 - h.n)::smallint
             AND j.state = 'ready'
             AND (j.dispatch_key, j.id) >= (h.key, h.job_id)
             -- OFFSET 0, here and wherever jobs are chosen: or a plan made while there was hardly an edge would
             -- hash all unmet ones, by a scan of the table, in each claim that meets a job with dependencies.
             AND (NOT j.has_dependencies OR NOT EXISTS (
                   SELECT 1 FROM dependencies d WHERE d.child_id = j.id AND NOT d.met OFFSET 0))
           ORDER BY j.dispatch_key, j.id
           LIMIT greatest(w.take, 0)
             FOR UPDATE OF j SKIP LOCKED) l
        WHERE h.key < 9223372036854775807
        LIMIT greatest(w.take, 0)) p
  )
  UPDATE jobs j
     SET state = 'running',
         lease_token = nextval('lease_token_seq'),
         worker_id = p_worker,
         claim_number = p_claim_number,
         attempt = j.attempt + 1,
         started_at = clock_timestamp(),
         state_reason = NULL
   -- The picked ids as one array: an IN-subquery could be planned as a loop that runs the pick again
   -- and exceeds LIMIT (PostgreSQL bug #15715). Costs are added up only where one is above 1.
   WHERE j.id = ANY (v_chosen || CASE
           WHEN (SELECT max(picked.cost) FROM picked) > 1 THEN ARRAY(
             SELECT c.id
               FROM (SELECT picked.id, picked.cost, picked.wanted, sum(picked.cost) OVER (
                              PARTITION BY picked.i
                              ORDER BY picked.dispatch_lane DESC, picked.dispatch_key, picked.id) AS total
                       FROM picked) c
              WHERE c.total - c.cost < c.wanted)
           ELSE ARRAY(SELECT picked.id FROM picked) END)
  RETURNING j.id, j.lease_token, j.dispatch_key, j.dispatch_lane, j.queue_id, j.project_id,
            j.workflow_id, j.attempt, j.max_attempts, j.priority, j.type, j.payload::text,
            j.created_at, j.ready_at, j.started_at, j.cost, j.generation, j.timeout_ms, j.start_by, j.traceparent;
END
$$;

-- Where work waits: per queue and lane the first ready row at or after the head given (as for claim).
-- Nothing is locked and no limit is looked at; one index probe per lane.
CREATE OR REPLACE FUNCTION first_ready(p_queues int[], p_head_keys bigint[], p_head_ids bigint[])
RETURNS TABLE (queue_id int, dispatch_lane smallint, dispatch_key bigint, job_id bigint)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_bitmapscan = off
SET jit = off
AS $$
  SELECT w.queue_id, (10 - h.n)::smallint, f.dispatch_key, f.id
    FROM unnest(p_queues) WITH ORDINALITY AS w (queue_id, n)
   CROSS JOIN LATERAL unnest(p_head_keys[w.n:w.n], p_head_ids[w.n:w.n]) WITH ORDINALITY AS h (key, job_id, n)
   CROSS JOIN LATERAL (
     SELECT j.dispatch_key, j.id
       FROM jobs j
      WHERE j.queue_id = w.queue_id
        AND j.dispatch_lane = (10 - h.n)::smallint
        AND j.state = 'ready'
        AND (j.dispatch_key, j.id) >= (h.key, h.job_id)
      ORDER BY j.dispatch_key, j.id
      LIMIT 1) f
   WHERE h.key < 9223372036854775807
$$;

-- What a worker holds by the record: compared with its memory after an error and every few seconds.
CREATE OR REPLACE FUNCTION held_by(p_worker bigint)
RETURNS TABLE (id bigint, lease_token bigint, claim_number bigint, workflow_id int)
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
AS $$
  SELECT j.id, j.lease_token, j.claim_number, j.workflow_id
    FROM jobs j
   WHERE j.state = 'running'
     AND j.queue_id = ANY (ARRAY(SELECT q.id FROM queues q))
     AND j.worker_id = p_worker
$$;

-- Inside the caller's own transaction: holds the lease row FOR SHARE until that transaction ends, so
-- the lease cannot end before it. Raises JS001 when the lease is not (or no longer) held. A session that is none of
-- the services' (session_user, whatever role it has set) reaches the projects that sql_clients says, and no others:
-- neither learns it of their leases, nor holds them up.
CREATE OR REPLACE FUNCTION assert_lease(p_job_id bigint, p_lease_token bigint) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
DECLARE
  v_service boolean := pg_has_role(session_user, '${api_role}', 'USAGE')
                    OR pg_has_role(session_user, '${worker_role}', 'USAGE');
BEGIN
  PERFORM 1 FROM jobs j
    WHERE j.id = p_job_id AND j.lease_token = p_lease_token
      AND (v_service OR EXISTS (SELECT 1 FROM sql_clients s
                                 WHERE s.role_name = session_user AND s.project_id = j.project_id))
      FOR SHARE OF j;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'lease % of job % is lost', p_lease_token, p_job_id USING ERRCODE = 'JS001';
  END IF;
END
$$;
