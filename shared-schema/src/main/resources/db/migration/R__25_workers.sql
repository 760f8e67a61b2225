DROP FUNCTION IF EXISTS register_worker(bigint, text, bigint, text, text[], int);
-- p_draining: the process was asked to drain under its former id, and that still holds.
CREATE OR REPLACE FUNCTION register_worker(
  p_worker bigint, p_host text, p_pid bigint, p_version text, p_queues text[], p_slots int,
  p_draining boolean DEFAULT false) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
  INSERT INTO workers (id, host, pid, version, queues, slots, draining)
  VALUES (p_worker, p_host, p_pid, p_version, p_queues, p_slots, p_draining);
  INSERT INTO worker_drains (worker_id) SELECT p_worker WHERE p_draining
$$;

DROP FUNCTION IF EXISTS beat(bigint, int, boolean, bigint[]);
-- One beat. Not alive: this incarnation is lost or stopped, for good. cancels: its jobs that somebody wants to end.
-- drain: somebody wants it to claim nothing more.
CREATE FUNCTION beat(p_worker bigint, p_running int, p_draining boolean, p_unstarted bigint[])
RETURNS TABLE (alive boolean, cancels bigint[], drain boolean)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
BEGIN
  UPDATE workers w
     SET beat_at = clock_timestamp(), running = p_running, draining = p_draining, unstarted = p_unstarted
   WHERE w.id = p_worker AND w.lost_at IS NULL AND w.stopped_at IS NULL;
  RETURN QUERY SELECT FOUND, ARRAY(SELECT r.job_id FROM cancel_requests r WHERE r.worker_id = p_worker),
                      EXISTS (SELECT 1 FROM worker_drains d WHERE d.worker_id = p_worker);
END
$$;

CREATE OR REPLACE FUNCTION stop_worker(p_worker bigint) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
  UPDATE workers w SET stopped_at = clock_timestamp(), running = 0, unstarted = '{}'
   WHERE w.id = p_worker AND w.lost_at IS NULL AND w.stopped_at IS NULL
$$;

-- Writes the loss, which is sticky: silent for p_timeout, or its session lock gone and silent for p_early.
-- Holds back while the silence proves nothing: for p_timeout after the database came up, and after the leader's
-- own renewal was late, or looks late because the clock was put forward.
CREATE OR REPLACE FUNCTION mark_lost_workers(p_timeout interval, p_early interval)
RETURNS TABLE (id bigint)
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
  UPDATE workers w
     SET lost_at = clock_timestamp()
   WHERE w.id = ANY (ARRAY(
     SELECT c.id FROM workers c
      WHERE c.lost_at IS NULL AND c.stopped_at IS NULL
        AND pg_postmaster_start_time() < clock_timestamp() - p_timeout
        -- A renewal never made is of a database without schedulers.
        AND NOT EXISTS (SELECT 1 FROM leadership l
                         WHERE (isfinite(l.renewed_at) AND l.renewed_at < clock_timestamp() - (p_timeout - p_early))
                            OR l.late_at > clock_timestamp() - p_timeout)
        AND (c.beat_at < clock_timestamp() - p_timeout
             OR (c.beat_at < clock_timestamp() - p_early
                 AND NOT EXISTS (
                   SELECT 1 FROM pg_locks l
                    WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
                      AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
                      AND ((l.classid::bigint << 32) | l.objid::bigint) = c.id)))
        FOR UPDATE SKIP LOCKED))
  RETURNING w.id
$$;

-- Ends the attempts that lost or stopped workers still hold (p_absent: also those whose worker has no
-- row any more; reads every running row). At most p_limit. Same rows as end_attempts, and a row of verdict
-- unendable, with the SQLSTATE as its state, for each that the database refuses to end.
CREATE OR REPLACE FUNCTION rescue_jobs(p_limit int, p_absent boolean)
RETURNS TABLE (
  id bigint, verdict text, state text, run_at timestamptz, queue_id int, dispatch_lane smallint,
  dispatch_key bigint, project_id int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  v_ids bigint[];
  v_tokens bigint[];
  v_flows int[];
  v_outcomes text[];
  v_kinds text[];
  v_messages text[];
  v_fingerprints text[];
  v_gone bigint[];
BEGIN
  SELECT array_agg(w.id) INTO v_gone FROM workers w WHERE w.lost_at IS NOT NULL OR w.stopped_at IS NOT NULL;
  SELECT array_agg(r.id), array_agg(r.lease_token), array_agg(r.workflow_id), array_agg(r.outcome),
         array_agg(CASE WHEN r.outcome = 'lost' THEN 'worker-lost' END),
         array_agg(CASE WHEN r.outcome = 'lost' THEN 'worker ' || r.worker_id || ' was lost' END),
         -- The same for every loss: whichever worker it was, it is one kind of failure.
         array_agg(CASE WHEN r.outcome = 'lost' THEN 'worker-lost' END)
    INTO v_ids, v_tokens, v_flows, v_outcomes, v_kinds, v_messages, v_fingerprints
    FROM (
      SELECT j.id, j.lease_token, j.workflow_id, j.worker_id,
             CASE WHEN w.unstarted @> ARRAY[j.id] AND j.returned < 3 THEN 'returned' ELSE 'lost' END AS outcome
        FROM jobs j
        LEFT JOIN workers w ON w.id = j.worker_id
       WHERE j.state = 'running'
         AND j.queue_id = ANY (ARRAY(SELECT q.id FROM queues q))
         AND (j.worker_id = ANY (v_gone) OR (p_absent AND w.id IS NULL))
       ORDER BY j.id
       LIMIT p_limit) r;
  IF v_ids IS NOT NULL THEN
    BEGIN
      RETURN QUERY SELECT * FROM end_attempts(NULL, v_ids, v_tokens, v_flows, v_outcomes,
        NULL, v_kinds, v_messages, NULL, v_fingerprints, NULL, NULL);
    EXCEPTION WHEN data_exception OR integrity_constraint_violation THEN
      -- One bad row must not keep the jobs of all lost workers from their next attempt: one by one, then.
      FOR i IN 1 .. cardinality(v_ids) LOOP
        BEGIN
          RETURN QUERY SELECT * FROM end_attempts(NULL, v_ids[i:i], v_tokens[i:i], v_flows[i:i], v_outcomes[i:i],
            NULL, v_kinds[i:i], v_messages[i:i], NULL, v_fingerprints[i:i], NULL, NULL);
        EXCEPTION WHEN data_exception OR integrity_constraint_violation THEN
          RETURN QUERY SELECT v_ids[i], 'unendable'::text, SQLSTATE, NULL::timestamptz, 0, 0::smallint, 0::bigint, 0;
        END;
      END LOOP;
    END;
  END IF;
END
$$;

-- Workers that ended more than p_age ago and hold nothing: their rows go.
CREATE OR REPLACE FUNCTION forget_workers(p_age interval) RETURNS int
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
DECLARE
  v_count int;
BEGIN
  DELETE FROM workers w
   WHERE coalesce(w.lost_at, w.stopped_at) < clock_timestamp() - p_age
     AND NOT EXISTS (SELECT 1 FROM jobs j
                      WHERE j.state = 'running' AND j.worker_id = w.id
                        AND j.queue_id = ANY (ARRAY(SELECT q.id FROM queues q)));
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END
$$;
