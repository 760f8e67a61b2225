-- What people do to a workflow after its submission: run members again, end one by hand, edit, pause, cancel.
--
-- Each is one transaction: hold_workflow first (the workflow's exclusive lock, so no settle, redrive or growth of it
-- is in flight), rows after, in id order. All may raise 40P01 or 55P03: nothing has happened, call again.

-- Takes a workflow for an operation on many of its jobs. Returns absent (the project has no such workflow), finished
-- (its last member has ended) or live. Until the transaction ends no member's attempt ends, no member is brought
-- back by others, nobody tells its edges and its end is not noted.
CREATE OR REPLACE FUNCTION hold_workflow(p_project int, p_workflow int) RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET lock_timeout = '2s'
AS $$
DECLARE
  v_held bigint[] := '{}';
  v_more bigint[];
BEGIN
  PERFORM require_read_committed();
  -- Authorised before anything is locked: a stranger must not hold up a project's settles.
  IF NOT EXISTS (SELECT 1 FROM workflows w WHERE w.id = p_workflow AND w.project_id = p_project) THEN
    RETURN 'absent';
  END IF;
  PERFORM pg_advisory_xact_lock(2, p_workflow);
  PERFORM 1 FROM workflows w WHERE w.id = p_workflow FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN 'absent';
  END IF;
  -- A release of pending parents works without the workflow's lock and takes edges before children. Waited for here,
  -- while we hold no job; until none is left, for it may note others. Later ones find these locked and pass them by.
  LOOP
    SELECT array_agg(l.parent_id) INTO v_more
      FROM (SELECT p.parent_id FROM pending_releases p
             WHERE p.parent_id <> ALL (v_held)
               AND (EXISTS (SELECT 1 FROM workflow_members m WHERE m.workflow_id = p_workflow AND m.job_id = p.parent_id)
                    OR EXISTS (SELECT 1 FROM dependencies d WHERE d.parent_id = p.parent_id AND d.workflow_id = p_workflow))
             ORDER BY p.parent_id FOR UPDATE OF p) l;
    EXIT WHEN v_more IS NULL;
    v_held := v_held || v_more;
  END LOOP;
  RETURN CASE WHEN EXISTS (SELECT 1 FROM jobs j WHERE j.workflow_id = p_workflow) THEN 'live' ELSE 'finished' END;
END
$$;

-- Whether nothing of that workflow may become ready.
CREATE OR REPLACE FUNCTION workflow_paused(p_workflow int) RETURNS boolean
LANGUAGE sql STABLE
AS $$
  SELECT EXISTS (SELECT 1 FROM jobs.workflows w WHERE w.id = p_workflow AND w.paused_at IS NOT NULL)
$$;

