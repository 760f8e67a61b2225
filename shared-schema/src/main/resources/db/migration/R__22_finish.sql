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
  v_failed_flows int[];
  v_unique bigint[];
BEGIN
  -- One statement takes the row from here and appends it there.
  WITH gone AS (
    DELETE FROM jobs j WHERE j.id = ANY (p_ids)
    RETURNING j.id, j.lease_token, j.worker_id, j.workflow_id, j.created_at, j.run_at, j.ready_at, j.started_at,
              j.project_id, j.queue_id, j.attempt, j.max_attempts, j.attempt_rows, j.returned, j.priority,
              j.has_dependencies, j.has_dependents, j.type, j.workflow_key, j.payload, j.retry_policy,
              j.timeout_ms, j.start_by, j.planned_at, j.schedule_id, j.generation, j.cost, j.concurrency_key,
              j.join_mode, j.gate, j.tags, j.metadata, j.traceparent, j.unique_key, j.unique_until
  ), kept AS (
    INSERT INTO finished_jobs (id, lease_token, worker_id, workflow_id, created_at, run_at, ready_at, started_at,
        finished_at, retain_until, project_id, queue_id, attempt, max_attempts, attempt_rows, returned, priority,
        has_dependencies, has_dependents, state, state_reason, type, workflow_key, payload, retry_policy,
        timeout_ms, start_by, planned_at, schedule_id, generation, cost, concurrency_key,
        join_mode, gate, tags, metadata, traceparent, unique_key, unique_until,
        result, error_kind, error_message, error_stack, error_fingerprint)
    SELECT g.id, g.lease_token, g.worker_id, g.workflow_id, g.created_at, g.run_at, g.ready_at, g.started_at,
           clock_timestamp(),
           retention_bound(retention_today(),
             CASE WHEN s.state = 'dead' THEN q.retain_dead_days ELSE q.retain_finished_days END),
           g.project_id, g.queue_id, g.attempt, g.max_attempts, g.attempt_rows, g.returned, g.priority,
           g.has_dependencies, g.has_dependents, s.state, s.reason, g.type, g.workflow_key, g.payload,
           g.retry_policy, g.timeout_ms, g.start_by, g.planned_at, g.schedule_id, g.generation, g.cost,
           g.concurrency_key, g.join_mode, g.gate, g.tags, g.metadata, g.traceparent, g.unique_key, g.unique_until,
           s.result::json, s.kind, s.message, s.stack, s.fingerprint
      FROM gone g
      JOIN unnest(p_ids, p_states, p_reasons, p_results, p_error_kinds, p_error_messages, p_error_stacks,
                  p_error_fingerprints)
             AS s (id, state, reason, result, kind, message, stack, fingerprint) ON s.id = g.id
      JOIN queues q ON q.id = g.queue_id
    RETURNING id, state, retain_until, attempt_rows, has_dependents, workflow_id, state_reason, unique_until
  )
  SELECT array_agg(k.id), array_agg(k.state), array_agg(k.has_dependents),
         array_agg(k.id) FILTER (WHERE k.attempt_rows > 0),
         array_agg(k.retain_until) FILTER (WHERE k.attempt_rows > 0),
         array_agg(k.workflow_id) FILTER (WHERE k.workflow_id IS NOT NULL AND (
           k.state IN ('dead', 'cancelled') OR k.state_reason = 'dependency-failed')),
         array_agg(k.id) FILTER (WHERE k.unique_until <> 'window')
    INTO v_ids, v_states, v_dependents, v_rows, v_rows_until, v_failed_flows, v_unique
    FROM kept k;
  -- For those who want to hear of a first failure. Appended without a lock: who ends jobs waits for nobody here.
  IF v_failed_flows IS NOT NULL THEN
    INSERT INTO failure_notes (workflow_id)
    SELECT c.workflow_id FROM workflow_callbacks c
     WHERE c.workflow_id = ANY (v_failed_flows) AND c.on_event = 'first_failure' AND c.fired_at IS NULL;
  END IF;

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
  -- Unique keys that it held. One that an enqueue is just looking at is left behind: it binds nobody any more.
  IF v_unique IS NOT NULL THEN
    DELETE FROM unique_keys u
     WHERE u.job_id = ANY (ARRAY(
       SELECT l.job_id FROM unique_keys l
        WHERE l.job_id = ANY (v_unique) AND l.until <> 'window' FOR UPDATE SKIP LOCKED));
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

