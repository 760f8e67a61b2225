-- Limits, pauses and ageing of queues. A claim of a limited queue holds the queue's advisory lock, one of an
-- unlimited queue only the gate, shared.

DROP FUNCTION IF EXISTS set_queue_limit(int, int);

-- Waits until no claim is in flight that could start a job of this queue, and keeps such claims out until the
-- transaction ends. The caller holds the queue's row locked and knows whether it is limited. The gate stops all
-- claims for as long as this transaction lasts, so only what ends at once may follow, and a client that falls
-- silent before its commit (stopped, cut off) loses the session after 2 s. Internal.
CREATE OR REPLACE FUNCTION hold_claims(p_queue int, p_limited boolean) RETURNS void
LANGUAGE plpgsql VOLATILE
AS $$
BEGIN
  PERFORM set_config('idle_in_transaction_session_timeout', '2s', true);
  IF NOT p_limited THEN
    PERFORM pg_advisory_xact_lock(3, 0);
  END IF;
  PERFORM pg_advisory_xact_lock(1, p_queue);
END
$$;

-- Sets all limits of a queue (null: none): the first one of any kind once no claim is in flight that saw none;
-- another once no claim of this queue is in flight. Nothing is locked when nothing changes. False: nothing
-- changed. Raises 55P03 when a claim in flight does not end within 5 s.
CREATE OR REPLACE FUNCTION set_queue_limits(
  p_queue int, p_max_concurrency int, p_per_key_concurrency int, p_rate_limit int, p_rate_period_ms bigint,
  p_rate_burst int) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET lock_timeout = '5s'
AS $$
DECLARE
  v_old queues;
  v_now timestamptz;
BEGIN
  PERFORM require_read_committed();
  SELECT q.* INTO v_old FROM queues q WHERE q.id = p_queue FOR NO KEY UPDATE;
  IF NOT FOUND OR (v_old.max_concurrency, v_old.per_key_concurrency, v_old.rate_limit, v_old.rate_period_ms,
                   v_old.rate_burst)
         IS NOT DISTINCT FROM
         (p_max_concurrency, p_per_key_concurrency, p_rate_limit, p_rate_period_ms, p_rate_burst) THEN
    RETURN false;
  END IF;
  PERFORM hold_claims(p_queue, num_nonnulls(v_old.max_concurrency, v_old.per_key_concurrency, v_old.rate_limit) > 0);
  -- What has flowed in so far flowed at the old rate; a new bucket is full.
  v_now := clock_timestamp();
  IF p_rate_limit IS NULL THEN
    DELETE FROM rate_buckets b WHERE b.queue_id = p_queue;
  ELSIF v_old.rate_limit IS NULL THEN
    INSERT INTO rate_buckets AS b (queue_id, tokens, refilled_at) VALUES (p_queue, p_rate_burst, v_now)
    ON CONFLICT (queue_id) DO UPDATE SET tokens = excluded.tokens, refilled_at = excluded.refilled_at;
  ELSE
    UPDATE rate_buckets b
       SET tokens = least(p_rate_burst, bucket_tokens(p_queue, v_old.rate_limit, v_old.rate_period_ms,
                                                      v_old.rate_burst, v_now)),
           refilled_at = v_now
     WHERE b.queue_id = p_queue;
  END IF;
  UPDATE queues q
     SET max_concurrency = p_max_concurrency, per_key_concurrency = p_per_key_concurrency,
         rate_limit = p_rate_limit, rate_period_ms = p_rate_period_ms, rate_burst = p_rate_burst,
         updated_at = v_now
   WHERE q.id = p_queue;
  RETURN true;
END
$$;

-- Pauses a queue: once this has committed no job of it starts. Running jobs go on. p_until: it resumes by
-- itself then (null: never). A pause of a paused queue replaces reason, author and end. Raises 55P03 when a claim
-- in flight does not end within 5 s.
CREATE OR REPLACE FUNCTION pause_queue(p_queue int, p_reason text, p_by text, p_until timestamptz) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET lock_timeout = '5s'
AS $$
DECLARE
  v_old queues;
BEGIN
  PERFORM require_read_committed();
  SELECT q.* INTO v_old FROM queues q WHERE q.id = p_queue FOR NO KEY UPDATE;
  IF v_old.paused_at IS NULL THEN
    PERFORM hold_claims(p_queue,
                        num_nonnulls(v_old.max_concurrency, v_old.per_key_concurrency, v_old.rate_limit) > 0);
  END IF;
  UPDATE queues q
     SET paused_at = coalesce(q.paused_at, clock_timestamp()), pause_reason = p_reason, paused_by = left(p_by, 254),
         resume_at = p_until, updated_at = clock_timestamp()
   WHERE q.id = p_queue;
END
$$;

-- Ends a pause. False: there was none. Claims need not be waited for.
CREATE OR REPLACE FUNCTION resume_queue(p_queue int) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
BEGIN
  UPDATE queues q
     SET paused_at = NULL, pause_reason = NULL, paused_by = NULL, resume_at = NULL, updated_at = clock_timestamp()
   WHERE q.id = p_queue AND q.paused_at IS NOT NULL;
  RETURN FOUND;
END
$$;

