-- Due jobs become ready, oldest first, at most p_limit. Idempotent; many may call it at once.
CREATE OR REPLACE FUNCTION promote_due(p_limit int)
RETURNS TABLE (id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint, project_id int)
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
  WITH picked AS MATERIALIZED (
    SELECT j.id FROM jobs j
     -- Not clock_timestamp(): volatile, it could not bound the index scan, which would read on through every
     -- job that is not yet due.
     WHERE j.state IN ('scheduled', 'retrying') AND j.run_at <= statement_timestamp()
     ORDER BY j.run_at, j.id LIMIT p_limit
       FOR UPDATE OF j SKIP LOCKED
  )
  UPDATE jobs j
     SET state = 'ready', ready_at = clock_timestamp(), state_reason = NULL,
         dispatch_key = CASE WHEN j.workflow_id IS NULL THEN micros(clock_timestamp()) ELSE j.dispatch_key END
   WHERE j.id = ANY (ARRAY(SELECT picked.id FROM picked))
  RETURNING j.id, j.queue_id, j.dispatch_lane, j.dispatch_key, j.project_id
$$;

-- What is due within p_ahead: the database's clock and the distinct instants, in microseconds since the
-- epoch and ascending, of the first p_limit such jobs; seen says how many jobs that were.
CREATE OR REPLACE FUNCTION due_ahead(p_ahead interval, p_limit int)
RETURNS TABLE (now_micros bigint, due_micros bigint[], seen int)
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
  SELECT micros(clock_timestamp()), coalesce(array_agg(DISTINCT micros(d.run_at)), '{}'), count(*)::int
    FROM (SELECT j.run_at FROM jobs j
           WHERE j.state IN ('scheduled', 'retrying') AND j.run_at <= statement_timestamp() + p_ahead
           ORDER BY j.run_at, j.id LIMIT p_limit) d
$$;

-- The same for jobs known by id: a worker's own retries, so that they go on without a leader.
CREATE OR REPLACE FUNCTION promote_jobs(p_ids bigint[])
RETURNS TABLE (id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint, project_id int)
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
  WITH picked AS MATERIALIZED (
    SELECT j.id FROM jobs j
     -- By primary key only: the states are spelled so that the partial index jobs_due does not match.
     WHERE j.id = ANY (p_ids) AND ARRAY['scheduled', 'retrying'] @> ARRAY[j.state] AND j.run_at <= clock_timestamp()
     ORDER BY j.id
       FOR UPDATE OF j SKIP LOCKED
  )
  UPDATE jobs j
     SET state = 'ready', ready_at = clock_timestamp(), state_reason = NULL,
         dispatch_key = CASE WHEN j.workflow_id IS NULL THEN micros(clock_timestamp()) ELSE j.dispatch_key END
   WHERE j.id = ANY (ARRAY(SELECT picked.id FROM picked))
  RETURNING j.id, j.queue_id, j.dispatch_lane, j.dispatch_key, j.project_id
$$;
