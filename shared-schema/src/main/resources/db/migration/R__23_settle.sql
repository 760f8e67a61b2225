DROP FUNCTION IF EXISTS end_attempts(bigint, bigint[], bigint[], int[], text[], text[], text[], text[], text[], interval[]);
-- Ends attempts by the lease tokens that they hold. Arrays are parallel, one element per job:
--   p_outcomes  succeeded · failed (retried after p_delays or the job's policy, dead when it was the last
--               attempt) · dead · cancelled · released (given back unstarted: the attempt does not count) ·
--               lost, returned (the reaper's: the worker died with it; returned = it had not started it)
--   p_workflows the job's workflow, or null
-- p_worker restricts to one worker's leases; null is the reaper's.
-- Returns per job a verdict: settled (also when this very settle had been done before and its reply was
-- lost) · lease_lost · busy (locked by another or its workflow is being operated on: try again), with the
-- state that followed; and per child that became ready a row with verdict child_ready.
CREATE FUNCTION end_attempts(
  p_worker bigint, p_ids bigint[], p_tokens bigint[], p_workflows int[], p_outcomes text[],
  p_results text[], p_error_kinds text[], p_error_messages text[], p_error_stacks text[], p_delays interval[])
RETURNS TABLE (
  id bigint, verdict text, state text, run_at timestamptz, queue_id int, dispatch_lane smallint,
  dispatch_key bigint, project_id int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_flows int[];
  v_locked bigint[];
  v_ended bigint[];
  v_back bigint[];
  v_parents bigint[];
  v_parent_states text[];
BEGIN
  PERFORM require_read_committed();
  IF cardinality(p_tokens) <> (SELECT count(DISTINCT u.token) FROM unnest(p_tokens) AS u (token)) THEN
    RAISE EXCEPTION 'a lease is named twice' USING ERRCODE = '22023';
  END IF;
  -- Workflow locks first, shared, by try-lock in id order; row locks after.
  SELECT array_agg(l.flow) INTO v_flows
    FROM (SELECT DISTINCT u.flow FROM unnest(p_workflows) AS u (flow) WHERE u.flow IS NOT NULL ORDER BY u.flow) l
   WHERE pg_try_advisory_xact_lock_shared(2, l.flow);

  -- SKIP LOCKED: an assert_lease in a user's long transaction must not hold up the other rows.
  -- A batch may name two leases of one job (the first one's reply was lost, and it was claimed again): from here
  -- on each outcome is found by id and token, never by id alone.
  SELECT array_agg(l.token),
         array_agg(l.id) FILTER (WHERE l.ends),
         array_agg(l.id) FILTER (WHERE NOT l.ends)
    INTO v_locked, v_ended, v_back
    FROM (
      SELECT j.id, s.token,
             s.outcome IN ('succeeded', 'dead', 'cancelled')
               OR (s.outcome IN ('failed', 'lost') AND j.attempt >= j.max_attempts) AS ends
        FROM (
          SELECT j.id, j.lease_token, j.attempt, j.max_attempts
            FROM jobs j
           -- A token means running (constraint jobs_lease). The state is not named, lest the planner take the
           -- partial index jobs_running, which was empty when it looked, and read every lease and dead entry.
           WHERE j.id = ANY (p_ids)
             AND j.lease_token = ANY (p_tokens)
             AND (p_worker IS NULL OR j.worker_id = p_worker)
             AND (j.workflow_id IS NULL OR j.workflow_id = ANY (v_flows))
           ORDER BY j.id
             FOR UPDATE SKIP LOCKED) j
        JOIN unnest(p_ids, p_tokens, p_outcomes) AS s (id, token, outcome)
          ON s.id = j.id AND s.token = j.lease_token) l;

  IF v_ended IS NOT NULL THEN
    SELECT array_agg(m.id) FILTER (WHERE m.has_dependents), array_agg(m.state) FILTER (WHERE m.has_dependents)
      INTO v_parents, v_parent_states
      FROM (SELECT array_agg(e.id) AS ids, array_agg(CASE WHEN e.outcome IN ('succeeded', 'cancelled') THEN e.outcome
                                                          ELSE 'dead' END) AS states,
                   array_agg(e.result) AS results, array_agg(e.kind) AS kinds, array_agg(e.message) AS messages,
                   array_agg(e.stack) AS stacks
              FROM unnest(p_ids, p_tokens, p_outcomes, p_results, p_error_kinds, p_error_messages, p_error_stacks)
                     AS e (id, token, outcome, result, kind, message, stack)
             WHERE e.id = ANY (v_ended) AND e.token = ANY (v_locked)) s,
           move_to_finished(s.ids, s.states, NULL, s.results, s.kinds, s.messages, s.stacks, NULL) m;
  END IF;

  IF v_back IS NOT NULL THEN
    -- Attempts that count and did not end the job get their row; a released one leaves no trace.
    INSERT INTO attempts (job_id, lease_token, worker_id, started_at, attempt, outcome, error_kind, error_message,
        error_stack)
    SELECT j.id, j.lease_token, j.worker_id, j.started_at, j.attempt,
           CASE s.outcome WHEN 'returned' THEN 'released' ELSE s.outcome END, s.kind, s.message, s.stack
      FROM jobs j
      JOIN unnest(p_ids, p_tokens, p_outcomes, p_error_kinds, p_error_messages, p_error_stacks)
             AS s (id, token, outcome, kind, message, stack) ON s.id = j.id AND s.token = j.lease_token
     WHERE j.id = ANY (v_back) AND s.outcome <> 'released';

    UPDATE jobs j
       SET state = CASE WHEN b.delay IS NULL THEN 'ready' ELSE 'retrying' END,
           state_reason = CASE b.outcome WHEN 'failed' THEN 'failed'
                                         WHEN 'lost' THEN 'worker-lost' END,
           attempt = j.attempt - CASE WHEN b.outcome IN ('released', 'returned') THEN 1 ELSE 0 END,
           attempt_rows = j.attempt_rows + CASE WHEN b.outcome = 'released' THEN 0 ELSE 1 END,
           returned = j.returned + CASE WHEN b.outcome = 'returned' THEN 1 ELSE 0 END,
           run_at = CASE WHEN b.delay IS NULL THEN j.run_at ELSE clock_timestamp() + b.delay END,
           -- A job given back keeps its place; a lost one too.
           ready_at = CASE WHEN b.delay IS NULL THEN clock_timestamp() END,
           lease_token = NULL, worker_id = NULL, claim_number = NULL, started_at = NULL
      FROM (
        SELECT j.id, s.outcome,
               CASE s.outcome
                 WHEN 'failed' THEN least(coalesce(s.delay, retry_delay(j.retry_policy, j.attempt)), interval '365 days')
                 -- The first loss of a job goes back without backoff; a job that kills its workers waits.
                 WHEN 'lost' THEN CASE WHEN (SELECT count(*) FROM attempts a
                                              WHERE a.job_id = j.id AND a.outcome = 'lost') > 1
                                       THEN retry_delay(j.retry_policy, j.attempt) END
               END AS delay
          FROM jobs j
          JOIN unnest(p_ids, p_tokens, p_outcomes, p_delays) AS s (id, token, outcome, delay)
            ON s.id = j.id AND s.token = j.lease_token
         WHERE j.id = ANY (v_back)) b
     WHERE j.id = ANY (v_back) AND j.id = b.id;
  END IF;

  IF v_parents IS NOT NULL THEN
    RETURN QUERY SELECT c.id, 'child_ready'::text, 'ready'::text, NULL::timestamptz, c.queue_id, c.dispatch_lane,
                        c.dispatch_key, c.project_id
                   FROM tell_dependents(v_parents, v_parent_states) c;
  END IF;

  IF v_ended IS NOT NULL THEN
    RETURN QUERY
    SELECT e.id, 'settled'::text,
           CASE WHEN s.outcome IN ('succeeded', 'cancelled') THEN s.outcome ELSE 'dead' END,
           NULL::timestamptz, 0, 0::smallint, 0::bigint, 0
      FROM unnest(v_ended) AS e (id)
      JOIN unnest(p_ids, p_tokens, p_outcomes) AS s (id, token, outcome)
        ON s.id = e.id AND s.token = ANY (v_locked);
  END IF;
  IF v_back IS NOT NULL THEN
    RETURN QUERY
    SELECT j.id, 'settled'::text, j.state, j.run_at, j.queue_id, j.dispatch_lane, j.dispatch_key, j.project_id
      FROM jobs j WHERE j.id = ANY (v_back);
  END IF;

  -- What was not obtained: done before by this very settle, busy, or lost.
  IF coalesce(cardinality(v_locked), 0) < cardinality(p_ids) THEN
    RETURN QUERY
    SELECT s.id,
           CASE
             WHEN EXISTS (
               SELECT 1 FROM finished_jobs f
                WHERE f.id = s.id AND f.lease_token = s.token AND f.worker_id = p_worker
                  AND f.error_kind IS DISTINCT FROM 'worker-lost'
                  AND f.state = CASE WHEN s.outcome = 'failed' THEN 'dead' ELSE s.outcome END)
               OR EXISTS (
               SELECT 1 FROM attempts a
                WHERE a.job_id = s.id AND a.lease_token = s.token AND a.worker_id = p_worker
                  AND a.outcome = s.outcome)
               OR EXISTS (
               SELECT 1 FROM finished_attempts a
                WHERE a.job_id = s.id AND a.lease_token = s.token AND a.worker_id = p_worker
                  AND a.outcome = s.outcome) THEN 'settled'
             WHEN EXISTS (
               SELECT 1 FROM jobs j
                WHERE j.id = s.id AND j.lease_token = s.token
                  AND (p_worker IS NULL OR j.worker_id = p_worker)) THEN 'busy'
             ELSE 'lease_lost'
           END,
           w.state, w.run_at, coalesce(w.queue_id, 0), coalesce(w.dispatch_lane, 0::smallint),
           coalesce(w.dispatch_key, 0), coalesce(w.project_id, 0)
      FROM unnest(p_ids, p_tokens, p_outcomes) AS s (id, token, outcome)
      -- A retry that waits is told again, so that whoever lost the first reply promotes it in time.
      LEFT JOIN jobs w ON w.id = s.id AND w.state = 'retrying'
     WHERE s.token <> ALL (coalesce(v_locked, '{}'));
  END IF;
END
$$;

DROP FUNCTION IF EXISTS settle(bigint, bigint[], bigint[], int[], text[], text[], text[], text[], text[], interval[]);
-- A worker's (or lease holder's) door to end_attempts: its own leases, and only outcomes that are its own.
CREATE FUNCTION settle(
  p_worker bigint, p_ids bigint[], p_tokens bigint[], p_workflows int[], p_outcomes text[],
  p_results text[], p_error_kinds text[], p_error_messages text[], p_error_stacks text[], p_delays interval[])
RETURNS TABLE (
  id bigint, verdict text, state text, run_at timestamptz, queue_id int, dispatch_lane smallint,
  dispatch_key bigint, project_id int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
BEGIN
  IF p_worker IS NULL THEN
    RAISE EXCEPTION 'settle needs the holder of the leases' USING ERRCODE = '22004';
  END IF;
  IF NOT p_outcomes <@ ARRAY['succeeded', 'failed', 'dead', 'cancelled', 'released'] THEN
    RAISE EXCEPTION 'unknown outcome in %', p_outcomes USING ERRCODE = '22023';
  END IF;
  RETURN QUERY SELECT * FROM end_attempts(p_worker, p_ids, p_tokens, p_workflows, p_outcomes,
    p_results, p_error_kinds, p_error_messages, p_error_stacks, p_delays);
END
$$;