-- Ends the pauses whose end has come; returns the queues. What waits there is found by the workers' next poll.
-- One probe of queues_resume when there is nothing to do.
CREATE OR REPLACE FUNCTION resume_due_queues() RETURNS TABLE (queue_id int, project_id int)
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
  UPDATE queues q
     SET paused_at = NULL, pause_reason = NULL, paused_by = NULL, resume_at = NULL, updated_at = clock_timestamp()
   WHERE q.id = ANY (ARRAY(
     SELECT d.id FROM queues d WHERE d.resume_at <= clock_timestamp() FOR NO KEY UPDATE SKIP LOCKED))
  RETURNING q.id, q.project_id
$$;

-- Sets a queue's ageing (null: it does not age). What becomes ready from then on gets its place by it; what waits
-- already is moved by rekey_queue, step by step. False: nothing changed.
CREATE OR REPLACE FUNCTION set_queue_ageing(p_queue int, p_ageing_ms bigint) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
BEGIN
  UPDATE queues q
     SET ageing_ms = p_ageing_ms, rekey_after = 0, rekey_until = (SELECT s.last_value FROM job_id_seq s),
         updated_at = clock_timestamp()
   WHERE q.id = p_queue AND q.ageing_ms IS DISTINCT FROM p_ageing_ms;
  RETURN FOUND;
END
$$;

-- One step of carrying a switched ageing through: the next p_limit jobs in id order (of all queues; those of
-- others are only read) from p_queue's rekey_after on get the place that the queue's present ageing gives them.
-- Returns, per lane, the first place into which jobs were moved. The queue's row remembers how far it came and is
-- locked meanwhile, so any number of callers and crashes do no harm. Jobs that another transaction holds are
-- passed over: they are being claimed, or get their place from whoever makes them ready again. Meanwhile claims
-- look into all lanes, so nothing waits for this.
CREATE OR REPLACE FUNCTION rekey_queue(p_queue int, p_limit int)
RETURNS TABLE (queue_id int, dispatch_lane smallint, dispatch_key bigint, id bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_after bigint;
  v_until bigint;
  v_ageing bigint;
  v_last bigint;
BEGIN
  PERFORM require_read_committed();
  SELECT q.rekey_after, q.rekey_until, q.ageing_ms INTO v_after, v_until, v_ageing
    FROM queues q WHERE q.id = p_queue AND q.rekey_after IS NOT NULL FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  -- By the primary key only; how far p_limit rows reach.
  SELECT max(s.id) INTO v_last
    FROM (SELECT j.id FROM jobs j WHERE j.id > v_after AND j.id <= v_until ORDER BY j.id LIMIT p_limit) s;
  RETURN QUERY
  WITH own AS MATERIALIZED (
    -- The states are spelled so that no partial index matches: a range of the primary key.
    SELECT j.id FROM jobs j
     WHERE j.id > v_after AND j.id <= v_last AND j.queue_id = p_queue
       AND NOT (ARRAY['running'] @> ARRAY[j.state])
       AND (j.ready_at IS NOT NULL OR j.workflow_id IS NOT NULL)
     ORDER BY j.id
       FOR UPDATE OF j SKIP LOCKED
  ), place AS MATERIALIZED (
    SELECT j.id, ready_lane(j.priority, v_ageing) AS lane,
           ready_key(coalesce(planned_micros(j.workflow_id, j.id), micros(j.ready_at)), j.priority, v_ageing)
             AS key
      FROM jobs j WHERE j.id = ANY (ARRAY(SELECT own.id FROM own))
  ), moved AS (
    UPDATE jobs j
       SET dispatch_lane = p.lane, dispatch_key = p.key
      FROM place p
     WHERE j.id = ANY (ARRAY(SELECT own.id FROM own)) AND j.id = p.id
       AND (j.dispatch_lane, j.dispatch_key) <> (p.lane, p.key)
    RETURNING j.queue_id, j.dispatch_lane, j.dispatch_key, j.id, j.state
  )
  SELECT DISTINCT ON (moved.dispatch_lane) moved.queue_id, moved.dispatch_lane, moved.dispatch_key, moved.id
    FROM moved WHERE moved.state = 'ready'
   ORDER BY moved.dispatch_lane, moved.dispatch_key, moved.id;
  UPDATE queues q
     SET rekey_after = CASE WHEN v_last < v_until THEN v_last END,
         rekey_until = CASE WHEN v_last < v_until THEN v_until END
   WHERE q.id = p_queue;
END
$$;

-- The queues that rekey_queue has work in, lowest id first. One probe of queues_rekey when there is none.
CREATE OR REPLACE FUNCTION queues_to_rekey() RETURNS TABLE (queue_id int)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
  SELECT q.id FROM queues q WHERE q.rekey_after IS NOT NULL ORDER BY q.id
$$;

-- The instant that stands for a workflow's job in dispatch order, in microseconds since the epoch: the submission,
-- less 60 s x its rank once the plan is there; null outside a workflow.
CREATE OR REPLACE FUNCTION planned_micros(p_workflow int, p_job bigint) RETURNS bigint
LANGUAGE sql STABLE
AS $$
  SELECT micros(w.created_at) - (60000000 * coalesce(m.rank, 0))::bigint
    FROM workflows w
    LEFT JOIN workflow_members m ON m.workflow_id = w.id AND m.job_id = p_job
   WHERE w.id = p_workflow
$$;
