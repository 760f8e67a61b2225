-- Bulk actions: which jobs one is for, and each step by which the leader carries it out. What is done to a job is done
-- by the functions that do it to a single one (redrive_jobs, run_jobs_now, cancel_jobs, delete_job): their rules hold.
--
-- Lock order: the action's row, then as each of those: workflows, jobs in id order. Workflows and jobs are only tried:
-- an action waits for nobody while it holds some, and what it did not get is looked at again in a later pass.

-- What may follow a state: the whole allow-list, compared with docs/architecture.md by a test.
CREATE OR REPLACE FUNCTION bulk_may_become(p_from text, p_to text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT p_to = ANY (CASE p_from
    WHEN 'pending' THEN ARRAY['running', 'stopped', 'aborted']
    WHEN 'running' THEN ARRAY['canary', 'completed', 'stopped', 'aborted']
    WHEN 'canary' THEN ARRAY['running', 'stopped', 'aborted']
    WHEN 'undoing' THEN ARRAY['undone']
    WHEN 'undone' THEN ARRAY[]::text[]
    ELSE ARRAY['undoing'] END)
$$;

-- The one place that changes the state of an action, whose row the caller holds.
CREATE OR REPLACE FUNCTION move_bulk_action(p_id bigint, p_to text, p_reason text) RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = jobs, pg_temp
AS $$
BEGIN
  UPDATE bulk_actions b
     SET state = p_to, state_reason = p_reason,
         ended_at = CASE WHEN p_to IN ('completed', 'stopped', 'aborted', 'undone') THEN clock_timestamp() END
   WHERE b.id = p_id AND bulk_may_become(b.state, p_to);
  IF NOT FOUND THEN
    RAISE EXCEPTION 'bulk action % cannot become %', p_id, p_to USING ERRCODE = '23514';
  END IF;
END
$$;

-- ---------------------------------------------------------------- which jobs

-- Whether a job fits an action's filter, as it is now: the one meaning of it, for the count, the walk and the moment
-- of doing. Equal to what the list of jobs shows for the same filter, in the states that the action can do something
-- with. To be inlined: no SET, not strict.
CREATE OR REPLACE FUNCTION bulk_fits(
  a bulk_actions, p_state text, p_queue int, p_type text, p_workflow int, p_schedule int, p_worker bigint,
  p_tags text[], p_created timestamptz, p_error text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT p_state = ANY ((a).states)
     AND ((a).queue_ids IS NULL OR p_queue = ANY ((a).queue_ids))
     AND ((a).type IS NULL OR p_type = (a).type)
     AND ((a).workflow_id IS NULL OR p_workflow = (a).workflow_id)
     AND ((a).schedule_id IS NULL OR p_schedule = (a).schedule_id)
     AND ((a).worker_id IS NULL OR p_worker = (a).worker_id)
     AND ((a).tag IS NULL OR p_tags @> ARRAY[(a).tag])
     AND ((a).created_after IS NULL OR p_created >= (a).created_after)
     AND ((a).created_before IS NULL OR p_created < (a).created_before)
     AND ((a).error IS NULL OR p_error = (a).error)
     AND p_created <= (a).snapshot_at
$$;

-- Whether a live job was in its state by the action's snapshot. A job that waits for something else than its turn
-- has no instant for that but its newest attempt's end. An action for all live states asks only whether it was there.
CREATE OR REPLACE FUNCTION bulk_stood(
  a bulk_actions, p_id bigint, p_state text, p_created timestamptz, p_ready timestamptz, p_started timestamptz,
  p_attempt_rows int) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT (a).states @> ARRAY['scheduled', 'blocked', 'ready', 'running', 'retrying']
      OR CASE p_state WHEN 'ready' THEN p_ready WHEN 'running' THEN p_started ELSE p_created END <= (a).snapshot_at
         AND (p_attempt_rows = 0 OR p_state IN ('ready', 'running') OR NOT EXISTS (
               SELECT 1 FROM jobs.attempts t WHERE t.job_id = p_id AND t.ended_at > (a).snapshot_at OFFSET 0))
$$;

-- The next stretch of the walk over an action's filter, from (p_phase, p_after) on: at most p_limit rows are looked
-- at, by the index that serves the filter best, in id order. Phases: 0 live jobs, 1 and up ended ones, a phase for
-- each state; ids, a workflow and an error have one.
--   ids      those that fit           phase, after   where the next stretch begins; phase null: that was all
CREATE OR REPLACE FUNCTION bulk_candidates(
  a bulk_actions, p_phase int, p_after bigint, p_limit int,
  OUT ids bigint[], OUT looked int, OUT phase int, OUT after bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  v_ended text[] := ARRAY(SELECT s.state FROM unnest(a.states) AS s (state)
                           WHERE s.state IN ('succeeded', 'dead', 'cancelled', 'skipped') ORDER BY 1);
  v_state text := v_ended[p_phase];
  v_last int := cardinality(v_ended);
  v_some bigint[];
BEGIN
  IF a.job_ids IS NOT NULL OR a.workflow_id IS NOT NULL THEN
    -- By the ids given, or the graph's own list of its members: then each by primary key.
    IF a.job_ids IS NOT NULL THEN
      v_some := ARRAY(SELECT u.id FROM unnest(a.job_ids) AS u (id) WHERE u.id > p_after ORDER BY u.id LIMIT p_limit);
    ELSE
      v_some := ARRAY(SELECT m.job_id FROM workflow_members m
                       WHERE (m.workflow_id, m.job_id) > (a.workflow_id, p_after)
                         AND (m.workflow_id, m.job_id) <= (a.workflow_id, a.last_job_id)
                       ORDER BY m.workflow_id, m.job_id LIMIT p_limit);
    END IF;
    v_last := 0;
    looked := cardinality(v_some);
    after := v_some[looked];
    SELECT array_agg(c.id ORDER BY c.id) INTO ids
      FROM (SELECT j.id FROM jobs j
             WHERE j.id = ANY (v_some) AND j.project_id = a.project_id
               AND bulk_fits(a, j.state, j.queue_id, j.type, j.workflow_id, j.schedule_id, j.worker_id, j.tags,
                             j.created_at, NULL)
               AND bulk_stood(a, j.id, j.state, j.created_at, j.ready_at, j.started_at, j.attempt_rows)
            UNION ALL
            SELECT f.id FROM finished_jobs f
             WHERE f.id = ANY (v_some) AND f.project_id = a.project_id AND f.finished_at <= a.snapshot_at
               AND bulk_fits(a, f.state, f.queue_id, f.type, f.workflow_id, f.schedule_id, f.worker_id, f.tags,
                             f.created_at, f.error_fingerprint)) c;
  ELSIF a.error IS NOT NULL THEN
    -- By finished_jobs_fingerprint: only dead jobs have one.
    v_last := 0;
    SELECT count(*), max(l.id), array_agg(l.id ORDER BY l.id) FILTER (WHERE l.finished_at <= a.snapshot_at
             AND bulk_fits(a, l.state, l.queue_id, l.type, l.workflow_id, l.schedule_id, l.worker_id, l.tags,
                           l.created_at, l.error_fingerprint))
      INTO looked, after, ids
      FROM (SELECT f.id, f.state, f.queue_id, f.type, f.workflow_id, f.schedule_id, f.worker_id, f.tags, f.created_at,
                   f.error_fingerprint, f.finished_at
              FROM finished_jobs f
             WHERE f.state = 'dead' AND f.error_fingerprint IS NOT NULL
               AND (f.project_id, f.error_fingerprint, f.id) > (a.project_id, a.error, p_after)
               AND (f.project_id, f.error_fingerprint, f.id) <= (a.project_id, a.error, a.last_job_id)
             ORDER BY f.project_id, f.error_fingerprint, f.id LIMIT p_limit) l;
  ELSIF p_phase = 0 AND v_last = cardinality(a.states) THEN
    -- No live state is asked for.
    looked := 0;
  ELSIF p_phase = 0 AND a.schedule_id IS NOT NULL THEN
    SELECT count(*), max(l.id), array_agg(l.id ORDER BY l.id) FILTER (WHERE l.project_id = a.project_id
             AND bulk_fits(a, l.state, l.queue_id, l.type, l.workflow_id, l.schedule_id, l.worker_id, l.tags,
                           l.created_at, NULL)
             AND bulk_stood(a, l.id, l.state, l.created_at, l.ready_at, l.started_at, l.attempt_rows))
      INTO looked, after, ids
      FROM (SELECT j.id, j.project_id, j.state, j.queue_id, j.type, j.workflow_id, j.schedule_id, j.worker_id, j.tags,
                   j.created_at, j.ready_at, j.started_at, j.attempt_rows
              FROM jobs j
             WHERE j.schedule_id IS NOT NULL
               AND (j.schedule_id, j.id) > (a.schedule_id, p_after)
               AND (j.schedule_id, j.id) <= (a.schedule_id, a.last_job_id)
             ORDER BY j.schedule_id, j.id LIMIT p_limit) l;
  ELSIF p_phase = 0 THEN
    -- By jobs_project.
    SELECT count(*), max(l.id), array_agg(l.id ORDER BY l.id) FILTER (WHERE
             bulk_fits(a, l.state, l.queue_id, l.type, l.workflow_id, l.schedule_id, l.worker_id, l.tags,
                       l.created_at, NULL)
             AND bulk_stood(a, l.id, l.state, l.created_at, l.ready_at, l.started_at, l.attempt_rows))
      INTO looked, after, ids
      FROM (SELECT j.id, j.state, j.queue_id, j.type, j.workflow_id, j.schedule_id, j.worker_id, j.tags, j.created_at,
                   j.ready_at, j.started_at, j.attempt_rows
              FROM jobs j
             WHERE (j.project_id, j.id) > (a.project_id, p_after)
               AND (j.project_id, j.id) <= (a.project_id, a.last_job_id)
             ORDER BY j.project_id, j.id LIMIT p_limit) l;
  ELSIF a.schedule_id IS NOT NULL THEN
    -- By finished_jobs_schedule, all states together.
    v_last := 1;
    SELECT count(*), max(l.id), array_agg(l.id ORDER BY l.id) FILTER (WHERE l.project_id = a.project_id
             AND l.finished_at <= a.snapshot_at
             AND bulk_fits(a, l.state, l.queue_id, l.type, l.workflow_id, l.schedule_id, l.worker_id, l.tags,
                           l.created_at, l.error_fingerprint))
      INTO looked, after, ids
      FROM (SELECT f.id, f.project_id, f.state, f.queue_id, f.type, f.workflow_id, f.schedule_id, f.worker_id, f.tags,
                   f.created_at, f.error_fingerprint, f.finished_at
              FROM finished_jobs f
             WHERE f.schedule_id IS NOT NULL
               AND (f.schedule_id, f.id) > (a.schedule_id, p_after)
               AND (f.schedule_id, f.id) <= (a.schedule_id, a.last_job_id)
             ORDER BY f.schedule_id, f.id LIMIT p_limit) l;
  ELSE
    -- By finished_jobs_project_state: one ordered scan over the partitions.
    SELECT count(*), max(l.id), array_agg(l.id ORDER BY l.id) FILTER (WHERE l.finished_at <= a.snapshot_at
             AND bulk_fits(a, l.state, l.queue_id, l.type, l.workflow_id, l.schedule_id, l.worker_id, l.tags,
                           l.created_at, l.error_fingerprint))
      INTO looked, after, ids
      FROM (SELECT f.id, f.state, f.queue_id, f.type, f.workflow_id, f.schedule_id, f.worker_id, f.tags, f.created_at,
                   f.error_fingerprint, f.finished_at
              FROM finished_jobs f
             WHERE (f.project_id, f.state, f.id) > (a.project_id, v_state, p_after)
               AND (f.project_id, f.state, f.id) <= (a.project_id, v_state, a.last_job_id)
             ORDER BY f.project_id, f.state, f.id LIMIT p_limit) l;
  END IF;
  ids := coalesce(ids, '{}');
  phase := p_phase;
  IF looked < p_limit THEN
    phase := CASE WHEN p_phase < v_last THEN p_phase + 1 END;
    after := 0;
  END IF;
END
$$;

-- An action as it is asked for, unstored: p_spec has the columns' names. p_queues are those that the caller reaches;
-- null: all.
CREATE OR REPLACE FUNCTION bulk_action_of(p_project int, p_spec jsonb, p_queues int[]) RETURNS bulk_actions
LANGUAGE plpgsql VOLATILE
SET search_path = jobs, pg_temp
AS $$
DECLARE
  a bulk_actions := jsonb_populate_record(NULL::bulk_actions, p_spec);
BEGIN
  a.project_id := p_project;
  IF p_queues IS NOT NULL THEN
    a.queue_ids := ARRAY(SELECT q.id FROM unnest(p_queues) AS q (id)
                          WHERE a.queue_ids IS NULL OR q.id = ANY (a.queue_ids) ORDER BY 1);
  END IF;
  a.job_ids := ARRAY(SELECT DISTINCT u.id FROM unnest(a.job_ids) AS u (id) ORDER BY 1);
  IF p_spec -> 'job_ids' IS NULL THEN
    a.job_ids := NULL;
  END IF;
  a.snapshot_at := least(a.snapshot_at, clock_timestamp());
  a.last_job_id := (SELECT s.last_value FROM job_id_seq s);
  RETURN a;
END
$$;

-- How many jobs an action would be for, counted up to p_most and while no more than p_scan rows have to be looked at;
-- complete: there are no others. With the first of them by the walk, and the snapshot that a later action may be
-- bound to. Changes nothing.
CREATE OR REPLACE FUNCTION preview_bulk_action(
  p_project int, p_spec jsonb, p_queues int[], p_most int, p_scan int, p_samples int,
  OUT counted int, OUT complete boolean, OUT samples bigint[], OUT snapshot_at timestamptz)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  a bulk_actions := bulk_action_of(p_project, p_spec, p_queues);
  c record;
  v_phase int := 0;
  v_after bigint := 0;
  v_left int := p_scan;
BEGIN
  counted := 0;
  samples := '{}';
  snapshot_at := a.snapshot_at;
  LOOP
    SELECT b.ids, b.looked, b.phase, b.after INTO c FROM bulk_candidates(a, v_phase, v_after, least(v_left, 5000)) b;
    counted := counted + cardinality(c.ids);
    samples := samples || c.ids[:p_samples - cardinality(samples)];
    v_left := v_left - c.looked;
    v_phase := c.phase;
    v_after := c.after;
    EXIT WHEN v_phase IS NULL OR counted > p_most OR v_left <= 0;
  END LOOP;
  complete := v_phase IS NULL AND counted <= p_most;
  counted := least(counted, p_most);
END
$$;

-- ---------------------------------------------------------------- asking

-- Looks for jobs of a pending action, whose row the caller holds: the next p_limit rows. When the walk is over the
-- action runs, or stops if there are more jobs than it may have.
CREATE OR REPLACE FUNCTION collect_bulk_action(p_action bigint, p_limit int) RETURNS int
LANGUAGE plpgsql VOLATILE
SET search_path = jobs, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  a bulk_actions;
  c record;
  v_left int := p_limit;
  v_new bigint;
BEGIN
  SELECT b.* INTO a FROM bulk_actions b WHERE b.id = p_action;
  LOOP
    SELECT b.ids, b.looked, b.phase, b.after INTO c FROM bulk_candidates(a, a.phase, a.collected_to, v_left) b;
    -- One that has moved from the one table to the other was found before.
    INSERT INTO bulk_action_jobs (action_id, job_id)
    SELECT a.id, u.id FROM unnest(c.ids) AS u (id) ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS v_new = ROW_COUNT;
    a.matched := a.matched + v_new;
    v_left := v_left - c.looked;
    a.phase := c.phase;
    a.collected_to := c.after;
    EXIT WHEN a.phase IS NULL OR a.matched > a.max_jobs OR v_left <= 0;
  END LOOP;
  UPDATE bulk_actions b
     SET matched = a.matched, phase = coalesce(a.phase, b.phase), collected_to = coalesce(a.collected_to, 0),
         collected_at = CASE WHEN a.phase IS NULL THEN clock_timestamp() END
   WHERE b.id = a.id;
  IF a.matched > a.max_jobs THEN
    PERFORM move_bulk_action(a.id, 'stopped', 'more-than-expected');
  ELSIF a.phase IS NULL THEN
    PERFORM move_bulk_action(a.id, 'running', NULL);
  END IF;
  RETURN p_limit - v_left;
END
$$;

-- Whether a project is there; until the caller's transaction ends nobody deletes it, for a deletion locks its row FOR
-- UPDATE before it looks for open actions. One in flight is waited for. KEY SHARE, as a foreign key's check: it is in
-- nobody else's way. Taken before an action's row.
CREATE OR REPLACE FUNCTION hold_project(p_project int) RETURNS boolean
LANGUAGE plpgsql VOLATILE
SET search_path = jobs, pg_temp
AS $$
BEGIN
  PERFORM 1 FROM projects p WHERE p.id = p_project AND p.deleted_at IS NULL FOR KEY SHARE;
  RETURN FOUND;
END
$$;

-- Stores an action and looks at the first p_scan rows for its jobs, so that an ordinary one has its jobs of this
-- very snapshot; the leader goes on. Answers its id; and over: there are more jobs than max_jobs (to be rolled back).
-- Id null: the project was deleted meanwhile.
CREATE OR REPLACE FUNCTION submit_bulk_action(
  p_project int, p_spec jsonb, p_queues int[], p_by text, p_scan int, OUT id bigint, OUT over boolean)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  a bulk_actions;
BEGIN
  PERFORM require_read_committed();
  IF NOT hold_project(p_project) THEN
    RETURN;
  END IF;
  a := bulk_action_of(p_project, p_spec, p_queues);
  INSERT INTO bulk_actions (project_id, action, requested_by, reason, filter, states, queue_ids, type, tag, workflow_id,
      schedule_id, worker_id, error, created_after, created_before, job_ids, snapshot_at, last_job_id, max_jobs,
      canary, rate_per_second, stop_ratio)
  VALUES (a.project_id, a.action, left(p_by, 254), a.reason, a.filter, a.states, a.queue_ids, a.type, a.tag,
      a.workflow_id, a.schedule_id, a.worker_id, a.error, a.created_after, a.created_before, a.job_ids, a.snapshot_at,
      a.last_job_id, a.max_jobs, a.canary, a.rate_per_second, a.stop_ratio)
  RETURNING bulk_actions.id INTO id;
  PERFORM collect_bulk_action(id, p_scan);
  over := (SELECT b.state = 'stopped' FROM bulk_actions b WHERE b.id = submit_bulk_action.id);
END
$$;

-- Ends an action of a project, if it has not ended: nothing of it is done after this commits. Waits for the batch in
-- flight. p_queues: the queues that the caller reaches; null: all. Returns whether there is such an action.
CREATE OR REPLACE FUNCTION abort_bulk_action(p_project int, p_id bigint, p_queues int[]) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
DECLARE
  v_state text;
BEGIN
  SELECT b.state INTO v_state FROM bulk_actions b
   WHERE b.id = p_id AND b.project_id = p_project AND (p_queues IS NULL OR b.queue_ids <@ p_queues)
     FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  IF bulk_may_become(v_state, 'aborted') THEN
    PERFORM move_bulk_action(p_id, 'aborted', 'by-request');
  END IF;
  RETURN true;
END
$$;

-- ---------------------------------------------------------------- doing

-- Counts by reason, added up.
CREATE OR REPLACE FUNCTION add_counts(p_counts jsonb, p_reasons text[]) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $$
  SELECT p_counts || coalesce(jsonb_object_agg(r.reason, coalesce((p_counts ->> r.reason)::bigint, 0) + r.n), '{}')
    FROM (SELECT u.reason, count(*) AS n FROM unnest(p_reasons) AS u (reason) WHERE u.reason IS NOT NULL
           GROUP BY u.reason) r
$$;

-- What a job's row has now that an undo needs later; of an error only what no attempt keeps.
CREATE OR REPLACE FUNCTION bulk_former(f all_jobs) RETURNS jsonb
LANGUAGE sql STABLE AS $$
  SELECT jsonb_strip_nulls(jsonb_build_object(
    'state', (f).state, 'state_reason', (f).state_reason, 'attempt', (f).attempt, 'attempt_rows', (f).attempt_rows,
    'returned', (f).returned, 'run_at', (f).run_at, 'ready_at', (f).ready_at, 'started_at', (f).started_at,
    'finished_at', (f).finished_at, 'start_by', (f).start_by, 'lease_token', (f).lease_token,
    'worker_id', (f).worker_id, 'generation', (f).generation,
    'error', CASE WHEN (f).lease_token IS NULL OR (f).started_at IS NULL
                  THEN ARRAY[(f).error_kind, (f).error_message, (f).error_stack, (f).error_fingerprint] END))
$$;

-- Does what action a is for to some of its jobs, whose outcome is open. Returns a row for each that is decided; of
-- those that were retried, with its place where it is ready, and of running ones the worker that has to be told.
-- A job that another holds just now gets no row.
CREATE OR REPLACE FUNCTION apply_bulk_action(a bulk_actions, p_ids bigint[])
RETURNS TABLE (
  job_id bigint, outcome text, reason text, state text, former jsonb, ready boolean, queue_id int,
  dispatch_lane smallint, dispatch_key bigint, worker_id bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_left bigint[];
  v_flows int[];
  v_got int[];
  v_ended bigint[];
  v_live bigint[];
  v_formers jsonb;
BEGIN
  -- As they are now. What does not fit any more was changed since it was found; so was what fits again, but came into
  -- its state after the snapshot.
  SELECT array_agg(s.id) FILTER (WHERE s.fits AND s.finished_at IS NOT NULL),
         array_agg(s.id) FILTER (WHERE s.fits AND s.finished_at IS NULL),
         array_agg(DISTINCT s.workflow_id) FILTER (WHERE s.fits AND s.workflow_id IS NOT NULL),
         coalesce(array_agg(s.id), '{}')
    INTO v_ended, v_live, v_flows, v_left
    FROM (SELECT j.id, j.finished_at, j.workflow_id,
                 bulk_fits(a, j.state, j.queue_id, j.type, j.workflow_id, j.schedule_id, j.worker_id, j.tags,
                           j.created_at, j.error_fingerprint)
                   AND CASE WHEN j.finished_at IS NOT NULL THEN j.finished_at <= a.snapshot_at
                            ELSE bulk_stood(a, j.id, j.state, j.created_at, j.ready_at, j.started_at, j.attempt_rows)
                            END AS fits
            FROM all_jobs j WHERE j.id = ANY (p_ids) AND j.project_id = a.project_id) s;
  RETURN QUERY
  SELECT u.id, 'skipped'::text, CASE WHEN u.id = ANY (v_left) THEN 'changed' ELSE 'gone' END, j.state, NULL::jsonb,
         false, NULL::int, NULL::smallint, NULL::bigint, NULL::bigint
    FROM unnest(p_ids) AS u (id)
    LEFT JOIN all_jobs j ON j.id = u.id AND j.project_id = a.project_id
   WHERE u.id <> ALL (coalesce(v_ended, '{}') || coalesce(v_live, '{}'));

  IF a.action IN ('delete', 'discard') THEN
    -- Locked while they fit: neither a redrive nor a claim comes between.
    SELECT array_agg(l.id) INTO v_ended
      FROM (SELECT f.id FROM finished_jobs f
             WHERE f.id = ANY (v_ended) AND f.project_id = a.project_id AND f.finished_at <= a.snapshot_at
               AND bulk_fits(a, f.state, f.queue_id, f.type, f.workflow_id, f.schedule_id, f.worker_id, f.tags,
                             f.created_at, f.error_fingerprint)
             ORDER BY f.id FOR UPDATE SKIP LOCKED) l;
    SELECT array_agg(l.id) INTO v_live
      FROM (SELECT j.id FROM jobs j
             WHERE j.id = ANY (v_live) AND j.project_id = a.project_id AND j.lease_token IS NULL
               AND bulk_fits(a, j.state, j.queue_id, j.type, j.workflow_id, j.schedule_id, j.worker_id, j.tags,
                             j.created_at, NULL)
               AND bulk_stood(a, j.id, j.state, j.created_at, j.ready_at, j.started_at, j.attempt_rows)
             ORDER BY j.id FOR UPDATE SKIP LOCKED) l;
    RETURN QUERY
    SELECT l.id, CASE d.verdict WHEN 'deleted' THEN 'deleted' ELSE 'skipped' END,
           CASE d.verdict WHEN 'deleted' THEN NULL ELSE d.verdict END, d.state, NULL::jsonb, false, NULL::int,
           NULL::smallint, NULL::bigint, NULL::bigint
      FROM (SELECT u.id FROM unnest(v_ended || v_live) AS u (id) ORDER BY u.id) l
     CROSS JOIN LATERAL delete_job(a.project_id, l.id) d;
    RETURN;
  END IF;

  -- Workflows by trying: the functions below take the same locks, and have them then.
  IF v_flows IS NOT NULL THEN
    SELECT coalesce(array_agg(f.flow), '{}') INTO v_got
      FROM (SELECT u.flow FROM unnest(v_flows) AS u (flow) ORDER BY u.flow) f
     WHERE pg_try_advisory_xact_lock(2, f.flow);
    SELECT array_agg(j.id) FILTER (WHERE j.finished_at IS NOT NULL), array_agg(j.id) FILTER (WHERE j.finished_at IS NULL)
      INTO v_ended, v_live
      FROM all_jobs j
     WHERE j.id = ANY (v_ended || v_live) AND (j.workflow_id IS NULL OR j.workflow_id = ANY (v_got));
  END IF;

  IF a.action = 'retry' THEN
    -- Locked while they fit: who redrives one, and lets it end again, comes before, and it is judged anew, or after.
    SELECT array_agg(l.id) INTO v_ended
      FROM (SELECT f.id FROM finished_jobs f
             WHERE f.id = ANY (v_ended) AND f.project_id = a.project_id AND f.finished_at <= a.snapshot_at
               AND bulk_fits(a, f.state, f.queue_id, f.type, f.workflow_id, f.schedule_id, f.worker_id, f.tags,
                             f.created_at, f.error_fingerprint)
             ORDER BY f.id FOR UPDATE SKIP LOCKED) l;
  END IF;
  IF a.action = 'retry' AND v_ended IS NOT NULL THEN
    SELECT jsonb_object_agg(j.id, bulk_former(j)) INTO v_formers FROM all_jobs j WHERE j.id = ANY (v_ended);
    RETURN QUERY
    SELECT r.id, CASE r.verdict WHEN 'moved' THEN 'retried' ELSE 'skipped' END,
           CASE r.verdict WHEN 'moved' THEN NULL WHEN 'unmet' THEN 'unmet' WHEN 'taken' THEN 'key-taken'
                          ELSE 'changed' END,
           CASE r.verdict WHEN 'moved' THEN v_formers #>> ARRAY[r.id::text, 'state'] ELSE r.state END,
           CASE r.verdict WHEN 'moved' THEN v_formers -> r.id::text END,
           r.verdict = 'moved' AND r.state = 'ready', r.queue_id, r.dispatch_lane, r.dispatch_key, NULL::bigint
      FROM redrive_jobs(a.project_id, v_ended, ARRAY(
             SELECT s.state FROM unnest(a.states) AS s (state)
              WHERE s.state IN ('succeeded', 'dead', 'cancelled', 'skipped'))) r;
  END IF;
  IF v_live IS NULL THEN
    RETURN;
  END IF;

  -- Waiting ones FOR UPDATE, running ones as cancel_jobs holds them; a claim or a settle in flight has its way first.
  SELECT array_agg(l.id) INTO v_left
    FROM (SELECT j.id FROM jobs j
           WHERE j.id = ANY (v_live) AND j.project_id = a.project_id AND j.lease_token IS NULL
             AND bulk_fits(a, j.state, j.queue_id, j.type, j.workflow_id, j.schedule_id, j.worker_id, j.tags,
                           j.created_at, NULL)
             AND bulk_stood(a, j.id, j.state, j.created_at, j.ready_at, j.started_at, j.attempt_rows)
           ORDER BY j.id FOR UPDATE SKIP LOCKED) l;
  SELECT v_left || array_agg(l.id) INTO v_left
    FROM (SELECT j.id FROM jobs j
           WHERE j.id = ANY (v_live) AND j.project_id = a.project_id AND j.lease_token IS NOT NULL
             AND bulk_fits(a, j.state, j.queue_id, j.type, j.workflow_id, j.schedule_id, j.worker_id, j.tags,
                           j.created_at, NULL)
             AND bulk_stood(a, j.id, j.state, j.created_at, j.ready_at, j.started_at, j.attempt_rows)
           ORDER BY j.id FOR KEY SHARE SKIP LOCKED) l;
  IF v_left IS NULL THEN
    RETURN;
  END IF;
  SELECT jsonb_object_agg(j.id, bulk_former(j)) INTO v_formers FROM all_jobs j WHERE j.id = ANY (v_left);
  IF a.action = 'cancel' THEN
    RETURN QUERY
    SELECT c.id, CASE c.verdict WHEN 'ended' THEN 'skipped' ELSE c.verdict END,
           CASE c.verdict WHEN 'ended' THEN 'changed' END, v_formers #>> ARRAY[c.id::text, 'state'],
           CASE c.verdict WHEN 'cancelled' THEN v_formers -> c.id::text END, false, NULL::int, NULL::smallint,
           NULL::bigint, c.worker_id
      FROM cancel_jobs(a.project_id, v_left, a.requested_by, coalesce(a.reason, 'bulk action ' || a.id)) c;
  ELSE
    RETURN QUERY
    SELECT r.id, CASE r.verdict WHEN 'moved' THEN 'retried' ELSE 'skipped' END,
           CASE r.verdict WHEN 'moved' THEN NULL ELSE 'changed' END, v_formers #>> ARRAY[r.id::text, 'state'],
           CASE r.verdict WHEN 'moved' THEN v_formers -> r.id::text END,
           r.verdict = 'moved' AND r.state = 'ready', r.queue_id, r.dispatch_lane, r.dispatch_key, NULL::bigint
      FROM run_jobs_now(a.project_id, v_left) r;
  END IF;
END
$$;

-- How retried jobs that are watched have fared since, the next p_limit of them: failed once an attempt of it has,
-- whatever its later ones do; succeeded when it has; unknown: somebody else has decided otherwise.
CREATE OR REPLACE FUNCTION judge_bulk_action(p_action bigint, p_limit int) RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_after bigint;
  v_ids bigint[];
  v_generations smallint[];
  v_before int[];
  v_verdicts text[];
BEGIN
  SELECT b.judged_to INTO v_after FROM bulk_actions b WHERE b.id = p_action;
  -- One that waited for its next attempt goes on counting.
  SELECT array_agg(o.job_id), array_agg(o.generation), array_agg(o.before) INTO v_ids, v_generations, v_before
    FROM (SELECT w.job_id, w.generation,
                 CASE w.state WHEN 'retrying' THEN (w.former ->> 'attempt')::int ELSE 0 END AS before
            FROM bulk_action_jobs w
           WHERE w.action_id = p_action AND w.verdict = 'open' AND w.job_id > v_after
           ORDER BY w.job_id LIMIT p_limit) o;
  WITH seen AS (
    SELECT o.id, CASE
             WHEN j.id IS NULL OR j.generation <> o.generation THEN 'unknown'
             WHEN j.finished_at IS NULL
               THEN CASE WHEN j.attempt - (j.state = 'running')::int > o.before THEN 'failed' END
             WHEN j.state = 'succeeded' THEN 'succeeded'
             WHEN j.state = 'dead' THEN 'failed'
             ELSE 'unknown' END AS verdict
      FROM unnest(v_ids, v_generations, v_before) AS o (id, generation, before)
      LEFT JOIN (SELECT x.id, x.generation, x.finished_at, x.attempt, x.state
                   FROM all_jobs x WHERE x.id = ANY (v_ids)) j ON j.id = o.id
  ), judged AS (
    UPDATE bulk_action_jobs w SET verdict = s.verdict
      FROM seen s
     WHERE w.action_id = p_action AND w.job_id = ANY (v_ids) AND w.job_id = s.id AND s.verdict IS NOT NULL
    RETURNING w.verdict
  )
  SELECT coalesce(array_agg(g.verdict), '{}') INTO v_verdicts FROM judged g;
  UPDATE bulk_actions b
     SET judged_to = CASE WHEN cardinality(v_ids) = p_limit THEN v_ids[p_limit] ELSE 0 END,
         succeeded_since = b.succeeded_since + cardinality(array_positions(v_verdicts, 'succeeded')),
         failed_since = b.failed_since + cardinality(array_positions(v_verdicts, 'failed'))
   WHERE b.id = p_action;
END
$$;

-- ---------------------------------------------------------------- taking back

-- Begins to take back what an action has done and nobody has gone on with; one that has not ended is aborted first.
-- Returns gone (one that is being forgotten, too: some of its jobs are not known any more), deletes (what was deleted cannot come back), undone (it was taken back before) or undoing.
CREATE OR REPLACE FUNCTION undo_bulk_action(p_project int, p_id bigint, p_queues int[]) RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
DECLARE
  v_state text;
  v_action text;
  v_reason text;
BEGIN
  PERFORM require_read_committed();
  IF NOT hold_project(p_project) THEN
    RETURN 'gone';
  END IF;
  SELECT b.state, b.action, b.state_reason INTO v_state, v_action, v_reason FROM bulk_actions b
   WHERE b.id = p_id AND b.project_id = p_project AND (p_queues IS NULL OR b.queue_ids <@ p_queues)
     FOR NO KEY UPDATE;
  IF NOT FOUND OR v_reason = 'forgetting' THEN
    RETURN 'gone';
  ELSIF v_action IN ('delete', 'discard') THEN
    RETURN 'deletes';
  ELSIF v_state IN ('undoing', 'undone') THEN
    RETURN v_state;
  END IF;
  IF bulk_may_become(v_state, 'aborted') THEN
    PERFORM move_bulk_action(p_id, 'aborted', 'by-request');
  END IF;
  PERFORM move_bulk_action(p_id, 'undoing', NULL);
  RETURN 'undoing';
END
$$;

-- Takes back the next p_batch jobs of an action, whose row the caller holds. Only what stands outside any graph and
-- has not gone on since:
--   a retried job of which no attempt has begun is what it was, with the record of its end: kept as long as if it had
--   ended now. One that was claimed and given back unstarted has no attempt; one that snoozed, or was given back by a
--   handler that had begun, has, though it does not count
--   a cancelled one that was ready or scheduled waits again, in a new generation
-- Why others are kept: started, ended, changed (somebody retried it again), graph, was-succeeded (its result is gone),
-- was-retrying, was-running, busy (another has it just now), key-taken. ready_*: places of those that are ready again.
DROP FUNCTION IF EXISTS undo_bulk_step(bulk_actions, int);
CREATE OR REPLACE FUNCTION undo_bulk_step(
  a bulk_actions, p_batch int,
  OUT worked int, OUT ready_ids bigint[], OUT ready_queues int[], OUT ready_lanes smallint[], OUT ready_keys bigint[])
LANGUAGE plpgsql VOLATILE
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_ids bigint[];
  v_back bigint[];
  v_again bigint[];
  v_taken bigint[];
  v_kept text[];
  v_undone int;
BEGIN
  v_ids := ARRAY(SELECT w.job_id FROM bulk_action_jobs w
                  WHERE w.action_id = a.id AND w.job_id > a.undone_to ORDER BY w.job_id LIMIT p_batch);
  worked := cardinality(v_ids);
  IF worked = 0 THEN
    PERFORM move_bulk_action(a.id, 'undone', NULL);
    worked := 1;
    RETURN;
  END IF;

  -- Retried ones, held so that none is claimed meanwhile.
  SELECT array_agg(l.id) INTO v_back
    FROM (SELECT j.id FROM jobs j
            JOIN bulk_action_jobs w ON w.action_id = a.id AND w.job_id = j.id
           WHERE j.id = ANY (v_ids) AND w.job_id = ANY (v_ids) AND w.outcome = 'retried' AND w.undo IS NULL AND j.project_id = a.project_id
             AND j.lease_token IS NULL AND j.attempt = 0 AND j.generation = w.generation
             AND j.generation = (w.former ->> 'generation')::int + 1
             AND w.former ->> 'state' IN ('dead', 'cancelled', 'skipped')
             AND j.workflow_id IS NULL AND NOT j.has_dependents AND NOT j.has_dependencies
             AND NOT EXISTS (SELECT 1 FROM attempts t
                              WHERE t.job_id = j.id AND t.generation = j.generation OFFSET 0)
           ORDER BY j.id FOR UPDATE OF j SKIP LOCKED) l;
  -- Again, with a snapshot of after the lock: a settle may have ended between the two.
  SELECT array_agg(u.id) INTO v_back
    FROM unnest(v_back) AS u (id) JOIN jobs j ON j.id = u.id
   WHERE NOT EXISTS (SELECT 1 FROM attempts t WHERE t.job_id = j.id AND t.generation = j.generation OFFSET 0);
  IF v_back IS NOT NULL THEN
    PERFORM m.id
       FROM (SELECT array_agg(b.id) AS ids, array_agg(b.state) AS states, array_agg(b.reason) AS reasons,
                    array_agg(b.kind) AS kinds, array_agg(b.message) AS messages, array_agg(b.stack) AS stacks,
                    array_agg(b.fingerprint) AS fingerprints
               FROM (SELECT w.job_id AS id, w.former ->> 'state' AS state, w.former ->> 'state_reason' AS reason,
                            coalesce(t.error_kind, w.former #>> '{error,0}') AS kind,
                            coalesce(t.error_message, w.former #>> '{error,1}') AS message,
                            coalesce(t.error_stack, w.former #>> '{error,2}') AS stack,
                            coalesce(t.error_fingerprint, w.former #>> '{error,3}') AS fingerprint
                       FROM bulk_action_jobs w
                       LEFT JOIN attempts t
                         ON t.job_id = w.job_id AND t.lease_token = (w.former ->> 'lease_token')::bigint
                      WHERE w.action_id = a.id AND w.job_id = ANY (v_back) ORDER BY w.job_id) b) u
      CROSS JOIN LATERAL move_to_finished(
              u.ids, u.states, u.reasons, NULL, u.kinds, u.messages, u.stacks, u.fingerprints) m;
    -- The attempt that had ended it is its finished row again.
    DELETE FROM finished_attempts t
     USING bulk_action_jobs w
     WHERE w.action_id = a.id AND w.job_id = ANY (v_back) AND t.job_id = ANY (v_back) AND t.job_id = w.job_id
       AND t.lease_token = (w.former ->> 'lease_token')::bigint;
    UPDATE finished_jobs f
       SET lease_token = (w.former ->> 'lease_token')::bigint, worker_id = (w.former ->> 'worker_id')::bigint,
           run_at = (w.former ->> 'run_at')::timestamptz, ready_at = (w.former ->> 'ready_at')::timestamptz,
           started_at = (w.former ->> 'started_at')::timestamptz,
           finished_at = (w.former ->> 'finished_at')::timestamptz,
           start_by = (w.former ->> 'start_by')::timestamptz, attempt = (w.former ->> 'attempt')::int,
           attempt_rows = (w.former ->> 'attempt_rows')::int, returned = (w.former ->> 'returned')::smallint,
           generation = (w.former ->> 'generation')::smallint
      FROM bulk_action_jobs w
     WHERE w.action_id = a.id AND w.job_id = ANY (v_back) AND w.job_id = f.id AND f.id = ANY (v_back);
  END IF;

  -- Cancelled ones: a retry, whose jobs get their times back before anybody can see them.
  SELECT array_agg(r.id) FILTER (WHERE r.verdict = 'moved'), array_agg(r.id) FILTER (WHERE r.verdict = 'taken')
    INTO v_again, v_taken
    FROM (SELECT array_agg(f.id ORDER BY f.id) AS ids
            FROM finished_jobs f
            JOIN bulk_action_jobs w ON w.action_id = a.id AND w.job_id = f.id
           WHERE f.id = ANY (v_ids) AND w.job_id = ANY (v_ids) AND w.outcome = 'cancelled' AND w.undo IS NULL AND f.project_id = a.project_id
             AND f.state = 'cancelled' AND f.generation = (w.former ->> 'generation')::int
             AND w.former ->> 'state' IN ('ready', 'scheduled') AND f.attempt = 0
             AND f.workflow_id IS NULL AND NOT f.has_dependents AND NOT f.has_dependencies) c
   CROSS JOIN LATERAL redrive_jobs(a.project_id, c.ids, '{cancelled}') r
   WHERE c.ids IS NOT NULL;
  UPDATE jobs j
     SET start_by = (w.former ->> 'start_by')::timestamptz,
         state = CASE WHEN x.waits THEN 'scheduled' ELSE j.state END,
         ready_at = CASE WHEN x.waits THEN NULL ELSE j.ready_at END,
         run_at = CASE WHEN x.waits THEN (w.former ->> 'run_at')::timestamptz ELSE j.run_at END
    FROM bulk_action_jobs w
   CROSS JOIN LATERAL (SELECT w.former ->> 'state' = 'scheduled'
                              AND (w.former ->> 'run_at')::timestamptz > clock_timestamp() AS waits) x
   WHERE w.action_id = a.id AND w.job_id = ANY (v_again) AND w.job_id = j.id AND j.id = ANY (v_again);
  v_back := coalesce(v_back, '{}') || coalesce(v_again, '{}');
  SELECT array_agg(j.id), array_agg(j.queue_id), array_agg(j.dispatch_lane), array_agg(j.dispatch_key)
    INTO ready_ids, ready_queues, ready_lanes, ready_keys
    FROM jobs j WHERE j.id = ANY (v_again) AND j.state = 'ready';

  WITH noted AS (
    UPDATE bulk_action_jobs w
       SET undo = CASE
             WHEN w.job_id = ANY (v_back) THEN 'undone'
             WHEN w.outcome = 'cancel_requested' THEN 'was-running'
             WHEN w.job_id = ANY (v_taken) THEN 'key-taken'
             WHEN w.former ->> 'state' = 'succeeded' THEN 'was-succeeded'
             WHEN w.former ->> 'state' = 'retrying' THEN 'was-retrying'
             WHEN j.id IS NULL THEN 'gone'
             WHEN j.workflow_id IS NOT NULL OR j.has_graph OR w.former ->> 'state' = 'blocked' THEN 'graph'
             WHEN w.outcome = 'cancelled'
               THEN CASE WHEN j.state <> 'cancelled' OR j.generation <> (w.former ->> 'generation')::int THEN 'changed'
                         WHEN j.attempt > 0 THEN 'was-retrying' ELSE 'busy' END
             WHEN j.generation <> w.generation THEN 'changed'
             WHEN j.finished_at IS NOT NULL THEN 'ended'
             WHEN j.lease_token IS NOT NULL OR j.attempt > 0 OR j.began THEN 'started'
             ELSE 'busy' END
      FROM bulk_action_jobs o
      LEFT JOIN (SELECT x.id, x.state, x.workflow_id, x.generation, x.attempt, x.lease_token, x.finished_at,
                        EXISTS (SELECT 1 FROM dependencies d WHERE d.child_id = x.id OFFSET 0)
                          OR EXISTS (SELECT 1 FROM dependencies d WHERE d.parent_id = x.id OFFSET 0) AS has_graph,
                        EXISTS (SELECT 1 FROM attempts t
                                 WHERE t.job_id = x.id AND t.generation = x.generation OFFSET 0) AS began
                   FROM all_jobs x WHERE x.id = ANY (v_ids) AND x.project_id = a.project_id) j ON j.id = o.job_id
     WHERE o.action_id = a.id AND o.job_id = ANY (v_ids)
       AND o.outcome IN ('retried', 'cancelled', 'cancel_requested') AND o.undo IS NULL
       AND w.action_id = a.id AND w.job_id = ANY (v_ids) AND w.job_id = o.job_id
    RETURNING w.undo
  )
  SELECT count(*) FILTER (WHERE n.undo = 'undone'), array_agg(n.undo) FILTER (WHERE n.undo <> 'undone')
    INTO v_undone, v_kept
    FROM noted n;
  UPDATE bulk_actions b
     SET undone_to = v_ids[worked], undone = b.undone + v_undone, kept = add_counts(b.kept, v_kept)
   WHERE b.id = a.id;
END
$$;

-- ---------------------------------------------------------------- the leader's steps

-- Actions behind one that have something to be done, oldest first, but those of p_except. The caller goes on behind the
-- last one, so that however many wait, each has its turn.
DROP FUNCTION IF EXISTS open_bulk_actions(int, bigint[]);
CREATE OR REPLACE FUNCTION open_bulk_actions(p_after bigint, p_limit int, p_except bigint[]) RETURNS TABLE (id bigint)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
AS $$
  SELECT b.id FROM bulk_actions b
   WHERE b.state IN ('pending', 'running', 'canary', 'undoing') AND b.id > p_after AND b.id <> ALL (p_except)
   ORDER BY b.id LIMIT p_limit
$$;

-- One step of an action, for the leader: looks at p_scan more rows for its jobs, or does at most p_batch of them.
-- At most p_window retried jobs that are watched are unjudged at any time. worked 0: nothing can be done now.
-- ready_*: places of jobs that became ready; workers: those that have to end a job. p_batch 0: all of a step but that.
-- A job that raises fails the step: nothing has happened, and the caller tries fewer, and at last passes it.
CREATE OR REPLACE FUNCTION step_bulk_action(
  p_action bigint, p_batch int, p_scan int, p_window int,
  OUT worked int, OUT project_id int, OUT ready_ids bigint[], OUT ready_queues int[], OUT ready_lanes smallint[],
  OUT ready_keys bigint[], OUT workers bigint[])
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  a bulk_actions;
  v_take int := p_batch;
  v_open int := 0;
  v_judged bigint;
  v_trial boolean;
  v_tokens double precision;
  v_ids bigint[];
  v_done int;
  v_requested int;
  v_reasons text[];
BEGIN
  PERFORM require_read_committed();
  -- For the rest of this transaction, which is the step's own: it may hold the locks of as many workflows as it has
  -- jobs, which stand still while it waits for one more.
  PERFORM set_config('jobs.redrive_wait', '200ms', true);
  worked := 0;
  SELECT b.* INTO a FROM bulk_actions b WHERE b.id = p_action FOR NO KEY UPDATE SKIP LOCKED;
  IF NOT FOUND OR a.state NOT IN ('pending', 'running', 'canary', 'undoing') THEN
    RETURN;
  END IF;
  project_id := a.project_id;
  IF EXISTS (SELECT 1 FROM projects p WHERE p.id = a.project_id AND p.deleted_at IS NOT NULL) THEN
    -- A project with an open action is not deleted. Were it so for all that, none of its jobs comes to life.
    PERFORM move_bulk_action(a.id, CASE a.state WHEN 'undoing' THEN 'undone' ELSE 'stopped' END, 'project-deleted');
    worked := 1;
    RETURN;
  END IF;
  IF a.state = 'pending' THEN
    worked := greatest(collect_bulk_action(a.id, p_scan), 1);
    RETURN;
  ELSIF a.state = 'undoing' THEN
    IF p_batch > 0 THEN
      SELECT u.worked, u.ready_ids, u.ready_queues, u.ready_lanes, u.ready_keys
        INTO worked, ready_ids, ready_queues, ready_lanes, ready_keys
        FROM undo_bulk_step(a, p_batch) u;
    END IF;
    RETURN;
  END IF;

  IF a.stop_ratio IS NOT NULL THEN
    PERFORM judge_bulk_action(a.id, p_window);
    SELECT b.* INTO a FROM bulk_actions b WHERE b.id = p_action;
    v_open := (SELECT count(*) FROM (SELECT 1 FROM bulk_action_jobs w
                                      WHERE w.action_id = a.id AND w.verdict = 'open' LIMIT p_window) o);
    v_judged := a.succeeded_since + a.failed_since;
    v_trial := a.canary IS NOT NULL AND a.canary_ended_at IS NULL;
    -- Ten ends are enough to judge by, or all that there will be: of the canary, or of the whole. And a canary that
    -- cannot come out well any more.
    IF a.failed_since > a.stop_ratio * v_judged
         AND (v_judged >= 10 AND NOT v_trial
              OR v_open = 0 AND (a.state = 'canary' OR NOT EXISTS (
                   SELECT 1 FROM bulk_action_jobs w WHERE w.action_id = a.id AND w.outcome IS NULL)))
       OR v_trial AND a.failed_since > a.stop_ratio * least(a.canary, a.matched) THEN
      PERFORM move_bulk_action(a.id, 'stopped', CASE a.state WHEN 'canary' THEN 'canary-failed' ELSE 'failed-again' END);
      worked := 1;
      RETURN;
    END IF;
    IF a.state = 'canary' THEN
      IF v_open = 0 AND v_judged = 0 THEN
        -- Others have decided about every one: nothing speaks for going on.
        PERFORM move_bulk_action(a.id, 'stopped', 'canary-unknown');
        worked := 1;
      ELSIF v_open = 0 THEN
        PERFORM move_bulk_action(a.id, 'running', NULL);
        UPDATE bulk_actions b SET canary_ended_at = clock_timestamp() WHERE b.id = a.id;
        worked := 1;
      END IF;
      RETURN;
    END IF;
    v_take := least(v_take, p_window - v_open);
  END IF;
  IF a.canary IS NOT NULL AND a.canary_ended_at IS NULL THEN
    v_take := least(v_take, a.canary - a.done);
    IF v_take <= 0 AND a.done >= a.canary THEN
      PERFORM move_bulk_action(a.id, 'canary', NULL);
      worked := 1;
      RETURN;
    END IF;
  END IF;
  IF a.rate_per_second IS NOT NULL THEN
    -- A second's worth at most is saved up; time that runs backwards adds nothing.
    v_tokens := least(greatest(a.rate_per_second, 1), a.tokens + a.rate_per_second
      * greatest(coalesce(extract(epoch FROM clock_timestamp() - a.refilled_at)::double precision, 1), 0));
    v_take := least(v_take, floor(v_tokens)::int);
  END IF;
  IF v_take < 1 THEN
    RETURN;
  END IF;

  v_ids := ARRAY(SELECT w.job_id FROM bulk_action_jobs w
                  WHERE w.action_id = a.id AND w.outcome IS NULL AND w.job_id > a.done_to
                  ORDER BY w.job_id LIMIT v_take);
  IF v_ids = '{}' THEN
    IF EXISTS (SELECT 1 FROM bulk_action_jobs w WHERE w.action_id = a.id AND w.outcome IS NULL) THEN
      -- What others held: once more, from the start.
      UPDATE bulk_actions b SET done_to = 0 WHERE b.id = a.id;
    ELSIF v_open = 0 THEN
      -- Where it is watched how they fare, not before that is known of all.
      PERFORM move_bulk_action(a.id, 'completed', NULL);
      worked := 1;
    END IF;
    RETURN;
  END IF;

  WITH applied AS MATERIALIZED (
    SELECT d.job_id, d.outcome, d.reason, d.state, d.former, d.ready, d.queue_id, d.dispatch_lane, d.dispatch_key,
           d.worker_id
      FROM apply_bulk_action(a, v_ids) d
  ), noted AS (
    UPDATE bulk_action_jobs w
       SET outcome = d.outcome, reason = d.reason, state = d.state, former = d.former,
           verdict = CASE WHEN d.outcome = 'retried' AND a.stop_ratio IS NOT NULL THEN 'open' END
      FROM applied d
     WHERE w.action_id = a.id AND w.job_id = ANY (v_ids) AND w.job_id = d.job_id
    RETURNING w.job_id
  )
  SELECT count(*), count(*) FILTER (WHERE d.outcome NOT IN ('skipped', 'failed')),
         count(*) FILTER (WHERE d.outcome = 'cancel_requested'), array_agg(d.reason) FILTER (WHERE d.outcome = 'skipped'),
         array_agg(d.job_id) FILTER (WHERE d.ready), array_agg(d.queue_id) FILTER (WHERE d.ready),
         array_agg(d.dispatch_lane) FILTER (WHERE d.ready), array_agg(d.dispatch_key) FILTER (WHERE d.ready),
         array_agg(DISTINCT d.worker_id) FILTER (WHERE d.worker_id IS NOT NULL)
    INTO worked, v_done, v_requested, v_reasons, ready_ids, ready_queues, ready_lanes, ready_keys, workers
    FROM applied d JOIN noted n ON n.job_id = d.job_id;
  -- In a later statement, which sees the jobs as they are now.
  UPDATE bulk_action_jobs w SET generation = j.generation
    FROM jobs j
   WHERE w.action_id = a.id AND w.job_id = ANY (v_ids) AND w.outcome = 'retried' AND j.id = w.job_id
     AND j.id = ANY (v_ids);
  UPDATE bulk_actions b
     SET done_to = v_ids[cardinality(v_ids)], done = b.done + v_done, requested = b.requested + v_requested,
         skipped = add_counts(b.skipped, v_reasons),
         tokens = coalesce(v_tokens - v_done, 0),
         refilled_at = CASE WHEN a.rate_per_second IS NULL THEN NULL ELSE clock_timestamp() END
   WHERE b.id = a.id;
  -- All were held by others: the round has had its share.
END
$$;

-- For the leader, whose step has failed on the next job alone: passes it. Noted as failed, for that reason; or, when
-- p_reason is null, left for a later pass.
CREATE OR REPLACE FUNCTION pass_bulk_job(p_action bigint, p_reason text) RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
AS $$
DECLARE
  a bulk_actions;
  v_job bigint;
BEGIN
  SELECT b.* INTO a FROM bulk_actions b WHERE b.id = p_action AND b.state IN ('running', 'undoing') FOR NO KEY UPDATE;
  IF a.state = 'running' THEN
    SELECT min(w.job_id) INTO v_job FROM bulk_action_jobs w
     WHERE w.action_id = a.id AND w.outcome IS NULL AND w.job_id > a.done_to;
    UPDATE bulk_action_jobs w SET outcome = 'failed', reason = p_reason
     WHERE w.action_id = a.id AND w.job_id = v_job AND p_reason IS NOT NULL;
    UPDATE bulk_actions b
       SET done_to = coalesce(v_job, b.done_to), failed = b.failed + (v_job IS NOT NULL AND p_reason IS NOT NULL)::int
     WHERE b.id = a.id;
  ELSIF a.state = 'undoing' THEN
    SELECT min(w.job_id) INTO v_job FROM bulk_action_jobs w
     WHERE w.action_id = a.id AND w.job_id > a.undone_to AND w.outcome IN ('retried', 'cancelled') AND w.undo IS NULL;
    UPDATE bulk_action_jobs w SET undo = coalesce(p_reason, 'busy') WHERE w.action_id = a.id AND w.job_id = v_job;
    UPDATE bulk_actions b
       SET undone_to = coalesce(v_job, b.undone_to),
           kept = add_counts(b.kept, CASE WHEN v_job IS NOT NULL THEN ARRAY[coalesce(p_reason, 'busy')] END)
     WHERE b.id = a.id;
  END IF;
  RETURN v_job;
END
$$;

-- Forgets actions that ended longer than p_keep ago: their jobs' rows first, at most p_limit, having noted that it has
-- begun. Returns how many rows.
CREATE OR REPLACE FUNCTION forget_bulk_actions(p_keep interval, p_limit int) RETURNS int
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
  v_id bigint;
  v_gone int;
BEGIN
  SELECT b.id INTO v_id FROM bulk_actions b
   WHERE b.ended_at <= statement_timestamp() - p_keep ORDER BY b.ended_at LIMIT 1 FOR UPDATE SKIP LOCKED;
  UPDATE bulk_actions b SET state_reason = 'forgetting'
   WHERE b.id = v_id AND b.state_reason IS DISTINCT FROM 'forgetting';
  DELETE FROM bulk_action_jobs w
   WHERE w.action_id = v_id
     AND w.job_id = ANY (ARRAY(SELECT o.job_id FROM bulk_action_jobs o WHERE o.action_id = v_id
                                ORDER BY o.job_id LIMIT p_limit));
  GET DIAGNOSTICS v_gone = ROW_COUNT;
  IF v_id IS NOT NULL AND v_gone < p_limit THEN
    DELETE FROM bulk_actions b WHERE b.id = v_id;
    v_gone := v_gone + 1;
  END IF;
  RETURN v_gone;
END
$$;