-- Ends gates, whose rows the caller holds locked, as succeeded: p_reason says how (their state_reason), p_results
-- what their children may read (parallel to p_ids; null: nothing). Their children are told in a later step, by
-- release_pending. Internal.
CREATE OR REPLACE FUNCTION pass_gates(p_ids bigint[], p_reason text, p_results text[] DEFAULT NULL) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
  INSERT INTO pending_releases (parent_id, outcome)
  SELECT m.id, m.state
    FROM move_to_finished(p_ids, array_fill('succeeded'::text, ARRAY[cardinality(p_ids)]),
           array_fill(p_reason, ARRAY[cardinality(p_ids)]), p_results, NULL, NULL, NULL, NULL) m
   WHERE m.has_dependents
  ON CONFLICT (parent_id) DO UPDATE SET outcome = excluded.outcome, benign = excluded.benign
$$;

-- What a child's edges say of it: met, doomed (it can never be met), or null: it waits. One to three probes of
-- dependencies_unmet, however many edges have been told; for any_success also the edges up to the first success.
-- OFFSET 0: or a plan might hash the edges of all jobs.
CREATE OR REPLACE FUNCTION edges_verdict(p_child bigint, p_join text) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM jobs.dependencies d WHERE d.child_id = p_child AND NOT d.met OFFSET 0) THEN 'met'
    WHEN p_join IS NULL THEN
      CASE WHEN EXISTS (SELECT 1 FROM jobs.dependencies d
                         WHERE d.child_id = p_child AND NOT d.met AND d.outcome IS NOT NULL OFFSET 0) THEN 'doomed' END
    WHEN p_join = 'none_failed'
         AND EXISTS (SELECT 1 FROM jobs.dependencies d
                      WHERE d.child_id = p_child AND NOT d.met AND d.outcome IN ('dead', 'cancelled') OFFSET 0)
      THEN 'doomed'
    WHEN p_join = 'any_success'
         AND EXISTS (SELECT 1 FROM jobs.dependencies d
                      WHERE d.child_id = p_child AND d.outcome = 'succeeded' OFFSET 0) THEN 'met'
    WHEN EXISTS (SELECT 1 FROM jobs.dependencies d
                  WHERE d.child_id = p_child AND NOT d.met AND d.outcome IS NULL OFFSET 0) THEN NULL
    WHEN p_join = 'any_success' THEN 'doomed'
    ELSE 'met'
  END
$$;

