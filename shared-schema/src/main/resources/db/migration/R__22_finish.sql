-- The end of a job: its move to the finished table, and what its dependents learn.

-- Moves jobs whose rows the caller holds locked from jobs to finished_jobs, and their attempts with them.
-- Arrays are parallel, one element per job; the attempt that ends a job is kept in its finished row.
-- Internal; the one place that knows the columns which move.
CREATE OR REPLACE FUNCTION move_to_finished(
  p_ids bigint[], p_states text[], p_reasons text[], p_results text[], p_error_kinds text[],
  p_error_messages text[], p_error_stacks text[], p_error_fingerprints text[])
RETURNS TABLE (id bigint, state text, has_dependents boolean)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_ids bigint[];
  v_states text[];
  v_dependents boolean[];
  v_rows bigint[];
  v_rows_until date[];
BEGIN
  -- One statement takes the row from here and appends it there.
  WITH gone AS (
    DELETE FROM jobs j WHERE j.id = ANY (p_ids)
    RETURNING j.id, j.lease_token, j.worker_id, j.workflow_id, j.created_at, j.run_at, j.ready_at, j.started_at,
              j.project_id, j.queue_id, j.attempt, j.max_attempts, j.attempt_rows, j.returned, j.priority,
              j.has_dependencies, j.has_dependents, j.type, j.workflow_key, j.payload, j.retry_policy,
              j.timeout_ms, j.start_by, j.planned_at, j.schedule_id, j.generation, j.cost, j.concurrency_key,
              j.join_mode, j.gate
  ), kept AS (
    INSERT INTO finished_jobs (id, lease_token, worker_id, workflow_id, created_at, run_at, ready_at, started_at,
        finished_at, retain_until, project_id, queue_id, attempt, max_attempts, attempt_rows, returned, priority,
        has_dependencies, has_dependents, state, state_reason, type, workflow_key, payload, retry_policy,
        timeout_ms, start_by, planned_at, schedule_id, generation, cost, concurrency_key,
        join_mode, gate, result, error_kind, error_message, error_stack, error_fingerprint)
    SELECT g.id, g.lease_token, g.worker_id, g.workflow_id, g.created_at, g.run_at, g.ready_at, g.started_at,
           clock_timestamp(),
           retention_bound(retention_today(),
             CASE WHEN s.state = 'dead' THEN q.retain_dead_days ELSE q.retain_finished_days END),
           g.project_id, g.queue_id, g.attempt, g.max_attempts, g.attempt_rows, g.returned, g.priority,
           g.has_dependencies, g.has_dependents, s.state, s.reason, g.type, g.workflow_key, g.payload,
           g.retry_policy, g.timeout_ms, g.start_by, g.planned_at, g.schedule_id, g.generation, g.cost,
           g.concurrency_key, g.join_mode, g.gate, s.result::json, s.kind, s.message, s.stack, s.fingerprint
      FROM gone g
      JOIN unnest(p_ids, p_states, p_reasons, p_results, p_error_kinds, p_error_messages, p_error_stacks,
                  p_error_fingerprints)
             AS s (id, state, reason, result, kind, message, stack, fingerprint) ON s.id = g.id
      JOIN queues q ON q.id = g.queue_id
    RETURNING id, state, retain_until, attempt_rows, has_dependents
  )
  SELECT array_agg(k.id), array_agg(k.state), array_agg(k.has_dependents),
         array_agg(k.id) FILTER (WHERE k.attempt_rows > 0),
         array_agg(k.retain_until) FILTER (WHERE k.attempt_rows > 0)
    INTO v_ids, v_states, v_dependents, v_rows, v_rows_until
    FROM kept k;

  IF v_rows IS NOT NULL THEN
    WITH gone AS (
      DELETE FROM attempts a WHERE a.job_id = ANY (v_rows)
      RETURNING a.job_id, a.lease_token, a.worker_id, a.started_at, a.ended_at, a.attempt, a.outcome,
                a.error_kind, a.error_message, a.error_stack, a.generation, a.error_fingerprint
    )
    INSERT INTO finished_attempts (job_id, lease_token, worker_id, started_at, ended_at, retain_until, attempt,
        outcome, error_kind, error_message, error_stack, generation, error_fingerprint)
    SELECT g.job_id, g.lease_token, g.worker_id, g.started_at, g.ended_at,
           v_rows_until[array_position(v_rows, g.job_id)], g.attempt,
           g.outcome, g.error_kind, g.error_message, g.error_stack, g.generation, g.error_fingerprint
      FROM gone g;
  END IF;
  -- The newest word of its attempts. Most jobs never have one: looked for first, by primary key.
  IF EXISTS (SELECT 1 FROM job_progress p WHERE p.job_id = ANY (v_ids)) THEN
    DELETE FROM job_progress p WHERE p.job_id = ANY (v_ids);
  END IF;
  RETURN QUERY SELECT m.id, m.state, m.dependents FROM unnest(v_ids, v_states, v_dependents) AS m (id, state, dependents);
