DROP FUNCTION IF EXISTS end_attempts(bigint, bigint[], bigint[], int[], text[], text[], text[], text[], text[], interval[]);
DROP FUNCTION IF EXISTS end_attempts(bigint, bigint[], bigint[], int[], text[], text[], text[], text[], text[], text[], interval[], timestamptz[]);
-- Ends attempts by the lease tokens that they hold. Arrays are parallel, one element per job; one that holds
-- nothing but nulls may be null itself.
--   p_outcomes  succeeded
--               failed, timed_out: retried after the delay or instant given, else by the policy of the job or
--                 its queue; dead when it was the last attempt, or when a rule or the retry deadline says so
--               dead · cancelled · revoked (cancelled: its handler did not end in time) ·
--               expired (cancelled, never started: the attempt does not count)
--               snoozed (scheduled again after the delay or instant given: the attempt does not count)
--               released (given back: the attempt does not count, and leaves a row only if it names a kind)
--               lost, returned (the reaper's: the worker died with it; returned = it had not started it)
--   p_workflows the job's workflow, or null
--   p_delays, p_until  failed, timed_out, snoozed: the wait, or the instant; p_until wins
-- While a cancel request waits, success stands and every other outcome becomes cancelled.
-- p_worker restricts to one worker's leases; null is the reaper's.
-- Returns per job a verdict: settled (also when this very settle had been done before and its reply was
-- lost) · lease_lost · busy (locked by another or its workflow is being operated on: try again), with the
-- state that followed; and per child that became ready a row with verdict child_ready.
CREATE FUNCTION end_attempts(
  p_worker bigint, p_ids bigint[], p_tokens bigint[], p_workflows int[], p_outcomes text[],
  p_results text[], p_error_kinds text[], p_error_messages text[], p_error_stacks text[],
  p_error_fingerprints text[], p_delays interval[], p_until timestamptz[])
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
  v_paused int[];
  v_locked bigint[];
  v_cancel bigint[];
  v_outcomes text[] := p_outcomes;
  v_reasons text[];
  v_delays interval[];
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
  SELECT array_agg(j.lease_token) INTO v_locked
    FROM (
      SELECT j.id, j.lease_token
        FROM jobs j
       -- A token means running (constraint jobs_lease). The state is not named, lest the planner take the
       -- partial index jobs_running, which was empty when it looked, and read every lease and dead entry.
       WHERE j.id = ANY (p_ids)
         AND j.lease_token = ANY (p_tokens)
         AND (p_worker IS NULL OR j.worker_id = p_worker)
         AND (j.workflow_id IS NULL OR j.workflow_id = ANY (v_flows))
       ORDER BY j.id
         FOR UPDATE SKIP LOCKED) j
    JOIN unnest(p_ids, p_tokens) AS s (id, token) ON s.id = j.id AND s.token = j.lease_token;

  -- In a statement after the locks: whoever asks for a cancel holds the job's row FOR KEY SHARE until the request
  -- has committed, so no request slips in between. One probe by worker, for the reaper by job.
  IF p_worker IS NULL THEN
    SELECT array_agg(r.job_id) INTO v_cancel FROM cancel_requests r WHERE r.job_id = ANY (p_ids);
  ELSE
    SELECT array_agg(r.job_id) INTO v_cancel FROM cancel_requests r WHERE r.worker_id = p_worker;
  END IF;

  -- What each outcome means for its job. Afterwards v_outcomes says: succeeded, dead, cancelled: the job ends;
  -- anything else: it goes back.
  IF v_locked IS NOT NULL AND (v_cancel IS NOT NULL OR NOT p_outcomes <@ ARRAY['succeeded', 'dead', 'cancelled']) THEN
    SELECT array_agg(d.outcome ORDER BY d.n), array_agg(d.reason ORDER BY d.n), array_agg(d.delay ORDER BY d.n)
      INTO v_outcomes, v_reasons, v_delays
      FROM (
        SELECT s.n, o.outcome, o.reason, o.delay
          FROM unnest(p_ids, p_tokens, p_outcomes, p_error_kinds, p_delays, p_until)
                 WITH ORDINALITY AS s (id, token, outcome, kind, delay, until, n)
          LEFT JOIN jobs j ON j.id = s.id AND j.lease_token = s.token AND s.token = ANY (v_locked)
         CROSS JOIN LATERAL decide_outcome(
                 s.outcome, s.kind, s.delay, s.until, j.id = ANY (v_cancel), j.id, j.attempt, j.max_attempts,
                 j.queue_id, j.retry_policy, j.started_at, j.generation) AS o (outcome, reason, delay)) d;
  END IF;
  SELECT array_agg(s.id) FILTER (WHERE s.outcome IN ('succeeded', 'dead', 'cancelled')),
         array_agg(s.id) FILTER (WHERE s.outcome NOT IN ('succeeded', 'dead', 'cancelled'))
    INTO v_ended, v_back
    FROM unnest(p_ids, p_tokens, v_outcomes) AS s (id, token, outcome)
   WHERE s.token = ANY (v_locked);

  IF v_cancel IS NOT NULL THEN
    DELETE FROM cancel_requests r WHERE r.job_id = ANY (v_cancel) AND r.job_id = ANY (v_ended);
  END IF;

  IF v_ended IS NOT NULL THEN
    IF 'expired' = ANY (p_outcomes) THEN
      UPDATE jobs j
         SET attempt = j.attempt - 1, started_at = NULL
        FROM unnest(p_ids, p_tokens, p_outcomes) AS s (id, token, outcome)
       WHERE s.outcome = 'expired' AND j.id = ANY (v_ended) AND j.id = s.id AND j.lease_token = s.token;
    END IF;
    SELECT array_agg(m.id) FILTER (WHERE m.has_dependents), array_agg(m.state) FILTER (WHERE m.has_dependents)
      INTO v_parents, v_parent_states
      FROM (SELECT array_agg(e.id) AS ids, array_agg(e.outcome) AS states, array_agg(e.reason) AS reasons,
                   array_agg(e.result) AS results, array_agg(e.kind) AS kinds, array_agg(e.message) AS messages,
                   array_agg(e.stack) AS stacks, array_agg(e.fingerprint) AS fingerprints
              FROM unnest(p_ids, p_tokens, v_outcomes, v_reasons, p_results, p_error_kinds, p_error_messages,
                          p_error_stacks, p_error_fingerprints)
                     AS e (id, token, outcome, reason, result, kind, message, stack, fingerprint)
             WHERE e.id = ANY (v_ended) AND e.token = ANY (v_locked)) s,
           move_to_finished(s.ids, s.states, s.reasons, s.results, s.kinds, s.messages, s.stacks, s.fingerprints) m;
  END IF;

  IF v_back IS NOT NULL THEN
    -- In a paused workflow nothing becomes ready: what goes back at once is blocked. What waits is promoted so.
    IF v_flows IS NOT NULL THEN
      SELECT array_agg(w.id) INTO v_paused FROM workflows w WHERE w.id = ANY (v_flows) AND w.paused_at IS NOT NULL;
    END IF;
    -- A job may snooze for ever: only the newest leaves a trace, by which a lost reply is recognised.
    IF 'snoozed' = ANY (v_outcomes) THEN
      DELETE FROM attempts a
       USING unnest(p_ids, p_tokens, v_outcomes) AS s (id, token, outcome)
       WHERE a.job_id = s.id AND a.outcome = 'snoozed'
         AND s.outcome = 'snoozed' AND s.token = ANY (v_locked);
    END IF;
    -- Attempts that did not end the job get their row; one released unstarted leaves no trace.
    INSERT INTO attempts (job_id, lease_token, worker_id, started_at, attempt, outcome, error_kind, error_message,
        error_stack, error_fingerprint, generation)
    SELECT j.id, j.lease_token, j.worker_id, j.started_at, j.attempt,
           CASE s.outcome WHEN 'returned' THEN 'released' ELSE s.outcome END, s.kind, s.message, s.stack,
           s.fingerprint, j.generation
      FROM jobs j
      JOIN unnest(p_ids, p_tokens, v_outcomes, p_error_kinds, p_error_messages, p_error_stacks, p_error_fingerprints)
             AS s (id, token, outcome, kind, message, stack, fingerprint) ON s.id = j.id AND s.token = j.lease_token
     WHERE j.id = ANY (v_back) AND (s.outcome <> 'released' OR s.kind IS NOT NULL);

    UPDATE jobs j
       SET state = CASE WHEN s.delay IS NULL AND j.workflow_id = ANY (v_paused) THEN 'blocked'
                        WHEN s.delay IS NULL THEN 'ready' WHEN s.outcome = 'snoozed' THEN 'scheduled' ELSE 'retrying' END,
           state_reason = CASE WHEN s.delay IS NULL AND j.workflow_id = ANY (v_paused) THEN 'workflow-paused'
                               WHEN s.outcome = 'failed' THEN 'failed'
                               WHEN s.outcome = 'timed_out' THEN 'timed-out'
                               WHEN s.outcome = 'snoozed' THEN 'snoozed'
                               WHEN s.outcome = 'lost' THEN 'worker-lost' END,
           attempt = j.attempt - CASE WHEN s.outcome IN ('released', 'returned', 'snoozed') THEN 1 ELSE 0 END,
           attempt_rows = CASE WHEN s.outcome = 'released' AND s.kind IS NULL THEN j.attempt_rows
                               WHEN s.outcome = 'snoozed' THEN (SELECT count(*) FROM attempts a WHERE a.job_id = j.id)
                               ELSE j.attempt_rows + 1 END,
           returned = j.returned + CASE WHEN s.outcome = 'returned' THEN 1 ELSE 0 END,
           run_at = CASE WHEN s.delay IS NULL THEN j.run_at ELSE clock_timestamp() + s.delay END,
           -- A job given back keeps its place; a lost one too. Unless the queue's ageing was switched meanwhile.
           (dispatch_lane, dispatch_key) = (
             SELECT ready_lane(j.priority, q.ageing_ms),
                    CASE WHEN j.dispatch_lane = ready_lane(j.priority, q.ageing_ms) THEN j.dispatch_key
                         ELSE ready_key(coalesce(planned_micros(j.workflow_id, j.id), micros(clock_timestamp())),
                                        j.priority, q.ageing_ms) END
               FROM queues q WHERE q.id = j.queue_id),
           ready_at = CASE WHEN s.delay IS NULL AND (j.workflow_id = ANY (v_paused)) IS NOT TRUE THEN clock_timestamp() END,
           lease_token = NULL, worker_id = NULL, claim_number = NULL, started_at = NULL
      FROM unnest(p_ids, p_tokens, v_outcomes, p_error_kinds, v_delays) AS s (id, token, outcome, kind, delay)
     WHERE j.id = ANY (v_back) AND j.id = s.id AND j.lease_token = s.token;
  END IF;

  IF v_parents IS NOT NULL THEN
    RETURN QUERY SELECT c.id, 'child_ready'::text, 'ready'::text, NULL::timestamptz, c.queue_id, c.dispatch_lane,
                        c.dispatch_key, c.project_id
                   FROM tell_dependents(v_parents, v_parent_states) c;
  END IF;

  IF v_ended IS NOT NULL THEN
    RETURN QUERY
    SELECT s.id, 'settled'::text, s.outcome, NULL::timestamptz, 0, 0::smallint, 0::bigint, 0
      FROM unnest(p_ids, p_tokens, v_outcomes) AS s (id, token, outcome)
     WHERE s.id = ANY (v_ended) AND s.token = ANY (v_locked);
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
                  -- What this settle would have written; another end of the same lease is not its own.
                  AND CASE s.outcome
                        WHEN 'succeeded' THEN f.state = 'succeeded'
                        WHEN 'cancelled' THEN f.state = 'cancelled' AND f.error_kind IS NOT DISTINCT FROM s.kind
                                              AND coalesce(f.state_reason, 'cancel-requested') = 'cancel-requested'
                        WHEN 'revoked' THEN f.state_reason = 'revoked'
                        WHEN 'expired' THEN f.state_reason = 'expired'
                        WHEN 'released' THEN f.state_reason = 'cancel-requested'
                        WHEN 'snoozed' THEN f.state_reason = 'cancel-requested'
                        ELSE f.state IN ('dead', 'cancelled') AND f.error_kind IS NOT DISTINCT FROM s.kind
                             AND f.state_reason IS DISTINCT FROM 'revoked'
                      END)
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
      FROM unnest(p_ids, p_tokens, p_outcomes, p_error_kinds) AS s (id, token, outcome, kind)
      -- A job that waits for its instant is told again, so that whoever lost the first reply promotes it in time.
      LEFT JOIN jobs w ON w.id = s.id AND w.state IN ('retrying', 'scheduled')
     WHERE s.token <> ALL (coalesce(v_locked, '{}'));
  END IF;
