-- Back from the end: redrive and retry of ended jobs, and "run now" for those that wait for their time.

-- The outcome of the attempt that ended a job, as its finished row tells it.
CREATE OR REPLACE FUNCTION outcome_of_end(p_state text, p_reason text, p_kind text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN p_state = 'dead' AND p_kind = 'worker-lost' THEN 'lost'
    WHEN p_state = 'dead' AND p_kind = 'timeout' THEN 'timed_out'
    WHEN p_state = 'cancelled' AND p_reason = 'revoked' THEN 'revoked'
    ELSE p_state
  END
$$;

-- Shares the workflows of these jobs' children, in id order, until the transaction ends: nobody pauses or mends one
-- while a child there is decided. Returns them. Called before rows are locked; may raise 40P01 or 55P03. Internal.
CREATE OR REPLACE FUNCTION share_child_workflows(p_parents bigint[]) RETURNS int[]
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
  v_flows int[];
BEGIN
  SELECT array_agg(DISTINCT d.workflow_id ORDER BY d.workflow_id) INTO v_flows
    FROM dependencies d WHERE d.parent_id = ANY (p_parents) AND d.workflow_id IS NOT NULL;
  PERFORM pg_advisory_xact_lock_shared(2, f.flow) FROM unnest(v_flows) AS f (flow);
  RETURN coalesce(v_flows, '{}');
END
$$;

-- The move back itself, for redrive_jobs and the surgery of workflows: ended jobs, those in one of the states
-- p_states, are live again in a new generation. The caller holds their workflows, and shares their children's. A job waits again for parents that
-- are live; its own children that wait are blocked until it has ended again, and edges that their joins had waived
-- count again. Children that run go on, those that have ended stay ended.
-- moved: what has come back; undecided: those of them, and of the children, that release_children has to look at: a
-- gate, a join, or one whose last open edge was decided meanwhile.
CREATE OR REPLACE FUNCTION bring_back(p_ids bigint[], p_states text[], OUT moved bigint[], OUT undecided bigint[])
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  v_moved bigint[];
  v_attempted bigint[];
  v_waiters bigint[];
  v_children bigint[];
  v_joins bigint[];
BEGIN
  -- One statement takes the row from there and appends it here. A redrive or retention that got it first leaves
  -- nothing to delete, and the last statement says what became of it.
  WITH gone AS (
    DELETE FROM finished_jobs f
     WHERE f.id = ANY (p_ids) AND f.state = ANY (p_states)
    RETURNING f.id, f.lease_token, f.worker_id, f.created_at, f.run_at, f.started_at, f.finished_at, f.project_id,
              f.queue_id, f.workflow_id, f.attempt, f.max_attempts, f.attempt_rows, f.priority, f.has_dependencies,
              f.has_dependents, f.state, f.state_reason, f.type, f.workflow_key, f.payload, f.retry_policy, f.timeout_ms,
              f.planned_at, f.schedule_id, f.generation, f.cost, f.concurrency_key, f.join_mode, f.gate, f.tags,
              f.metadata, f.traceparent, f.unique_key, f.unique_until, f.error_kind, f.error_message,
              f.error_stack, f.error_fingerprint
  ), ended AS (
    INSERT INTO attempts (job_id, lease_token, worker_id, started_at, ended_at, attempt, outcome, error_kind,
        error_message, error_stack, generation, error_fingerprint)
    SELECT g.id, g.lease_token, g.worker_id, g.started_at, g.finished_at, g.attempt,
           outcome_of_end(g.state, g.state_reason, g.error_kind),
           g.error_kind, g.error_message, g.error_stack, g.generation, g.error_fingerprint
      FROM gone g
     -- One that expired has a token, and no attempt.
     WHERE g.lease_token IS NOT NULL AND g.started_at IS NOT NULL
  ), back AS (
    INSERT INTO jobs (id, dispatch_key, dispatch_lane, created_at, run_at, ready_at, project_id, queue_id,
        workflow_id, attempt, max_attempts, attempt_rows, priority, has_dependencies, has_dependents, state, type,
        workflow_key, payload, retry_policy, timeout_ms, planned_at, schedule_id, generation, cost, concurrency_key, join_mode,
        gate, tags, metadata, traceparent, unique_key, unique_until)
    SELECT g.id,
           ready_key(coalesce(planned_micros(g.workflow_id, g.id), micros(clock_timestamp())), g.priority,
                     q.ageing_ms),
           ready_lane(g.priority, q.ageing_ms), g.created_at,
           -- A runAt ahead is void; a time gate waits for its instant, or for its time from now on.
           CASE WHEN g.gate = 'time' THEN CASE WHEN g.payload ->> 'waitMs' IS NULL THEN g.run_at END
                WHEN g.run_at <= clock_timestamp() THEN g.run_at END,
           CASE WHEN g.gate IS NULL THEN clock_timestamp() END,
           g.project_id, g.queue_id, g.workflow_id, 0, g.max_attempts,
           g.attempt_rows + CASE WHEN g.lease_token IS NULL OR g.started_at IS NULL THEN 0 ELSE 1 END, g.priority, g.has_dependencies,
           g.has_dependents, CASE WHEN g.gate IS NULL THEN 'ready' ELSE 'blocked' END, g.type, g.workflow_key, g.payload, g.retry_policy, g.timeout_ms,
           g.planned_at, g.schedule_id, least(g.generation + 1, 32767), g.cost, g.concurrency_key, g.join_mode,
           g.gate, g.tags, g.metadata, g.traceparent, g.unique_key, g.unique_until
      FROM gone g
      JOIN queues q ON q.id = g.queue_id
  )
  SELECT array_agg(g.id), array_agg(g.id) FILTER (WHERE g.attempt_rows > 0),
         array_agg(g.id) FILTER (WHERE g.has_dependencies)
    INTO v_moved, v_attempted, v_waiters
    FROM gone g;

  IF v_attempted IS NOT NULL THEN
    WITH gone AS (
      DELETE FROM finished_attempts a WHERE a.job_id = ANY (v_attempted)
      RETURNING a.job_id, a.lease_token, a.worker_id, a.started_at, a.ended_at, a.attempt, a.outcome, a.error_kind,
                a.error_message, a.error_stack, a.generation, a.error_fingerprint
    )
    INSERT INTO attempts (job_id, lease_token, worker_id, started_at, ended_at, attempt, outcome, error_kind,
        error_message, error_stack, generation, error_fingerprint)
    SELECT g.job_id, g.lease_token, g.worker_id, g.started_at, g.ended_at, g.attempt, g.outcome, g.error_kind,
           g.error_message, g.error_stack, g.generation, g.error_fingerprint
      FROM gone g;
  END IF;

  IF v_waiters IS NOT NULL THEN
    -- A parent that is live will tell its outcome again.
    UPDATE dependencies d SET outcome = NULL, benign = NULL, waived = false
     WHERE d.child_id = ANY (v_waiters) AND d.outcome IS NOT NULL
       AND EXISTS (SELECT 1 FROM jobs p WHERE p.id = d.parent_id);
    -- One that has run again and ended otherwise, while the job itself had ended, was not told.
    UPDATE dependencies d
       SET outcome = f.state, waived = is_bypassed(f.state, f.state_reason) AND d.on_outcome <> 'failure',
           benign = CASE WHEN f.state = 'skipped' THEN f.state_reason IS DISTINCT FROM 'dependency-failed' END
      FROM finished_jobs f
     WHERE d.child_id = ANY (v_waiters) AND d.outcome IS NOT NULL AND f.id = d.parent_id AND f.state <> d.outcome;
    -- A join is reckoned anew, from the parents that have ended.
    SELECT array_agg(j.id) INTO v_joins FROM jobs j WHERE j.id = ANY (v_waiters) AND j.join_mode IS NOT NULL;
    UPDATE dependencies d SET waived = false WHERE d.child_id = ANY (v_joins) AND d.waived;
    UPDATE jobs j SET state = 'blocked', ready_at = NULL
     WHERE j.id = ANY (v_waiters) AND j.state <> 'blocked'
       AND EXISTS (SELECT 1 FROM dependencies d WHERE d.child_id = j.id AND NOT d.met);
  END IF;

  IF v_moved IS NOT NULL THEN
    -- Children of each, whatever its has_dependents says: who adds an edge to an ended parent, or to one that runs,
    -- need not have been able to set it. What was still to be told is void.
    DELETE FROM pending_releases p WHERE p.parent_id = ANY (v_moved);
    -- Waiting children in id order. One that a claim has locked is looked at once that has ended, and runs then.
    SELECT array_agg(l.id), array_agg(l.id) FILTER (WHERE l.join_mode IS NOT NULL) INTO v_children, v_joins
      FROM (SELECT j.id, j.join_mode FROM jobs j
             WHERE j.id = ANY (ARRAY(SELECT d.child_id FROM dependencies d
                                      WHERE d.parent_id = ANY (v_moved) AND (d.outcome IS NOT NULL OR d.waived)))
               AND j.lease_token IS NULL
             ORDER BY j.id FOR UPDATE) l;
    IF v_children IS NOT NULL THEN
      UPDATE dependencies d SET outcome = NULL, benign = NULL, waived = false
       WHERE d.child_id = ANY (v_children) AND d.parent_id IN (SELECT u.id FROM unnest(v_moved) AS u (id))
         AND (d.outcome IS NOT NULL OR d.waived);
      UPDATE dependencies d SET waived = false WHERE d.child_id = ANY (v_joins) AND d.waived;
      -- A gate that was open is not any more; its time runs anew.
      UPDATE jobs j
         SET state = 'blocked', ready_at = NULL, state_reason = NULL,
             start_by = CASE WHEN j.gate IS NULL THEN j.start_by END,
             run_at = CASE WHEN j.gate = 'time' AND j.payload ->> 'waitMs' IS NOT NULL THEN NULL ELSE j.run_at END
       WHERE j.id = ANY (v_children)
         AND (ARRAY['ready', 'scheduled', 'retrying'] @> ARRAY[j.state] OR j.state_reason IS NOT NULL)
         AND EXISTS (SELECT 1 FROM dependencies d WHERE d.child_id = j.id AND NOT d.met);
    END IF;
  END IF;

  -- Nothing of a paused workflow becomes ready.
  UPDATE jobs j SET state = 'blocked', state_reason = 'workflow-paused', ready_at = NULL
   WHERE j.id = ANY (v_moved) AND ARRAY['ready'] @> ARRAY[j.state]
     AND j.workflow_id IS NOT NULL AND workflow_paused(j.workflow_id);
  moved := v_moved;
  SELECT array_agg(j.id) INTO undecided
    FROM jobs j
   WHERE j.id = ANY (v_moved || v_children) AND ARRAY['blocked'] @> ARRAY[j.state]
     AND (j.gate IS NOT NULL OR j.join_mode IS NOT NULL
          OR NOT EXISTS (SELECT 1 FROM dependencies d WHERE d.child_id = j.id AND NOT d.met)
          OR EXISTS (SELECT 1 FROM dependencies d WHERE d.child_id = j.id AND NOT d.met AND d.outcome IS NOT NULL));
END
$$;

-- Brings ended jobs of one project back, those in one of the states p_states; the rest is untouched. A job keeps
-- id, priority, payload and history; it begins a new generation, whose attempts count from 1 again; startBy is
-- void, and a runAt still ahead, and its workflow's deadline if that has passed. The attempt that had ended it gets the row in attempts which that end had saved.
-- In a workflow: it waits again for those parents that are live themselves; its own children that wait are blocked
-- until it has ended again. A child that runs goes on, and one that has ended stays ended, both with the outcome
-- they started from; so do skipped ones, which are brought back one by one once what they need is live or met.
-- Returns one row per job that exists there:
--   moved   it is ready, or blocked by its parents
--   live    it has not ended, and is in that state
--   kept    it has ended in a state not asked for
--   unmet   a parent of it has ended in a way that its edge does not allow
--   taken   another job holds its unique key meanwhile
-- May raise 40P01 or 55P03: nothing has happened, call again. Waits 2 s for a lock, or as long as the caller's
-- transaction says in jobs.redrive_wait: one that holds many jobs' locks already lets others wait for all of them.
CREATE OR REPLACE FUNCTION redrive_jobs(p_project int, p_ids bigint[], p_states text[])
RETURNS TABLE (
  id bigint, verdict text, state text, queue_id int, dispatch_lane smallint, dispatch_key bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET plan_cache_mode = force_generic_plan
SET lock_timeout = '2s'
AS $$
#variable_conflict use_column
DECLARE
  v_flows int[];
  v_ids bigint[];
  v_moved bigint[];
  v_undecided bigint[];
  v_taken bigint[];
BEGIN
  PERFORM require_read_committed();
  IF coalesce(current_setting('jobs.redrive_wait', true), '') <> '' THEN
    -- Until this returns: the function's own SET gives back what was in force before.
    PERFORM set_config('lock_timeout', current_setting('jobs.redrive_wait'), true);
  END IF;
  -- Nothing comes back in a project that was deleted meanwhile; a deletion that comes later sees what did.
  IF NOT hold_project(p_project) THEN
    RETURN;
  END IF;
  -- Workflow locks first, exclusive and in id order: no settle of these workflows is in flight. Then their rows, so
  -- that the leader does not note the end of one that is about to go on.
  -- Of live jobs too: one that ends while we wait for a lock may be moved below.
  SELECT array_agg(DISTINCT a.workflow_id) INTO v_flows
    FROM (SELECT f.workflow_id FROM finished_jobs f WHERE f.id = ANY (p_ids) AND f.project_id = p_project
          UNION ALL
          SELECT j.workflow_id FROM jobs j WHERE j.id = ANY (p_ids) AND j.project_id = p_project) a
   WHERE a.workflow_id IS NOT NULL;
  IF v_flows IS NOT NULL THEN
    PERFORM pg_advisory_xact_lock(2, f.flow) FROM (SELECT unnest(v_flows) AS flow ORDER BY 1) f;
    PERFORM 1 FROM workflows w WHERE w.id = ANY (v_flows) ORDER BY w.id FOR NO KEY UPDATE;
  END IF;
  PERFORM share_child_workflows(p_ids);
  -- Live parents cannot end until this commits: whoever ends one afterwards sees the edges that we leave. Not KEY
  -- SHARE, which would not wait for a settle that has begun.
  PERFORM 1 FROM jobs p
    WHERE p.id = ANY (ARRAY(SELECT d.parent_id FROM dependencies d WHERE d.child_id = ANY (p_ids)))
    ORDER BY p.id FOR SHARE;

  SELECT array_agg(f.id) INTO v_ids
    FROM finished_jobs f
   WHERE f.id = ANY (p_ids) AND f.project_id = p_project AND f.state = ANY (p_states)
     AND (NOT f.has_dependencies OR NOT EXISTS (
           SELECT 1 FROM dependencies d
            WHERE d.child_id = f.id AND d.outcome IS NOT NULL AND NOT d.met
              AND NOT EXISTS (SELECT 1 FROM jobs p WHERE p.id = d.parent_id)
              -- It may have run again since it told: bring_back reads how it stands.
              AND NOT EXISTS (SELECT 1 FROM finished_jobs p WHERE p.id = d.parent_id AND p.state <> d.outcome)
            OFFSET 0));
  -- Their unique keys again. Whoever waits for a key holds nothing but keys, and takes them in the same order.
  v_taken := retake_unique_keys(p_project, v_ids, p_states);
  IF v_taken IS NOT NULL THEN
    v_ids := ARRAY(SELECT u.id FROM unnest(v_ids) AS u (id) WHERE u.id <> ALL (v_taken));
  END IF;
  SELECT b.moved, b.undecided INTO v_moved, v_undecided FROM bring_back(v_ids, p_states) b;
  IF v_undecided IS NOT NULL THEN
    PERFORM release_children(v_undecided);
  END IF;

  IF v_moved IS NOT NULL AND v_flows IS NOT NULL THEN
    PERFORM reopen_workflows(ARRAY(
      SELECT DISTINCT j.workflow_id FROM jobs j WHERE j.id = ANY (v_moved) AND j.workflow_id IS NOT NULL));
  END IF;

  RETURN QUERY
  SELECT j.id, 'moved'::text, j.state, j.queue_id, j.dispatch_lane, j.dispatch_key
    FROM jobs j WHERE j.id = ANY (v_moved);
  IF coalesce(cardinality(v_moved), 0) < cardinality(p_ids) THEN
    RETURN QUERY
    SELECT o.id,
           CASE WHEN j.id IS NOT NULL THEN 'live' WHEN f.state <> ALL (p_states) THEN 'kept'
                WHEN o.id = ANY (v_taken) THEN 'taken' ELSE 'unmet' END,
           coalesce(j.state, f.state), 0, 0::smallint, 0::bigint
      FROM (SELECT DISTINCT u.id FROM unnest(p_ids) AS u (id)) o
      LEFT JOIN jobs j ON j.id = o.id AND j.project_id = p_project
      LEFT JOIN finished_jobs f ON f.id = o.id AND f.project_id = p_project
     WHERE o.id <> ALL (coalesce(v_moved, '{}')) AND (j.id IS NOT NULL OR f.id IS NOT NULL);
  END IF;
END
$$;

-- Makes jobs of one project ready now that wait for their time: scheduled or retrying. Returns one row per job that
-- exists there: moved; or live or ended, in that state and untouched. In a paused workflow it is blocked instead, and
-- a gate stays scheduled, due now. By primary key only, see promote_jobs.
CREATE OR REPLACE FUNCTION run_jobs_now(p_project int, p_ids bigint[])
RETURNS TABLE (
  id bigint, verdict text, state text, queue_id int, dispatch_lane smallint, dispatch_key bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET plan_cache_mode = force_generic_plan
SET lock_timeout = '2s'
AS $$
#variable_conflict use_column
DECLARE
  v_locked bigint[];
BEGIN
  PERFORM require_read_committed();
  -- Shared, so that no pause comes between; before any row.
  PERFORM pg_advisory_xact_lock_shared(2, f.flow)
    FROM (SELECT DISTINCT j.workflow_id AS flow FROM jobs j
           WHERE j.id = ANY (p_ids) AND j.project_id = p_project AND j.workflow_id IS NOT NULL ORDER BY 1) f;
  SELECT array_agg(l.id) INTO v_locked
    FROM (SELECT j.id FROM jobs j
           WHERE j.id = ANY (p_ids) AND j.project_id = p_project
             AND ARRAY['scheduled', 'retrying'] @> ARRAY[j.state]
           ORDER BY j.id FOR UPDATE) l;
  RETURN QUERY
  UPDATE jobs j
     SET state = CASE WHEN j.gate IS NOT NULL THEN j.state WHEN paused.flow IS NOT NULL THEN 'blocked' ELSE 'ready' END,
         state_reason = CASE WHEN j.gate IS NULL AND paused.flow IS NOT NULL THEN 'workflow-paused' END,
         ready_at = CASE WHEN j.gate IS NULL AND paused.flow IS NULL THEN clock_timestamp() END,
         run_at = least(j.run_at, clock_timestamp()),
         (dispatch_lane, dispatch_key) = (
           SELECT CASE WHEN j.workflow_id IS NULL THEN ready_lane(j.priority, q.ageing_ms) ELSE j.dispatch_lane END,
                  CASE WHEN j.workflow_id IS NULL
                       THEN ready_key(micros(clock_timestamp()), j.priority, q.ageing_ms) ELSE j.dispatch_key END
             FROM queues q WHERE q.id = j.queue_id)
    FROM (SELECT l.id, w.id AS flow
            FROM unnest(v_locked) AS l (id)
            LEFT JOIN jobs o ON o.id = l.id
            LEFT JOIN workflows w ON w.id = o.workflow_id AND w.paused_at IS NOT NULL) paused
   WHERE j.id = ANY (v_locked) AND j.id = paused.id
  RETURNING j.id, 'moved'::text, j.state, j.queue_id, j.dispatch_lane, j.dispatch_key;
  IF coalesce(cardinality(v_locked), 0) < cardinality(p_ids) THEN
    RETURN QUERY
    SELECT a.id, CASE WHEN a.finished_at IS NULL THEN 'live' ELSE 'ended' END, a.state, 0, 0::smallint, 0::bigint
      FROM all_jobs a
     WHERE a.id = ANY (p_ids) AND a.project_id = p_project AND a.id <> ALL (coalesce(v_locked, '{}'));
  END IF;
END
$$;