-- Whether a parent that ended so lets its children go on as if it had not been there.
CREATE OR REPLACE FUNCTION is_bypassed(p_state text, p_reason text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT p_state = 'skipped' AND coalesce(p_reason = 'skipped-by-hand', false)
$$;

-- Members that have ended run again, in the transaction that holds the workflow; others are left. p_ids must be
-- closed: whatever was skipped because of one of them and shall come back is named too. Returns what became ready.
CREATE OR REPLACE FUNCTION rerun_members(p_project int, p_workflow int, p_ids bigint[])
RETURNS TABLE (id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint, project_id int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET lock_timeout = '2s'
AS $$
#variable_conflict use_column
DECLARE
  v_ids bigint[];
  v_moved bigint[];
  v_undecided bigint[];
BEGIN
  IF hold_workflow(p_project, p_workflow) = 'absent' THEN
    RETURN;
  END IF;
  SELECT array_agg(m.job_id) INTO v_ids
    FROM workflow_members m JOIN unnest(p_ids) AS u (id) ON u.id = m.job_id
   WHERE m.workflow_id = p_workflow;
  PERFORM share_child_workflows(v_ids);
  SELECT b.moved, b.undecided INTO v_moved, v_undecided
    FROM bring_back(v_ids, ARRAY['succeeded', 'dead', 'cancelled', 'skipped']) b;
  IF v_moved IS NULL THEN
    RETURN;
  END IF;
  PERFORM reopen_workflows(ARRAY[p_workflow]);
  PERFORM release_children(v_undecided);
  RETURN QUERY
  SELECT j.id, j.queue_id, j.dispatch_lane, j.dispatch_key, j.project_id
    FROM jobs j WHERE j.id = ANY (v_moved || v_undecided) AND j.state = 'ready';
END
$$;

-- Ends a member that waits, without an attempt, in the transaction that holds the workflow: skipped
-- (skipped-by-hand) or succeeded (marked-succeeded), with a result. Verdicts: ended, and a row child_ready for each
-- child that became ready; running; absent (it is no live member).
-- Children of a succeeded one are decided as ever. One that is skipped by hand counts as if it had not been there:
-- edges on success and on done are met, one on failure is not.
CREATE OR REPLACE FUNCTION end_member(
  p_project int, p_workflow int, p_job bigint, p_state text, p_result text, p_message text)
RETURNS TABLE (verdict text, id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET lock_timeout = '2s'
AS $$
#variable_conflict use_column
DECLARE
  v_reason text := CASE p_state WHEN 'skipped' THEN 'skipped-by-hand' ELSE 'marked-succeeded' END;
  v_flows int[];
  v_children bigint[];
BEGIN
  IF p_state NOT IN ('skipped', 'succeeded') THEN
    RAISE EXCEPTION 'a member is not ended by hand as %', p_state USING ERRCODE = '22023';
  END IF;
  IF hold_workflow(p_project, p_workflow) = 'absent' THEN
    RETURN QUERY SELECT 'absent'::text, p_job, 0, 0::smallint, 0::bigint;
    RETURN;
  END IF;
  -- Nobody pauses a workflow whose job becomes ready here.
  v_flows := p_workflow || share_child_workflows(ARRAY(
    SELECT m.job_id FROM workflow_members m WHERE m.workflow_id = p_workflow AND m.job_id = p_job));
  -- A claim that has it first is waited for, and then it runs.
  PERFORM 1 FROM jobs j
    WHERE j.id = p_job AND j.workflow_id = p_workflow AND j.lease_token IS NULL FOR UPDATE;
  IF NOT FOUND THEN
    RETURN QUERY
    SELECT CASE WHEN EXISTS (SELECT 1 FROM jobs j WHERE j.id = p_job AND j.workflow_id = p_workflow)
                THEN 'running' ELSE 'absent' END, p_job, 0, 0::smallint, 0::bigint;
    RETURN;
  END IF;
  PERFORM move_to_finished(ARRAY[p_job], ARRAY[p_state], ARRAY[v_reason], ARRAY[p_result], NULL, ARRAY[p_message],
                           NULL, NULL);
  DELETE FROM pending_releases p WHERE p.parent_id = p_job;
  -- No edge is added any more: who adds one holds the parent, as we do.
  SELECT array_agg(DISTINCT d.child_id) INTO v_children
    FROM dependencies d WHERE d.parent_id = p_job AND d.outcome IS NULL;
  IF EXISTS (SELECT 1 FROM dependencies d
              WHERE d.parent_id = p_job AND d.outcome IS NULL AND d.workflow_id <> ALL (v_flows)) THEN
    RAISE EXCEPTION 'another workflow has got a child of job %', p_job USING ERRCODE = '55P03';
  END IF;
  -- Children before their edges, see release_children.
  PERFORM 1 FROM jobs j WHERE j.id = ANY (v_children) AND ARRAY['blocked'] @> ARRAY[j.state] ORDER BY j.id FOR UPDATE;
  UPDATE dependencies d
     SET outcome = p_state, benign = CASE WHEN p_state = 'skipped' THEN true END,
         waived = d.waived OR (p_state = 'skipped' AND d.on_outcome <> 'failure')
   WHERE d.parent_id = p_job AND d.outcome IS NULL;
  RETURN QUERY SELECT 'ended'::text, p_job, 0, 0::smallint, 0::bigint;
  IF v_children IS NOT NULL THEN
    RETURN QUERY SELECT 'child_ready'::text, c.id, c.queue_id, c.dispatch_lane, c.dispatch_key
                   FROM release_children(v_children) c;
  END IF;
END
$$;

-- The tag of what may be edited of a member: it changes with each edit and each run.
CREATE OR REPLACE FUNCTION member_tag(p_job bigint, p_generation smallint, p_attempt int, p_payload json) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT p_job || '-' || p_generation || '-' || p_attempt || '-' || left(md5(coalesce(p_payload::text, '')), 12)
$$;

-- Gives a member that waits another payload. p_tag: only if its tag is that; null: whatever it was. Verdicts:
-- edited · stale (the tag is another) · running · ended · gate (its payload is what it waits for) · absent.
CREATE OR REPLACE FUNCTION edit_member(p_project int, p_workflow int, p_job bigint, p_payload text, p_tag text)
RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET lock_timeout = '2s'
AS $$
DECLARE
  v_job jobs;
BEGIN
  PERFORM require_read_committed();
  -- The row's lock is enough: a claim that has it first is waited for, and then it runs.
  SELECT j.* INTO v_job FROM jobs j
   WHERE j.id = p_job AND j.workflow_id = p_workflow AND j.project_id = p_project AND j.lease_token IS NULL
     FOR UPDATE;
  IF NOT FOUND THEN
    RETURN coalesce(
      (SELECT CASE WHEN a.finished_at IS NULL THEN 'running' ELSE 'ended' END
         FROM all_jobs a WHERE a.id = p_job AND a.workflow_id = p_workflow AND a.project_id = p_project), 'absent');
  ELSIF v_job.gate IS NOT NULL THEN
    RETURN 'gate';
  ELSIF p_tag <> member_tag(v_job.id, v_job.generation, v_job.attempt, v_job.payload) THEN
    RETURN 'stale';
  END IF;
  -- As edit_job does: of a payload its hash.
  IF coalesce(current_setting('jobs.audit', true), '') <> '' AND v_job.payload::text IS DISTINCT FROM p_payload THEN
    PERFORM audit_write(p_project, 'workflow-job', p_workflow || '/' || v_job.workflow_key,
      jsonb_build_object('payload', jsonb_build_object(
        'before', 'sha256:' || encode(sha256(convert_to(v_job.payload::text, 'UTF8')), 'hex'),
        'after', 'sha256:' || encode(sha256(convert_to(p_payload, 'UTF8')), 'hex'))), 'editWorkflowJob');
  END IF;
  UPDATE jobs j SET payload = p_payload::json WHERE j.id = p_job;
  RETURN 'edited';
END
$$;

-- Pauses a workflow: once this has committed, none of its jobs starts; running ones go on. A pause of a paused one
-- replaces reason and author. Returns paused, finished or absent.
CREATE OR REPLACE FUNCTION pause_workflow(p_project int, p_workflow int, p_by text, p_reason text) RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET lock_timeout = '2s'
AS $$
DECLARE
  v_held text := hold_workflow(p_project, p_workflow);
  v_waiting bigint[];
BEGIN
  IF v_held <> 'live' THEN
    RETURN v_held;
  END IF;
  UPDATE workflows w
     SET paused_at = coalesce(w.paused_at, clock_timestamp()), paused_by = left(p_by, 254),
         pause_reason = left(p_reason, 1000)
   WHERE w.id = p_workflow;
  -- What waits for its time too, so that a promotion which does not see the pause yet finds no row to promote.
  -- A time gate runs on: its children stay.
  SELECT array_agg(l.id) INTO v_waiting
    FROM (SELECT j.id FROM jobs j
           WHERE j.workflow_id = p_workflow AND ARRAY['ready', 'scheduled', 'retrying'] @> ARRAY[j.state]
             AND j.gate IS NULL
           ORDER BY j.id FOR UPDATE) l;
  UPDATE jobs j SET state = 'blocked', state_reason = 'workflow-paused', ready_at = NULL
   WHERE j.id = ANY (v_waiting);
  RETURN 'paused';
END
$$;

-- Ends a pause. Returns what became ready; in the first row's held what hold_workflow said.
CREATE OR REPLACE FUNCTION resume_workflow(p_project int, p_workflow int)
RETURNS TABLE (held text, id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET lock_timeout = '2s'
AS $$
#variable_conflict use_column
DECLARE
  v_held text := hold_workflow(p_project, p_workflow);
BEGIN
  RETURN QUERY SELECT v_held, NULL::bigint, 0, 0::smallint, 0::bigint;
  UPDATE workflows w SET paused_at = NULL, paused_by = NULL, pause_reason = NULL
   WHERE w.id = p_workflow AND v_held <> 'absent' AND w.paused_at IS NOT NULL;
  IF FOUND THEN
    RETURN QUERY
    SELECT v_held, c.id, c.queue_id, c.dispatch_lane, c.dispatch_key
      FROM release_children(ARRAY(
             SELECT j.id FROM jobs j
              WHERE j.workflow_id = p_workflow AND j.state = 'blocked' AND j.state_reason = 'workflow-paused')) c;
  END IF;
END
$$;

-- Cancels all that lives of a workflow: what waits has ended when this commits, what runs is asked to end (as
-- cancel_jobs), and no member starts any more, nor is one added. Returns the number of each, and the workers that
-- run them; both are 0 when it had ended before. absent: null.
CREATE OR REPLACE FUNCTION cancel_workflow(
  p_project int, p_workflow int, p_by text, p_reason text,
  OUT cancelled int, OUT requested int, OUT workers bigint[])
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET lock_timeout = '2s'
AS $$
#variable_conflict use_column
DECLARE
  v_waiting bigint[];
  v_running bigint[];
  v_parents bigint[];
  v_live int;
  v_deadline timestamptz := clock_timestamp() + interval '2 seconds';
  v_text text := left(p_reason, 1000);
BEGIN
  IF hold_workflow(p_project, p_workflow) = 'absent' THEN
    RETURN;
  END IF;
  LOOP
    -- As in cancel_jobs: SKIP LOCKED and looked at again, for a claim in flight may make one run in a moment, and
    -- what runs may be share-locked for long by an assert_lease; FOR KEY SHARE goes with that.
    SELECT array_agg(l.id) INTO v_waiting
      FROM (SELECT j.id FROM jobs j
             WHERE j.workflow_id = p_workflow AND j.lease_token IS NULL
             ORDER BY j.id FOR UPDATE SKIP LOCKED) l;
    SELECT array_agg(l.id), array_agg(l.worker_id) INTO v_running, workers
      FROM (SELECT j.id, j.worker_id FROM jobs j
             WHERE j.workflow_id = p_workflow AND j.lease_token IS NOT NULL
             ORDER BY j.id FOR KEY SHARE SKIP LOCKED) l;
    -- Nothing joins it meanwhile, and what is held stays.
    SELECT count(*) INTO v_live FROM jobs j WHERE j.workflow_id = p_workflow;
    cancelled := coalesce(cardinality(v_waiting), 0);
    requested := coalesce(cardinality(v_running), 0);
    EXIT WHEN cancelled + requested = v_live;
    IF clock_timestamp() > v_deadline THEN
      RAISE EXCEPTION 'jobs of workflow % are locked by another', p_workflow USING ERRCODE = '55P03';
    END IF;
    PERFORM pg_sleep(0.002);
  END LOOP;
  IF v_live = 0 THEN
    RETURN;
  END IF;
  UPDATE workflows w SET cancelled_at = coalesce(w.cancelled_at, clock_timestamp()) WHERE w.id = p_workflow;
  INSERT INTO cancel_requests (job_id, worker_id, requested_by, reason)
  SELECT r.id, r.worker, left(p_by, 254), v_text FROM unnest(v_running, workers) AS r (id, worker)
  ON CONFLICT (job_id) DO NOTHING;
  IF v_waiting IS NOT NULL THEN
    SELECT array_agg(m.id) INTO v_parents
      FROM move_to_finished(
             v_waiting, array_fill('cancelled'::text, ARRAY[cancelled]),
             array_fill('cancel-requested'::text, ARRAY[cancelled]), NULL,
             array_fill('cancelled'::text, ARRAY[cancelled]),
             array_fill(concat_ws(': ', 'cancelled by ' || left(p_by, 254), v_text), ARRAY[cancelled]),
             NULL, NULL) m
     WHERE m.has_dependents;
    -- No child of the workflow waits any more, so only others' are told. Its own edges need no outcome: a child that
    -- comes back finds its parent's end by itself.
    INSERT INTO pending_releases (parent_id, outcome)
    SELECT DISTINCT d.parent_id, 'cancelled'
      FROM dependencies d
     WHERE d.parent_id = ANY (v_parents) AND d.outcome IS NULL AND d.workflow_id IS DISTINCT FROM p_workflow
    ON CONFLICT (parent_id) DO UPDATE SET outcome = excluded.outcome, benign = NULL;
  END IF;
END
$$;