END
$$;

DROP FUNCTION IF EXISTS settle(bigint, bigint[], bigint[], int[], text[], text[], text[], text[], text[], interval[]);
DROP FUNCTION IF EXISTS settle(bigint, bigint[], bigint[], int[], text[], text[], text[], text[], text[], text[], interval[], timestamptz[]);
-- A worker's (or lease holder's) door to end_attempts: its own leases, and only outcomes that are its own.
CREATE FUNCTION settle(
  p_worker bigint, p_ids bigint[], p_tokens bigint[], p_workflows int[], p_outcomes text[],
  p_results text[], p_error_kinds text[], p_error_messages text[], p_error_stacks text[],
  p_error_fingerprints text[], p_delays interval[], p_until timestamptz[])
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
  IF NOT p_outcomes <@ ARRAY['succeeded', 'failed', 'timed_out', 'dead', 'cancelled', 'revoked', 'expired', 'snoozed',
                             'released'] THEN
    RAISE EXCEPTION 'unknown outcome in %', p_outcomes USING ERRCODE = '22023';
  END IF;
  RETURN QUERY SELECT * FROM end_attempts(p_worker, p_ids, p_tokens, p_workflows, p_outcomes,
    p_results, p_error_kinds, p_error_messages, p_error_stacks, p_error_fingerprints, p_delays, p_until);
END
$$;