-- Decides blocked children whose edges changed.
--   met: ready, or scheduled when run_at is ahead; in a paused workflow blocked as before (workflow-paused). Gates
--     do what they are for. What a decided join has left of its edges is waived.
--   doomed: skipped, for that reason: dependency-failed (a parent failed, or was skipped for a failure; under the
--     policy hold it stays blocked instead), condition-not-met (a parent ended well and another end was asked for),
--     dependency-skipped (a parent was skipped for one of these two)
-- Returns those that became ready. Internal: the caller holds the advisory locks of the children's workflows, shared at
-- least, and has written the edges while it held the blocked children's rows: a join that is decided writes all of its
-- child's edges, and must not meet one that somebody has written who waits for the child.
CREATE OR REPLACE FUNCTION release_children(p_children bigint[])
RETURNS TABLE (id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint, project_id int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  v_locked bigint[];
  v_met bigint[];
  v_paused bigint[];
  v_joins bigint[];
  v_gates bigint[];
  v_doomed bigint[];
BEGIN
  -- Children in id order, waiting: two parents that end together meet here, and the second one's next
  -- statement sees what the first has committed. By primary key: the state is spelled so that the partial index
  -- jobs_blocked does not match, which a plan made once would read whole. (Plans are kept: most calls release one
  -- or two children, and cost more to plan than to run.)
  SELECT array_agg(l.id) INTO v_locked
    FROM (SELECT j.id FROM jobs j
           WHERE j.id = ANY (p_children) AND ARRAY['blocked'] @> ARRAY[j.state]
           ORDER BY j.id FOR UPDATE) l;
  IF v_locked IS NULL THEN
    RETURN;
  END IF;

  SELECT array_agg(v.id) FILTER (WHERE v.verdict = 'met' AND v.gate IS NULL AND NOT v.paused),
         array_agg(v.id) FILTER (WHERE v.verdict = 'met' AND v.gate IS NULL AND v.paused),
         array_agg(v.id) FILTER (WHERE v.verdict = 'met' AND v.join_mode IS NOT NULL),
         array_agg(v.id) FILTER (WHERE v.verdict = 'met' AND v.gate IS NOT NULL),
         array_agg(v.id) FILTER (WHERE v.verdict = 'doomed')
    INTO v_met, v_paused, v_joins, v_gates, v_doomed
    FROM (SELECT j.id, j.join_mode, j.gate, edges_verdict(j.id, j.join_mode) AS verdict,
                 coalesce((SELECT w.paused_at IS NOT NULL FROM workflows w WHERE w.id = j.workflow_id), false) AS paused
            FROM jobs j WHERE j.id = ANY (v_locked) OFFSET 0) v;

  IF v_doomed IS NOT NULL THEN
    PERFORM skip_children(v_doomed);
  END IF;
  IF v_joins IS NOT NULL THEN
    UPDATE dependencies d SET waived = true WHERE d.child_id = ANY (v_joins) AND NOT d.met;
  END IF;
  IF v_paused IS NOT NULL THEN
    UPDATE jobs j SET state_reason = 'workflow-paused'
     WHERE j.id = ANY (v_paused) AND j.state_reason IS DISTINCT FROM 'workflow-paused';
  END IF;
  IF v_gates IS NOT NULL THEN
    PERFORM reach_gates(v_gates);
  END IF;
  IF v_met IS NOT NULL THEN
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
     WHERE j.id = ANY (v_met)
       AND ARRAY['blocked'] @> ARRAY[j.state]
       AND NOT EXISTS (SELECT 1 FROM dependencies d WHERE d.child_id = j.id AND NOT d.met OFFSET 0)
    RETURNING j.id, j.queue_id, j.dispatch_lane, j.dispatch_key, j.project_id;
  END IF;
END
$$;

-- Internal to release_children, whose rows are locked: ends what is doomed, or holds it.
CREATE OR REPLACE FUNCTION skip_children(p_doomed bigint[]) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
  v_held bigint[];
  v_ids bigint[];
  v_reasons text[];
  v_messages text[];
BEGIN
  SELECT array_agg(c.id) FILTER (WHERE c.failed AND c.hold), array_agg(c.id) FILTER (WHERE NOT (c.failed AND c.hold)),
         array_agg(c.reason) FILTER (WHERE NOT (c.failed AND c.hold)),
         array_agg(c.message) FILTER (WHERE NOT (c.failed AND c.hold))
    INTO v_held, v_ids, v_reasons, v_messages
    FROM (
      SELECT j.id, e.failed, coalesce(w.on_failure = 'hold', false) AS hold,
             CASE WHEN e.failed THEN 'dependency-failed' WHEN e.outcome = 'skipped' THEN 'dependency-skipped'
                  ELSE 'condition-not-met' END AS reason,
             concat('parent ', coalesce((SELECT m.key FROM workflow_members m
                                          WHERE m.workflow_id = j.workflow_id AND m.job_id = e.parent_id),
                                        e.parent_id::text),
                    CASE WHEN e.outcome = 'skipped' THEN ' was ' ELSE ' ended ' END, e.outcome) AS message
        FROM jobs j
        LEFT JOIN workflows w ON w.id = j.workflow_id
       -- The edge that decides: a failure before anything else, then the smallest parent.
       CROSS JOIN LATERAL (
         SELECT d.parent_id, d.outcome,
                d.outcome IN ('dead', 'cancelled') OR (d.outcome = 'skipped' AND d.benign IS NOT TRUE) AS failed
           FROM dependencies d
          WHERE d.child_id = j.id AND NOT d.met AND d.outcome IS NOT NULL
          ORDER BY failed DESC, d.outcome, d.parent_id LIMIT 1) e
       WHERE j.id = ANY (p_doomed)) c;
  IF v_held IS NOT NULL THEN
    UPDATE jobs j SET state_reason = 'dependency-failed'
     WHERE j.id = ANY (v_held) AND j.state_reason IS DISTINCT FROM 'dependency-failed';
  END IF;
  IF v_ids IS NOT NULL THEN
    INSERT INTO pending_releases (parent_id, outcome, benign)
    SELECT m.id, m.state, v_reasons[array_position(v_ids, m.id)] <> 'dependency-failed'
      FROM move_to_finished(v_ids, array_fill('skipped'::text, ARRAY[cardinality(v_ids)]), v_reasons, NULL, NULL,
                            v_messages, NULL, NULL) m
     WHERE m.has_dependents
    ON CONFLICT (parent_id) DO UPDATE SET outcome = excluded.outcome, benign = excluded.benign;
  END IF;
END
$$;

-- Internal to release_children, whose rows are locked: gates whose edges are met.
CREATE OR REPLACE FUNCTION reach_gates(p_gates bigint[]) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_passed bigint[];
  v_asking bigint[];
BEGIN
  UPDATE jobs j
     SET state = 'scheduled', state_reason = NULL,
         run_at = coalesce(j.run_at, v_now + gate_wait(j.payload ->> 'waitMs'))
   WHERE j.id = ANY (p_gates) AND j.gate = 'time'
     AND coalesce(j.run_at, v_now + gate_wait(j.payload ->> 'waitMs')) > v_now;
  SELECT array_agg(j.id) FILTER (WHERE j.gate IN ('join', 'time')),
         array_agg(j.id) FILTER (WHERE j.gate IN ('signal', 'approval'))
    INTO v_passed, v_asking
    FROM jobs j WHERE j.id = ANY (p_gates) AND ARRAY['blocked'] @> ARRAY[j.state];
  IF v_passed IS NOT NULL THEN
    PERFORM pass_gates(v_passed, 'gate-passed');
  END IF;
  IF v_asking IS NOT NULL THEN
    PERFORM gates_reached(v_asking);
  END IF;
END
$$;

-- Tells the children of parents that have just ended: the edges keep the outcome, and children that they
-- decide are released. Told in batches after this commit (release_pending): wide fans, over 500 edges, and children
-- in workflows that somebody is operating on. Returns the jobs that became ready. Internal; arrays are parallel.
CREATE OR REPLACE FUNCTION tell_dependents(p_parents bigint[], p_outcomes text[])
RETURNS TABLE (id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint, project_id int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  v_edges int;
  v_flows int[];
  v_got int[];
  v_children bigint[];
BEGIN
  SELECT count(*), array_agg(DISTINCT f.workflow_id) FILTER (WHERE f.workflow_id IS NOT NULL),
         array_agg(DISTINCT f.child_id)
    INTO v_edges, v_flows, v_children
    FROM (SELECT d.workflow_id, d.child_id FROM dependencies d
           WHERE d.parent_id = ANY (p_parents) AND d.outcome IS NULL LIMIT 501) f;
  IF v_edges = 0 THEN
    RETURN;
  END IF;
  -- The caller's own workflows it has already; of others, a try-lock: it waits for nobody, whatever else is held.
  IF v_edges <= 500 AND v_flows IS NOT NULL THEN
    SELECT array_agg(u.flow) INTO v_got FROM unnest(v_flows) AS u (flow)
     WHERE pg_try_advisory_xact_lock_shared(2, u.flow);
  END IF;
  IF v_edges > 500 OR coalesce(cardinality(v_got), 0) < coalesce(cardinality(v_flows), 0) THEN
    INSERT INTO pending_releases (parent_id, outcome, benign)
    SELECT p.id, p.outcome, CASE WHEN p.outcome = 'skipped' THEN true END
      FROM unnest(p_parents, p_outcomes) AS p (id, outcome)
     WHERE v_edges > 500 OR EXISTS (
       SELECT 1 FROM dependencies d WHERE d.parent_id = p.id AND d.workflow_id <> ALL (coalesce(v_got, '{}')))
    ON CONFLICT (parent_id) DO UPDATE SET outcome = excluded.outcome, benign = excluded.benign;
    IF v_edges > 500 THEN
      RETURN;
    END IF;
    -- Children in the other workflows stay untouched: whoever operates there may hold them, and wait for us.
    SELECT array_agg(DISTINCT d.child_id) INTO v_children
      FROM dependencies d
     WHERE d.parent_id = ANY (p_parents) AND d.outcome IS NULL
       AND (d.workflow_id IS NULL OR d.workflow_id = ANY (v_got));
  END IF;
  -- Children before their edges: who holds a blocked child may write any of its edges, see release_children.
  PERFORM 1 FROM jobs j WHERE j.id = ANY (v_children) AND ARRAY['blocked'] @> ARRAY[j.state] ORDER BY j.id FOR UPDATE;
  UPDATE dependencies d
     SET outcome = p_outcomes[array_position(p_parents, d.parent_id)],
         benign = CASE WHEN p_outcomes[array_position(p_parents, d.parent_id)] = 'skipped' THEN true END
   WHERE d.parent_id = ANY (p_parents) AND d.outcome IS NULL
     AND (d.workflow_id IS NULL OR d.workflow_id = ANY (v_got));
  RETURN QUERY SELECT c.id, c.queue_id, c.dispatch_lane, c.dispatch_key, c.project_id
                 FROM release_children(v_children) c;
END
$$;

DROP FUNCTION IF EXISTS release_pending(int);
DROP FUNCTION IF EXISTS release_pending(int, bigint[]);
-- Tells the children of ended parents that still wait to be told, about p_limit edges a call, and goes on with the
-- children of what ends by that (skipped, or a gate) for up to half a second. Returns the jobs that became ready
-- (kind child_ready) and, if it got anywhere, a last row of kind more. p_only restricts it to some parents; a caller
-- who holds rows of jobs is not patient: it waits for no child, and what it does not get stays pending.
CREATE OR REPLACE FUNCTION release_pending(p_limit int, p_only bigint[] DEFAULT NULL, p_patient boolean DEFAULT true)
RETURNS TABLE (
  kind text, id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint, project_id int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  v_parents bigint[];
  v_outcomes text[];
  v_benign boolean[];
  v_void bigint[];
  v_edges tid[];
  v_kids bigint[];
  v_flows int[];
  v_got int[] := '{}';
  v_busy bigint[];
  v_told bigint[];
  v_left int := p_limit;
  v_level int := 0;
  v_moved boolean := false;
  v_end timestamptz := clock_timestamp() + interval '500 milliseconds';
BEGIN
  PERFORM require_read_committed();
  SELECT array_agg(l.parent_id) FILTER (WHERE NOT l.live), array_agg(l.outcome) FILTER (WHERE NOT l.live),
         array_agg(l.benign) FILTER (WHERE NOT l.live), array_agg(l.parent_id) FILTER (WHERE l.live)
    INTO v_parents, v_outcomes, v_benign, v_void
    FROM (SELECT p.parent_id, p.outcome, p.benign, EXISTS (SELECT 1 FROM jobs j WHERE j.id = p.parent_id) AS live
            FROM pending_releases p
           WHERE p_only IS NULL OR p.parent_id = ANY (p_only)
           ORDER BY p.parent_id LIMIT least(p_limit, 1000) FOR UPDATE OF p SKIP LOCKED) l;
  -- A parent that was moved back from its end while somebody noted that end will tell another one. Only this, then:
  -- who ends it again writes the same row, holding its children, and must not find us waiting for one of them.
  IF v_void IS NOT NULL THEN
    DELETE FROM pending_releases p WHERE p.parent_id = ANY (v_void);
    v_parents := NULL;
    v_moved := true;
  END IF;

  WHILE v_parents IS NOT NULL AND v_left > 0 AND (v_level = 0 OR clock_timestamp() < v_end) LOOP
    SELECT array_agg(u.ctid), array_agg(u.child_id), array_agg(u.workflow_id)
      INTO v_edges, v_kids, v_flows
      FROM (SELECT d.ctid, d.child_id, d.workflow_id FROM dependencies d
             WHERE d.parent_id = ANY (v_parents) AND d.outcome IS NULL
             ORDER BY d.parent_id, d.child_id LIMIT v_left) u;
    -- Shared, so that nobody pauses or mends the children's workflow meanwhile; by try-lock, so that we wait for
    -- nobody who does. Their edges are told at another time.
    v_got := v_got || ARRAY(
      SELECT f.flow FROM (SELECT DISTINCT u.flow FROM unnest(v_flows) AS u (flow)
                           WHERE u.flow IS NOT NULL AND u.flow <> ALL (v_got) ORDER BY u.flow) f
       WHERE pg_try_advisory_xact_lock_shared(2, f.flow));
    -- Nor are the children locked there: their operator may hold them, and wait for us.
    SELECT array_agg(u.kid) INTO v_kids
      FROM unnest(v_kids, v_flows) AS u (kid, flow) WHERE u.flow IS NULL OR u.flow = ANY (v_got);
    -- Children before their edges, as in tell_dependents. The first level waits for its children's locks, holding
    -- none; a deeper one holds some and waits for nobody: what it does not get stays untold, and pending.
    v_busy := '{}';
    IF v_level = 0 AND p_patient THEN
      PERFORM 1 FROM jobs j WHERE j.id = ANY (v_kids) AND ARRAY['blocked'] @> ARRAY[j.state] ORDER BY j.id FOR UPDATE;
    ELSE
      SELECT coalesce(array_agg(j.id), '{}') INTO v_busy
        FROM jobs j
       WHERE j.id = ANY (v_kids) AND ARRAY['blocked'] @> ARRAY[j.state]
         AND j.id <> ALL (ARRAY(
           SELECT k.id FROM jobs k WHERE k.id = ANY (v_kids) AND ARRAY['blocked'] @> ARRAY[k.state]
            ORDER BY k.id FOR UPDATE SKIP LOCKED));
    END IF;
    WITH told AS (
      UPDATE dependencies d
         SET outcome = v_outcomes[array_position(v_parents, d.parent_id)],
             benign = v_benign[array_position(v_parents, d.parent_id)]
       WHERE d.ctid = ANY (v_edges) AND d.outcome IS NULL AND d.child_id <> ALL (v_busy)
         AND (d.workflow_id IS NULL OR d.workflow_id = ANY (v_got))
      RETURNING d.child_id
    )
    SELECT array_agg(DISTINCT told.child_id), v_left - count(*) INTO v_told, v_left FROM told;
    IF v_told IS NOT NULL THEN
      RETURN QUERY SELECT 'child_ready'::text, c.id, c.queue_id, c.dispatch_lane, c.dispatch_key, c.project_id
                     FROM release_children(v_told) c;
      v_moved := true;
    END IF;
    DELETE FROM pending_releases p
     WHERE p.parent_id = ANY (v_parents)
       AND NOT EXISTS (SELECT 1 FROM dependencies d WHERE d.parent_id = p.parent_id AND d.outcome IS NULL OFFSET 0);
    v_moved := v_moved OR FOUND;
    -- The next level: what of these ended here, and so waits to be told to its own children.
    SELECT array_agg(p.parent_id), array_agg(p.outcome), array_agg(p.benign)
      INTO v_parents, v_outcomes, v_benign
      FROM pending_releases p WHERE p.parent_id = ANY (v_told);
    v_level := v_level + 1;
  END LOOP;
  IF v_moved THEN
    RETURN QUERY SELECT 'more'::text, NULL::bigint, NULL::int, NULL::smallint, NULL::bigint, NULL::int;
  END IF;
END
$$;

-- Decides blocked jobs of one project now, by their edges: for whoever stores jobs whose parents may have ended, or
-- a gate without parents. Returns those that became ready.
CREATE OR REPLACE FUNCTION release_waiting(p_project int, p_ids bigint[])
RETURNS TABLE (id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint, project_id int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_ids bigint[];
  v_flows int[];
BEGIN
  PERFORM require_read_committed();
  SELECT array_agg(j.id), array_agg(DISTINCT j.workflow_id) FILTER (WHERE j.workflow_id IS NOT NULL)
    INTO v_ids, v_flows
    FROM jobs j WHERE j.id = ANY (p_ids) AND j.project_id = p_project AND ARRAY['blocked'] @> ARRAY[j.state];
  IF v_ids IS NOT NULL THEN
    PERFORM pg_advisory_xact_lock_shared(2, f.flow) FROM (SELECT unnest(v_flows) AS flow ORDER BY 1) f;
    RETURN QUERY SELECT c.id, c.queue_id, c.dispatch_lane, c.dispatch_key, c.project_id FROM release_children(v_ids) c;
  END IF;
END
$$;
