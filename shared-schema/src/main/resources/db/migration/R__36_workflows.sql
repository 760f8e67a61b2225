-- What happens to a workflow as a whole: its end, its deadline, and the jobs that somebody wants made then.

-- A callback's payload with its fields filled in, see workflow_callbacks.job. As render_payload does.
CREATE OR REPLACE FUNCTION render_callback(
  p_template text, p_workflow int, p_name text, p_state text, p_event text) RETURNS json
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  v_text text := p_template;
  v_field text[];
BEGIN
  IF v_text LIKE '%{{workflow%' THEN
    FOREACH v_field SLICE 1 IN ARRAY ARRAY[
        ['workflowId', to_json(p_workflow::text)::text], ['workflow', to_json(p_name)::text],
        ['workflowState', to_json(p_state)::text], ['workflowEvent', to_json(p_event)::text]] LOOP
      v_text := regexp_replace(v_text, '(?<!\\)"\{\{' || v_field[1] || '\}\}"(?!\s*:)',
                               replace(v_field[2], '\', '\\'), 'g');
    END LOOP;
  END IF;
  RETURN v_text::json;
END
$$;

-- Makes the jobs that are to be made of p_event for these workflows, once each, and returns them: they are ready.
-- A queue that was deleted meanwhile is replaced by the project's default; a template that makes no job, and a project
-- that was deleted, leave job_id null. Internal.
CREATE OR REPLACE FUNCTION fire_callbacks(p_workflows int[], p_event text)
RETURNS TABLE (id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint, project_id int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_flows int[];
  v_ids bigint[];
  v_id bigint;
  v_projects int[];
  v_made boolean;
  v_now timestamptz := clock_timestamp();
BEGIN
  -- fired_at is the guard: whoever comes second finds it set, and makes nothing.
  WITH fired AS (
    UPDATE workflow_callbacks c SET fired_at = v_now, job_id = nextval('job_id_seq')
     WHERE c.workflow_id = ANY (p_workflows) AND c.on_event = p_event AND c.fired_at IS NULL
    RETURNING c.workflow_id, c.job_id
  )
  SELECT array_agg(f.workflow_id), array_agg(f.job_id) INTO v_flows, v_ids FROM fired f;
  IF v_flows IS NULL THEN
    RETURN;
  END IF;
  -- A deletion holds the project's row and then looks for live jobs: it sees these, or is waited for and none is made.
  SELECT array_agg(l.id) INTO v_projects
    FROM (SELECT p.id FROM projects p
           WHERE p.id = ANY (ARRAY(SELECT w.project_id FROM workflows w WHERE w.id = ANY (v_flows)))
             AND p.deleted_at IS NULL
           ORDER BY p.id FOR KEY SHARE) l;
  FOREACH v_id IN ARRAY v_ids LOOP
    BEGIN
      RETURN QUERY
      INSERT INTO jobs AS j (id, project_id, queue_id, type, state, priority, dispatch_lane, dispatch_key, ready_at,
          max_attempts, retry_policy, timeout_ms, cost, concurrency_key, tags, metadata, payload)
      SELECT c.job_id, s.project_id, q.id, c.job ->> 'type', 'ready', p.priority, ready_lane(p.priority, q.ageing_ms),
             ready_key(micros(v_now), p.priority, q.ageing_ms), v_now,
             coalesce((c.job ->> 'maxAttempts')::int, 20), c.job -> 'retryPolicy', (c.job ->> 'timeoutMs')::bigint,
             coalesce((c.job ->> 'cost')::smallint, 1), c.job ->> 'concurrencyKey',
             names_of(c.job -> 'tags'), c.job -> 'metadata',
             render_callback((c.job -> 'payload')::text, s.id, s.name, s.state, c.on_event)
        FROM workflow_callbacks c
        JOIN workflow_status s ON s.id = c.workflow_id
       CROSS JOIN LATERAL (SELECT coalesce((c.job ->> 'priority')::smallint, 4::smallint) AS priority) p
       CROSS JOIN LATERAL (
         SELECT o.id, o.ageing_ms FROM queues o
          WHERE o.project_id = s.project_id AND (o.id = (c.job ->> 'queueId')::int OR o.name = 'default')
          ORDER BY o.deleted_at IS NOT NULL, o.id <> (c.job ->> 'queueId')::int LIMIT 1) q
       WHERE c.workflow_id = v_flows[array_position(v_ids, v_id)] AND c.on_event = p_event AND c.job_id = v_id
         AND s.project_id = ANY (v_projects)
      RETURNING j.id, j.queue_id, j.dispatch_lane, j.dispatch_key, j.project_id;
      v_made := FOUND;
    EXCEPTION WHEN data_exception OR integrity_constraint_violation THEN
      -- A template that makes no job must not keep its workflow, and others, from ending: fired, and no job.
      v_made := false;
    END;
    IF NOT v_made THEN
      UPDATE workflow_callbacks c SET job_id = NULL
       WHERE c.workflow_id = v_flows[array_position(v_ids, v_id)] AND c.on_event = p_event;
    END IF;
  END LOOP;
END
$$;

DROP FUNCTION IF EXISTS finish_workflows(int);
DROP FUNCTION IF EXISTS finish_workflows(int, bigint[]);
-- Notes the end of workflows that have no live job left, and until when their members' rows are kept, and makes the
-- jobs that are to follow. Returns those that it closed (kind finished, with their final_state) and those jobs (kind
-- job_ready, with their place). p_only restricts it to some workflows.
CREATE FUNCTION finish_workflows(p_limit int, p_only bigint[] DEFAULT NULL)
RETURNS TABLE (
  kind text, id bigint, project_id int, final_state text, queue_id int, dispatch_lane smallint, dispatch_key bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_ids int[];
  v_projects int[];
  v_states text[];
BEGIN
  -- Locked first: who brings a member back holds these rows, and is looked for in the next statement.
  SELECT array_agg(l.id) INTO v_ids
    FROM (SELECT u.id FROM workflows u
           WHERE u.finished_at IS NULL
             AND (p_only IS NULL OR u.id = ANY (p_only))
             AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.workflow_id = u.id)
           ORDER BY u.id LIMIT p_limit
             FOR UPDATE OF u SKIP LOCKED) l;
  IF v_ids IS NULL THEN
    RETURN;
  END IF;
  WITH ended AS (
    UPDATE workflows w
       SET finished_at = coalesce((SELECT max(f.finished_at) FROM finished_jobs f WHERE f.workflow_id = w.id),
                                  clock_timestamp()),
           retain_until = coalesce((SELECT max(f.retain_until) FROM finished_jobs f WHERE f.workflow_id = w.id),
                                   retention_today()),
           final_state = s.state
      FROM workflow_status s
     WHERE s.id = w.id AND w.id = ANY (v_ids) AND w.finished_at IS NULL
       AND s.state IN ('succeeded', 'failed', 'cancelled')
    RETURNING w.id, w.project_id, w.final_state
  )
  SELECT array_agg(e.id), array_agg(e.project_id), array_agg(e.final_state) INTO v_ids, v_projects, v_states FROM ended e;
  IF v_ids IS NULL THEN
    RETURN;
  END IF;
  RETURN QUERY
  SELECT 'finished'::text, e.id::bigint, e.project_id, e.state, NULL::int, NULL::smallint, NULL::bigint
    FROM unnest(v_ids, v_projects, v_states) AS e (id, project_id, state);
  IF EXISTS (SELECT 1 FROM workflow_callbacks c WHERE c.workflow_id = ANY (v_ids) AND c.fired_at IS NULL) THEN
    RETURN QUERY
    SELECT 'job_ready'::text, r.id, r.project_id, NULL::text, r.queue_id, r.dispatch_lane, r.dispatch_key
      FROM fire_callbacks(ARRAY(SELECT e.id FROM unnest(v_ids, v_states) AS e (id, state) WHERE e.state = 'succeeded'),
                          'success') r;
    -- Where its note got lost.
    RETURN QUERY
    SELECT 'job_ready'::text, r.id, r.project_id, NULL::text, r.queue_id, r.dispatch_lane, r.dispatch_key
      FROM fire_callbacks(ARRAY(SELECT e.id FROM unnest(v_ids, v_states) AS e (id, state) WHERE e.state = 'failed'),
                          'first_failure') r;
    RETURN QUERY
    SELECT 'job_ready'::text, r.id, r.project_id, NULL::text, r.queue_id, r.dispatch_lane, r.dispatch_key
      FROM fire_callbacks(v_ids, 'completion') r;
  END IF;
END
$$;

-- Workflows, whose rows the caller holds, go on: members of them are live again. A deadline that has passed is void, or
-- it would cancel them at once. One whose end was noted will end again, and tells so again. Internal.
CREATE OR REPLACE FUNCTION reopen_workflows(p_workflows int[]) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
BEGIN
  -- Notes of failures that have been told: the next run's first one is still to come.
  DELETE FROM failure_notes n
   WHERE n.workflow_id IN (
           SELECT c.workflow_id FROM workflow_callbacks c JOIN workflows w ON w.id = c.workflow_id
            WHERE c.workflow_id = ANY (p_workflows) AND c.on_event = 'first_failure' AND c.fired_at IS NOT NULL
              AND w.finished_at IS NOT NULL);
  UPDATE workflow_callbacks c SET fired_at = NULL, job_id = NULL
   WHERE c.workflow_id = ANY (ARRAY(
           SELECT w.id FROM workflows w WHERE w.id = ANY (p_workflows) AND w.finished_at IS NOT NULL))
     AND c.fired_at IS NOT NULL;
  UPDATE workflows w
     SET finished_at = NULL, final_state = NULL, retain_until = NULL, cancelled_at = NULL,
         deadline_at = CASE WHEN w.deadline_at > clock_timestamp() THEN w.deadline_at END, deadline_passed_at = NULL
   WHERE w.id = ANY (p_workflows)
     AND (w.finished_at IS NOT NULL OR w.cancelled_at IS NOT NULL OR w.deadline_at <= clock_timestamp());
END
$$;

-- Makes the jobs that are to follow a first failure, from the notes of members that ended badly, about p_limit of
-- them. Returns those jobs: they are ready.
CREATE OR REPLACE FUNCTION note_first_failures(p_limit int)
RETURNS TABLE (id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint, project_id int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_flows int[];
BEGIN
  WITH gone AS (
    DELETE FROM failure_notes n WHERE n.ctid = ANY (ARRAY(
      SELECT o.ctid FROM failure_notes o LIMIT p_limit FOR UPDATE SKIP LOCKED))
    RETURNING n.workflow_id
  )
  SELECT array_agg(DISTINCT g.workflow_id) INTO v_flows FROM gone g;
  IF v_flows IS NOT NULL THEN
    RETURN QUERY SELECT * FROM fire_callbacks(v_flows, 'first_failure');
  END IF;
END
$$;

-- Cancels what is left of workflows whose deadline has passed, up to p_limit jobs a call: what waits ends with the
-- reason workflow-deadline, of what runs it is requested. Called again until nothing is left, then the deadline is
-- noted as passed, and the workflow ends as failed. Returns a row per workflow that it worked on.
CREATE OR REPLACE FUNCTION cancel_overdue(p_limit int)
RETURNS TABLE (id int, project_id int, cancelled int, requested int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_flow int;
  v_project int;
  v_left int := p_limit;
  v_ids bigint[];
  v_count int;
  v_requested int;
BEGIN
  PERFORM require_read_committed();
  FOR v_flow, v_project IN
    SELECT w.id, w.project_id FROM workflows w
     WHERE w.deadline_at <= statement_timestamp() AND w.deadline_passed_at IS NULL AND w.finished_at IS NULL
     ORDER BY w.deadline_at, w.id LIMIT 100
  LOOP
    EXIT WHEN v_left <= 0;
    -- Exclusive: no settle of it is in flight, so what is read below stays. Whoever operates on it comes first.
    CONTINUE WHEN NOT pg_try_advisory_xact_lock(2, v_flow);
    -- Looked at again: it may have gone on since the list was read, which voids its deadline.
    CONTINUE WHEN NOT EXISTS (
      SELECT 1 FROM workflows w
       WHERE w.id = v_flow AND w.deadline_at <= clock_timestamp() AND w.deadline_passed_at IS NULL
         AND w.finished_at IS NULL);
    CONTINUE WHEN NOT EXISTS (SELECT 1 FROM jobs j WHERE j.workflow_id = v_flow);
    -- As cancel_jobs does: waiting ones skipping what a claim has locked, which is found again at the next call.
    SELECT array_agg(l.id) INTO v_ids
      FROM (SELECT j.id FROM jobs j
             WHERE j.workflow_id = v_flow AND j.lease_token IS NULL
             ORDER BY j.id LIMIT v_left FOR UPDATE SKIP LOCKED) l;
    v_count := coalesce(cardinality(v_ids), 0);
    IF v_ids IS NOT NULL THEN
      INSERT INTO pending_releases (parent_id, outcome)
      SELECT m.id, m.state
        FROM move_to_finished(
               v_ids, array_fill('cancelled'::text, ARRAY[v_count]), array_fill('workflow-deadline'::text, ARRAY[v_count]),
               NULL, NULL, array_fill('the deadline of its workflow has passed'::text, ARRAY[v_count]), NULL, NULL) m
       WHERE m.has_dependents
      ON CONFLICT (parent_id) DO UPDATE SET outcome = excluded.outcome, benign = excluded.benign;
    END IF;
    v_left := v_left - v_count;
    INSERT INTO cancel_requests (job_id, worker_id, reason)
    SELECT l.id, l.worker_id, 'workflow-deadline'
      FROM (SELECT j.id, j.worker_id FROM jobs j
             WHERE j.workflow_id = v_flow AND j.state = 'running'
             ORDER BY j.id FOR KEY SHARE SKIP LOCKED) l
    ON CONFLICT (job_id) DO NOTHING;
    GET DIAGNOSTICS v_requested = ROW_COUNT;
    UPDATE workflows w SET deadline_passed_at = clock_timestamp()
     WHERE w.id = v_flow
       AND NOT EXISTS (
         SELECT 1 FROM jobs j
          WHERE j.workflow_id = v_flow
            AND (j.state <> 'running' OR NOT EXISTS (SELECT 1 FROM cancel_requests r WHERE r.job_id = j.id)));
    RETURN QUERY SELECT v_flow, v_project, v_count, v_requested;
  END LOOP;
END
$$;