END
$$;

-- The same for jobs that end without an attempt, all in one state and for one reason.
CREATE OR REPLACE FUNCTION finish_jobs(p_ids bigint[], p_state text, p_reason text)
RETURNS TABLE (id bigint, state text, has_dependents boolean)
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
  SELECT m.id, m.state, m.has_dependents
    FROM move_to_finished(p_ids, array_fill(p_state, ARRAY[cardinality(p_ids)]),
           array_fill(p_reason, ARRAY[cardinality(p_ids)]), NULL, NULL, NULL, NULL, NULL) m
$$;

-- Decides children whose edges changed: ready (or scheduled) when none is unmet; skipped when one can
-- no longer be met and the workflow's policy is cancel. Returns those that became ready.
-- Internal: the caller has written the edges.
CREATE OR REPLACE FUNCTION release_children(p_children bigint[])
RETURNS TABLE (id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint, project_id int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_locked bigint[];
  v_doomed bigint[];
BEGIN
  -- Children in id order, waiting: two parents that end together meet here, and the second one's next
  -- statement sees what the first has committed.
  SELECT array_agg(l.id) INTO v_locked
    FROM (SELECT j.id FROM jobs j
           WHERE j.id = ANY (p_children) AND j.state = 'blocked'
           ORDER BY j.id FOR UPDATE) l;
  IF v_locked IS NULL THEN
    RETURN;
  END IF;

  SELECT array_agg(j.id) INTO v_doomed
    FROM jobs j
   WHERE j.id = ANY (v_locked)
     AND EXISTS (SELECT 1 FROM dependencies d
                  WHERE d.child_id = j.id AND d.outcome IS NOT NULL AND NOT d.met)
     AND coalesce((SELECT w.on_failure FROM workflows w WHERE w.id = j.workflow_id), 'cancel') = 'cancel';
  IF v_doomed IS NOT NULL THEN
    -- Their own children are told in a later transaction, so that no lock order spans two levels.
    INSERT INTO pending_releases (parent_id, outcome)
    SELECT m.id, m.state
      FROM finish_jobs(v_doomed, 'skipped', 'dependency-failed') m
     WHERE m.has_dependents
    ON CONFLICT (parent_id) DO UPDATE SET outcome = excluded.outcome;
  END IF;

  RETURN QUERY
  UPDATE jobs j
     SET state = CASE WHEN j.run_at > clock_timestamp() THEN 'scheduled' ELSE 'ready' END,
         ready_at = CASE WHEN j.run_at > clock_timestamp() THEN NULL ELSE clock_timestamp() END,
         state_reason = NULL,
         (dispatch_lane, dispatch_key) = (
           SELECT CASE WHEN j.workflow_id IS NULL THEN ready_lane(j.priority, q.ageing_ms) ELSE j.dispatch_lane END,
                  CASE WHEN j.workflow_id IS NULL
                       THEN ready_key(micros(clock_timestamp()), j.priority, q.ageing_ms) ELSE j.dispatch_key END
             FROM queues q WHERE q.id = j.queue_id)
   WHERE j.id = ANY (v_locked)
     AND j.state = 'blocked'
     AND NOT EXISTS (SELECT 1 FROM dependencies d WHERE d.child_id = j.id AND NOT d.met)
  RETURNING j.id, j.queue_id, j.dispatch_lane, j.dispatch_key, j.project_id;
END
$$;

-- Tells the children of parents that have just ended: the edges keep the outcome, and children that they
-- decide are released. Wide fans (over 500 edges) go out in batches after this commit. Returns the jobs
-- that became ready. Internal; arrays are parallel.
CREATE OR REPLACE FUNCTION tell_dependents(p_parents bigint[], p_outcomes text[])
RETURNS TABLE (id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint, project_id int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_children bigint[];
BEGIN
  IF (SELECT count(*) FROM (SELECT 1 FROM dependencies d WHERE d.parent_id = ANY (p_parents) LIMIT 501) f) > 500 THEN
    INSERT INTO pending_releases (parent_id, outcome)
    SELECT p.id, p.outcome FROM unnest(p_parents, p_outcomes) AS p (id, outcome)
    ON CONFLICT (parent_id) DO UPDATE SET outcome = excluded.outcome;
    RETURN;
  END IF;
  WITH told AS (
    UPDATE dependencies d
       SET outcome = p_outcomes[array_position(p_parents, d.parent_id)]
     WHERE d.parent_id = ANY (p_parents) AND d.outcome IS NULL
    RETURNING d.child_id
  )
  SELECT array_agg(DISTINCT told.child_id) INTO v_children FROM told;
  IF v_children IS NOT NULL THEN
    RETURN QUERY SELECT c.id, c.queue_id, c.dispatch_lane, c.dispatch_key, c.project_id
                   FROM release_children(v_children) c;
  END IF;
END
$$;

DROP FUNCTION IF EXISTS release_pending(int);
-- Tells the children of ended parents that still wait to be told, about p_limit edges a call. Returns the
-- jobs that became ready (kind child_ready) and, unless there was nothing to do, a last row of kind more.
-- p_only restricts it to some parents.
CREATE OR REPLACE FUNCTION release_pending(p_limit int, p_only bigint[] DEFAULT NULL)
RETURNS TABLE (
  kind text, id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint, project_id int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_parents bigint[];
  v_outcomes text[];
  v_children bigint[];
  v_void bigint[];
BEGIN
  PERFORM require_read_committed();
  SELECT array_agg(l.parent_id) FILTER (WHERE NOT l.live), array_agg(l.outcome) FILTER (WHERE NOT l.live),
         array_agg(l.parent_id) FILTER (WHERE l.live)
    INTO v_parents, v_outcomes, v_void
    FROM (SELECT p.parent_id, p.outcome, EXISTS (SELECT 1 FROM jobs j WHERE j.id = p.parent_id) AS live
            FROM pending_releases p
           WHERE p_only IS NULL OR p.parent_id = ANY (p_only)
           ORDER BY p.parent_id LIMIT 100 FOR UPDATE OF p SKIP LOCKED) l;
  -- A parent that was moved back from its end while somebody noted that end will tell another one.
  IF v_void IS NOT NULL THEN
    DELETE FROM pending_releases p WHERE p.parent_id = ANY (v_void);
  END IF;
  IF v_parents IS NOT NULL THEN
    WITH untold AS MATERIALIZED (
      SELECT d.child_id, d.parent_id FROM dependencies d
       WHERE d.parent_id = ANY (v_parents) AND d.outcome IS NULL
       ORDER BY d.parent_id, d.child_id LIMIT p_limit
    ), told AS (
      UPDATE dependencies d
         SET outcome = v_outcomes[array_position(v_parents, d.parent_id)]
       WHERE d.child_id = ANY (ARRAY(SELECT untold.child_id FROM untold))
         AND d.parent_id = ANY (v_parents) AND d.outcome IS NULL
      RETURNING d.child_id
    )
    SELECT array_agg(DISTINCT told.child_id) INTO v_children FROM told;
    RETURN QUERY SELECT 'child_ready'::text, c.id, c.queue_id, c.dispatch_lane, c.dispatch_key, c.project_id
                   FROM release_children(v_children) c;
    DELETE FROM pending_releases p
     WHERE p.parent_id = ANY (v_parents)
       AND NOT EXISTS (SELECT 1 FROM dependencies d WHERE d.parent_id = p.parent_id AND d.outcome IS NULL);
  END IF;
  IF v_parents IS NOT NULL OR v_void IS NOT NULL THEN
    RETURN QUERY SELECT 'more'::text, NULL::bigint, NULL::int, NULL::smallint, NULL::bigint, NULL::int;
  END IF;
END
$$;
