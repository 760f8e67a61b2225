-- Schedules: what is due, what becomes of each planned time, and the runs that are made of it. The leader
-- reckons times (only Java knows time zones); everything else about a fire is decided here, the same for the
-- leader, for backfills and for a trigger by hand.
--
-- Plans are made anew at each call, for the tables as large as they are then: fires grow without bound, and a batch
-- is to find its few rows by their ids.
--
-- Lock order: a schedule, then its backfills and fires, then jobs. Schedules FOR NO KEY UPDATE: a backfill that is
-- being asked for holds its key.

-- ---------------------------------------------------------------- decisions

-- What overlap lets a fire do: fired, queued or skipped. p_ahead counts the runs of its schedule before it: one
-- if a job lives or a fire waits, each fire that waits, each decided in the same moment.
CREATE OR REPLACE FUNCTION overlap_outcome(p_policy text, p_queue_bound int, p_ahead int, p_newest boolean) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN p_policy = 'allow' THEN 'fired'
    WHEN p_policy = 'cancel_previous' THEN CASE WHEN p_newest THEN 'fired' ELSE 'skipped' END
    WHEN p_ahead = 0 THEN 'fired'
    WHEN p_ahead <= CASE p_policy WHEN 'queue_one' THEN 1 WHEN 'queue_all' THEN p_queue_bound ELSE 0 END THEN 'queued'
    ELSE 'skipped'
  END
$$;

CREATE OR REPLACE FUNCTION overlap_reason(p_policy text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE p_policy WHEN 'skip' THEN 'overlap' WHEN 'cancel_previous' THEN 'superseded' ELSE 'queue-full' END
$$;

-- A payload template with its fields filled in, see schedules.payload. Text is replaced, so that all else stays
-- as typed. A quote that opens a string never follows a backslash; a string before a colon is a key.
CREATE OR REPLACE FUNCTION render_payload(
  p_template text, p_schedule text, p_trigger text, p_planned_at timestamptz, p_planned_local text,
  p_sequence bigint, p_missed_count int)
RETURNS json
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  v_text text := p_template;
  v_planned text := to_char(p_planned_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
  v_field text[];
BEGIN
  IF v_text LIKE '%{{%' THEN
    FOREACH v_field SLICE 1 IN ARRAY ARRAY[
        ['plannedAt', to_json(v_planned)::text],
        ['plannedLocal', to_json(coalesce(p_planned_local, v_planned))::text],
        ['schedule', to_json(p_schedule)::text], ['trigger', to_json(p_trigger)::text],
        ['sequence', p_sequence::text], ['missedCount', p_missed_count::text]] LOOP
      v_text := regexp_replace(
        v_text, '(?<!\\)"\{\{' || v_field[1] || '\}\}"(?!\s*:)', coalesce(v_field[2], 'null'), 'g');
    END LOOP;
  END IF;
  RETURN v_text::json;
END
$$;

-- ---------------------------------------------------------------- runs

-- Makes the jobs and workflows of fires whose rows name them. p_run_at: not before (null: now); p_priorities:
-- instead of the template's (null). Arrays are parallel. Returns the jobs that are ready (due_micros null) or
-- scheduled. Internal: the caller has locked the schedules.
CREATE OR REPLACE FUNCTION make_runs(p_fires bigint[], p_run_at timestamptz[], p_priorities smallint[])
RETURNS TABLE (id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint, project_id int, due_micros bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
  v_now timestamptz := clock_timestamp();
  v_flows bigint[];
BEGIN
  RETURN QUERY
  INSERT INTO jobs AS j (id, project_id, queue_id, type, state, priority, dispatch_lane, dispatch_key, run_at, ready_at,
      max_attempts, retry_policy, timeout_ms, start_by, cost, concurrency_key, tags, metadata, schedule_id, planned_at, payload)
  SELECT f.job_id, s.project_id, q.id, s.job_type,
         CASE WHEN u.run_at > v_now THEN 'scheduled' ELSE 'ready' END,
         p.priority, ready_lane(p.priority, q.ageing_ms), ready_key(micros(v_now), p.priority, q.ageing_ms),
         CASE WHEN u.run_at > v_now THEN u.run_at END, CASE WHEN u.run_at > v_now THEN NULL ELSE v_now END,
         coalesce(s.max_attempts, 20), s.retry_policy, s.timeout_ms,
         greatest(u.run_at, v_now) + s.start_within_ms * interval '1 millisecond',
         s.cost, s.concurrency_key, s.tags, s.metadata, s.id, f.planned_at,
         render_payload(s.payload::text, s.name, f.trigger, coalesce(f.planned_at, f.fired_at), f.planned_local,
                        f.sequence, f.missed_count)
    FROM unnest(p_fires, p_run_at, p_priorities) AS u (fire_id, run_at, priority)
    JOIN schedule_fires f ON f.id = u.fire_id
    JOIN schedules s ON s.id = f.schedule_id
    -- A queue that was deleted leaves queue_id null, and the insert is refused.
    LEFT JOIN queues q ON q.id = s.queue_id AND q.deleted_at IS NULL
   CROSS JOIN LATERAL (SELECT coalesce(u.priority, s.priority) AS priority) p
   WHERE f.job_id IS NOT NULL
   ORDER BY f.id
  RETURNING j.id, j.queue_id, j.dispatch_lane, j.dispatch_key, j.project_id, micros(j.run_at);

  SELECT array_agg(f.id ORDER BY f.id) INTO v_flows
    FROM schedule_fires f WHERE f.id = ANY (p_fires) AND f.workflow_id IS NOT NULL;
  IF v_flows IS NOT NULL THEN
    RETURN QUERY SELECT w.id, w.queue_id, w.dispatch_lane, w.dispatch_key, w.project_id, NULL::bigint
                   FROM make_workflows(v_flows, p_fires, p_priorities) w;
  END IF;
END
$$;

-- The same for fires of workflow templates: workflow, jobs, members and edges, all of them in one statement.
-- A workflow's roots are ready at once, as if it were handed in now.
CREATE OR REPLACE FUNCTION make_workflows(p_flows bigint[], p_fires bigint[], p_priorities smallint[])
RETURNS TABLE (id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint, project_id int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET jit = off
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
  v_now timestamptz := clock_timestamp();
BEGIN
  RETURN QUERY
  WITH flow AS MATERIALIZED (
    SELECT f.id AS fire_id, f.workflow_id, f.planned_at, f.planned_local, f.trigger, f.sequence, f.missed_count,
           f.fired_at, s.id AS schedule_id, s.name AS schedule, s.project_id, s.workflow,
           p_priorities[array_position(p_fires, f.id)] AS priority
      FROM schedule_fires f
      JOIN schedules s ON s.id = f.schedule_id
     WHERE f.id = ANY (p_flows)
  ), node AS MATERIALIZED (
    SELECT w.fire_id, w.workflow_id, n.place, n.node ->> 'key' AS key, nextval('job_id_seq') AS job_id, n.node
      FROM flow w
     CROSS JOIN LATERAL json_array_elements(w.workflow -> 'jobs') WITH ORDINALITY AS n (node, place)
     ORDER BY w.fire_id, n.place
  ), edge AS MATERIALIZED (
    SELECT w.workflow_id, p.job_id AS parent_id, c.job_id AS child_id, coalesce(e.edge ->> 'on', 'success') AS on_outcome
      FROM flow w
     CROSS JOIN LATERAL json_array_elements(w.workflow -> 'edges') AS e (edge)
      JOIN node p ON p.workflow_id = w.workflow_id AND p.key = e.edge ->> 'parent'
      JOIN node c ON c.workflow_id = w.workflow_id AND c.key = e.edge ->> 'child'
  ), made AS (
    INSERT INTO workflows (id, project_id, name, kind, on_failure, job_count, created_at, deadline_at)
    OVERRIDING SYSTEM VALUE
    SELECT w.workflow_id, w.project_id, coalesce(w.workflow ->> 'name', w.schedule),
           coalesce(w.workflow ->> 'kind', 'workflow'), coalesce(w.workflow ->> 'onFailure', 'cancel'),
           json_array_length(w.workflow -> 'jobs'), v_now,
           v_now + (w.workflow ->> 'deadlineMs')::bigint * interval '1 millisecond'
      FROM flow w
  ), callbacks AS (
    INSERT INTO workflow_callbacks (workflow_id, on_event, job)
    SELECT w.workflow_id, c.key,
           render_payload(c.value::text, w.schedule, w.trigger, coalesce(w.planned_at, w.fired_at), w.planned_local,
                          w.sequence, w.missed_count)
      FROM flow w
     CROSS JOIN LATERAL json_each(CASE json_typeof(w.workflow -> 'callbacks') WHEN 'object' THEN w.workflow -> 'callbacks' END)
                          AS c (key, value)
  ), members AS (
    INSERT INTO workflow_members (workflow_id, job_id, key, expected_ms)
    SELECT n.workflow_id, n.job_id, n.key, (n.node ->> 'expectedMs')::bigint FROM node n
  ), edges AS (
    INSERT INTO dependencies (child_id, parent_id, workflow_id, on_outcome)
    SELECT e.child_id, e.parent_id, e.workflow_id, e.on_outcome FROM edge e
  ), inserted AS (
    INSERT INTO jobs AS j (id, project_id, queue_id, type, state, priority, dispatch_lane, dispatch_key, ready_at,
        max_attempts, retry_policy, timeout_ms, cost, concurrency_key, schedule_id, planned_at, payload, workflow_id,
        workflow_key, has_dependencies, has_dependents, join_mode, gate, run_at, tags, metadata)
    SELECT n.job_id, w.project_id, q.id, n.node ->> 'type',
           CASE WHEN child.id IS NULL AND n.node ->> 'gate' IS NULL THEN 'ready' ELSE 'blocked' END, d.priority,
           ready_lane(d.priority, q.ageing_ms), ready_key(micros(v_now), d.priority, q.ageing_ms),
           CASE WHEN child.id IS NULL AND n.node ->> 'gate' IS NULL THEN v_now END,
           coalesce((n.node ->> 'maxAttempts')::int, 20), n.node -> 'retryPolicy', (n.node ->> 'timeoutMs')::bigint,
           coalesce((n.node ->> 'cost')::smallint, 1), n.node ->> 'concurrencyKey', w.schedule_id, w.planned_at,
           render_payload((n.node -> 'payload')::text, w.schedule, w.trigger, coalesce(w.planned_at, w.fired_at),
                          w.planned_local, w.sequence, w.missed_count),
           w.workflow_id, n.key, child.id IS NOT NULL, parent.id IS NOT NULL, n.node ->> 'join', n.node ->> 'gate',
           (n.node ->> 'runAt')::timestamptz, names_of(n.node -> 'tags'), n.node -> 'metadata'
      FROM node n
      JOIN flow w ON w.workflow_id = n.workflow_id
      LEFT JOIN (SELECT DISTINCT e.child_id AS id FROM edge e) child ON child.id = n.job_id
      LEFT JOIN (SELECT DISTINCT e.parent_id AS id FROM edge e) parent ON parent.id = n.job_id
      -- A queue that is not there, was deleted or is another project's leaves queue_id null: refused.
      LEFT JOIN queues q
        ON q.id = (n.node ->> 'queueId')::int AND q.project_id = w.project_id AND q.deleted_at IS NULL
     CROSS JOIN LATERAL (SELECT coalesce(w.priority, (n.node ->> 'priority')::smallint, 4::smallint) AS priority) d
     ORDER BY n.fire_id, n.place
    RETURNING j.id, j.queue_id, j.dispatch_lane, j.dispatch_key, j.project_id, j.state
  )
  SELECT m.id, m.queue_id, m.dispatch_lane, m.dispatch_key, m.project_id FROM inserted m WHERE m.state = 'ready';
  -- Gates that wait for no parent.
  RETURN QUERY
  SELECT r.id, r.queue_id, r.dispatch_lane, r.dispatch_key, r.project_id
    FROM release_children(ARRAY(
      SELECT j.id FROM jobs j
       WHERE j.workflow_id = ANY (ARRAY(SELECT f.workflow_id FROM schedule_fires f WHERE f.id = ANY (p_flows)))
         AND j.state = 'blocked' AND j.gate IS NOT NULL AND NOT j.has_dependencies)) r;
END
$$;

-- ---------------------------------------------------------------- the leader: what is due

-- When the leader has to look again within p_ahead: the database's clock and the distinct instants, in
-- microseconds since the epoch and ascending, of the first p_limit; seen says how many schedules that were.
-- waiting: some fire waits for the run before it; backfills: some backfill runs. Reads only.
CREATE OR REPLACE FUNCTION schedules_ahead(p_ahead interval, p_limit int)
RETURNS TABLE (now_micros bigint, due_micros bigint[], seen int, waiting boolean, backfills boolean)
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET plan_cache_mode = force_custom_plan
AS $$
  SELECT micros(clock_timestamp()), coalesce(array_agg(DISTINCT micros(d.wake_at)), '{}'), count(*)::int,
         EXISTS (SELECT 1 FROM schedules s WHERE s.queued > 0),
         EXISTS (SELECT 1 FROM backfills b WHERE b.state = 'running')
    FROM (SELECT s.wake_at FROM schedules s
           WHERE s.wake_at <= statement_timestamp() + p_ahead
           ORDER BY s.wake_at, s.id LIMIT p_limit) d
$$;

-- Takes up to p_limit due schedules besides p_except, the longest due first, until the transaction ends; locked ones
-- are another's. Those whose newest runs have failed too often in a row are paused here and come back with paused. For the others
-- the caller reckons what was planned in (planned_to, now] and calls fire_schedules in the same transaction.
CREATE OR REPLACE FUNCTION take_due_schedules(p_limit int, p_except int[])
RETURNS TABLE (
  id int, project_id int, name text, version int, kind text, expression text, dialect text, every_ms bigint,
  anchor timestamptz, time_zone text, start_at timestamptz, end_at timestamptz, exclusions date[], jitter_ms bigint,
  misfire_policy text, max_catch_up int, catch_up_window_ms bigint, planned_to timestamptz, now timestamptz,
  paused boolean)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
  v_ids int[];
  v_paused int[];
BEGIN
  PERFORM require_read_committed();
  SELECT array_agg(l.id) INTO v_ids
    FROM (SELECT s.id FROM schedules s
           WHERE s.wake_at <= statement_timestamp() AND s.id <> ALL (p_except)
           ORDER BY s.wake_at, s.id LIMIT p_limit
             FOR NO KEY UPDATE SKIP LOCKED) l;
  IF v_ids IS NULL THEN
    RETURN;
  END IF;

  -- Failures in a row among the newest ended runs: finished_jobs_schedule, backwards; of workflows by the newest
  -- thousand fires. What was cancelled counts neither way.
  WITH judged AS (
    SELECT s.id, s.auto_pause_after, coalesce(
      CASE s.template
        WHEN 'job' THEN (
          SELECT count(*) FROM (
            SELECT bool_and(e.state = 'dead') OVER (ORDER BY e.id DESC) AS failed
              FROM (SELECT f.id, f.state FROM finished_jobs f
                     WHERE f.schedule_id = s.id AND f.state IN ('succeeded', 'dead')
                       AND f.created_at >= s.failures_since
                     ORDER BY f.id DESC LIMIT s.auto_pause_after) e) r WHERE r.failed)
        ELSE (
          SELECT count(*) FROM (
            SELECT bool_and(e.final_state = 'failed') OVER (ORDER BY e.id DESC) AS failed
              FROM (SELECT n.id, w.final_state
                      FROM (SELECT f.id, f.workflow_id FROM schedule_fires f
                             WHERE f.schedule_id = s.id ORDER BY f.id DESC LIMIT 1000) n
                      JOIN workflows w ON w.id = n.workflow_id
                     WHERE w.final_state IN ('succeeded', 'failed') AND w.created_at >= s.failures_since
                     ORDER BY n.id DESC LIMIT s.auto_pause_after) e) r WHERE r.failed)
      END, 0)::int AS failures
      FROM schedules s
     WHERE s.id = ANY (v_ids) AND s.auto_pause_after IS NOT NULL AND s.state = 'active'
  ), noted AS (
    UPDATE schedules s
       SET consecutive_failures = g.failures,
           state = CASE WHEN g.failures >= g.auto_pause_after THEN 'paused' ELSE s.state END,
           paused_at = CASE WHEN g.failures >= g.auto_pause_after THEN clock_timestamp() END,
           paused_by = CASE WHEN g.failures >= g.auto_pause_after THEN 'scheduler' END,
           pause_reason = CASE WHEN g.failures >= g.auto_pause_after
             THEN 'auto-pause: ' || g.failures || ' runs in a row ended without success' END,
           next_fire_at = CASE WHEN g.failures >= g.auto_pause_after THEN NULL ELSE s.next_fire_at END
      FROM judged g
     WHERE s.id = g.id AND (s.consecutive_failures <> g.failures OR g.failures >= g.auto_pause_after)
    RETURNING s.id, s.state
  )
  SELECT array_agg(n.id) INTO v_paused FROM noted n WHERE n.state = 'paused';

  RETURN QUERY
  SELECT s.id, s.project_id, s.name, s.version, s.kind, s.expression, s.dialect, s.every_ms, s.anchor, s.time_zone,
         s.start_at, s.end_at, s.exclusions, s.jitter_ms, s.misfire_policy, s.max_catch_up, s.catch_up_window_ms,
         -- A pause that has run out: what it held back stays undone, what came after it is late.
         CASE s.state WHEN 'paused' THEN greatest(s.planned_to, s.paused_until) ELSE s.planned_to END,
         clock_timestamp(), s.id = ANY (coalesce(v_paused, '{}'))
    FROM schedules s
   WHERE s.id = ANY (v_ids)
   ORDER BY s.wake_at, s.id;
END
$$;

-- The same for active cron schedules after p_after, in id order, that were reckoned with other time-zone data than
-- p_tzdb: their next planned time may have moved.
CREATE OR REPLACE FUNCTION take_stale_schedules(p_tzdb text, p_after int, p_limit int)
RETURNS TABLE (
  id int, project_id int, name text, version int, kind text, expression text, dialect text, every_ms bigint,
  anchor timestamptz, time_zone text, start_at timestamptz, end_at timestamptz, exclusions date[], jitter_ms bigint,
  misfire_policy text, max_catch_up int, catch_up_window_ms bigint, planned_to timestamptz, now timestamptz,
  paused boolean)
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET plan_cache_mode = force_custom_plan
AS $$
  SELECT s.id, s.project_id, s.name, s.version, s.kind, s.expression, s.dialect, s.every_ms, s.anchor, s.time_zone,
         s.start_at, s.end_at, s.exclusions, s.jitter_ms, s.misfire_policy, s.max_catch_up, s.catch_up_window_ms,
         s.planned_to, clock_timestamp(), false
    FROM schedules s
   WHERE s.id > p_after AND s.state = 'active' AND s.kind = 'cron' AND s.tzdb_version IS DISTINCT FROM p_tzdb
   ORDER BY s.id LIMIT p_limit
     FOR NO KEY UPDATE SKIP LOCKED
$$;

-- ---------------------------------------------------------------- the leader: fires

-- Decides planned times of schedules that this transaction has taken, makes their runs and moves the schedules on.
-- Per schedule: up to where its times are decided now, and the next one (null: none ever, it is completed). Per
-- fire: planned time, the same told locally, trigger, run_at (null: now) and the planned times that it stands for.
-- Per missed range: its ends, how many and why. Arrays of a group are parallel. A time that was decided before is
-- passed over. Returns one row per fire (kind: its outcome) and per job that it made (kind: job).
CREATE OR REPLACE FUNCTION fire_schedules(
  p_schedules int[], p_planned_to timestamptz[], p_next timestamptz[], p_tzdb text,
  p_fire_schedules int[], p_planned timestamptz[], p_locals text[], p_triggers text[], p_run_at timestamptz[],
  p_missed int[],
  p_range_schedules int[], p_range_from timestamptz[], p_range_to timestamptz[], p_range_counts int[],
  p_range_reasons text[])
RETURNS TABLE (
  kind text, trigger text, reason text, lag_micros bigint, schedule_id int, id bigint, queue_id int,
  dispatch_lane smallint, dispatch_key bigint, project_id int, due_micros bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
  v_now timestamptz := clock_timestamp();
  v_fires bigint[];
  v_of int[];
  v_planned timestamptz[];
  v_outcomes text[];
  v_triggers text[];
  v_reasons text[];
  v_made bigint[];
BEGIN
  PERFORM require_read_committed();
  INSERT INTO schedule_fires (schedule_id, trigger, outcome, reason, missed_from, missed_to, missed_count)
  SELECT r.schedule_id, 'scheduled', 'missed', r.reason, r.missed_from, r.missed_to, r.missed_count
    FROM unnest(p_range_schedules, p_range_from, p_range_to, p_range_counts, p_range_reasons)
           AS r (schedule_id, missed_from, missed_to, missed_count, reason);

  IF p_fire_schedules <> '{}' THEN
    -- The snapshot of this statement is younger than the schedules' locks: nobody adds a run meanwhile, and one
    -- that ends meanwhile is seen as still there.
    WITH schedule AS MATERIALIZED (
      SELECT s.id, s.overlap_policy, s.queue_bound, s.queued, s.sequence, s.template, s.max_runs - s.run_count AS rest,
             EXISTS (SELECT 1 FROM jobs j WHERE j.schedule_id = s.id) AS live
        FROM schedules s WHERE s.id = ANY (p_schedules)
    ), due AS (
      SELECT u.schedule_id, u.planned_at, u.planned_local, u.trigger, u.missed_count,
             row_number() OVER w AS place,
             u.planned_at = last_value(u.planned_at) OVER w AS newest
        FROM unnest(p_fire_schedules, p_planned, p_locals, p_triggers, p_missed)
               AS u (schedule_id, planned_at, planned_local, trigger, missed_count)
       WHERE NOT EXISTS (SELECT 1 FROM schedule_fires f
                          WHERE f.schedule_id = u.schedule_id AND f.planned_at = u.planned_at AND f.run = 0)
      WINDOW w AS (PARTITION BY u.schedule_id ORDER BY u.planned_at
                   ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
    ), judged AS (
      SELECT d.schedule_id, d.planned_at, d.planned_local, d.trigger, d.missed_count, s.sequence, s.template, s.rest,
             s.overlap_policy,
             overlap_outcome(s.overlap_policy, s.queue_bound,
               (s.live OR s.queued > 0)::int + s.queued + d.place::int - 1, d.newest) AS outcome
        FROM due d JOIN schedule s ON s.id = d.schedule_id
    ), counted AS (
      SELECT g.schedule_id, g.planned_at, g.planned_local, g.trigger, g.missed_count, g.sequence, g.template, g.rest,
             g.overlap_policy, g.outcome,
             count(*) FILTER (WHERE g.outcome <> 'skipped')
               OVER (PARTITION BY g.schedule_id ORDER BY g.planned_at) AS runs
        FROM judged g
    ), decided AS (
      INSERT INTO schedule_fires AS f (schedule_id, planned_at, planned_local, trigger, outcome, reason, sequence,
          job_id, workflow_id, missed_count, decided_at, fired_at)
      SELECT c.schedule_id, c.planned_at, c.planned_local, c.trigger, c.outcome,
             CASE c.outcome WHEN 'skipped' THEN overlap_reason(c.overlap_policy) END,
             CASE WHEN c.outcome <> 'skipped' THEN c.sequence + c.runs END,
             CASE WHEN c.outcome = 'fired' AND c.template = 'job' THEN nextval('job_id_seq') END,
             CASE WHEN c.outcome = 'fired' AND c.template = 'workflow' THEN nextval('workflows_id_seq') END,
             c.missed_count, v_now, CASE c.outcome WHEN 'fired' THEN v_now END
        FROM counted c
       -- max_runs: what lies behind the last run was never planned.
       WHERE c.rest IS NULL OR c.runs < c.rest OR (c.runs = c.rest AND c.outcome <> 'skipped')
       ORDER BY c.schedule_id, c.planned_at
      ON CONFLICT ON CONSTRAINT schedule_fires_once DO NOTHING
      RETURNING f.id, f.schedule_id, f.planned_at, f.outcome, f.trigger, f.reason
    )
    SELECT array_agg(d.id), array_agg(d.schedule_id), array_agg(d.planned_at), array_agg(d.outcome),
           array_agg(d.trigger), array_agg(d.reason), array_agg(d.id) FILTER (WHERE d.outcome = 'fired')
      INTO v_fires, v_of, v_planned, v_outcomes, v_triggers, v_reasons, v_made
      FROM decided d;
  END IF;

  UPDATE schedules s
     SET planned_to = u.planned_to,
         next_fire_at = CASE WHEN u.next_at IS NULL OR s.run_count + u.runs >= s.max_runs THEN NULL ELSE u.next_at END,
         state = CASE WHEN u.next_at IS NULL OR s.run_count + u.runs >= s.max_runs THEN 'completed' ELSE 'active' END,
         failures_since = CASE s.state WHEN 'paused' THEN clock_timestamp() ELSE s.failures_since END,
         paused_at = NULL, paused_by = NULL, pause_reason = NULL, paused_until = NULL,
         last_planned_at = coalesce(u.last_planned_at, s.last_planned_at),
         sequence = s.sequence + u.runs, run_count = s.run_count + u.runs, queued = s.queued + u.queued,
         tzdb_version = p_tzdb
    FROM (SELECT m.schedule_id, m.planned_to, m.next_at, coalesce(d.runs, 0)::int AS runs,
                 coalesce(d.queued, 0)::int AS queued, d.last_planned_at
            FROM unnest(p_schedules, p_planned_to, p_next) AS m (schedule_id, planned_to, next_at)
            LEFT JOIN (SELECT f.schedule_id, count(*) FILTER (WHERE f.outcome <> 'skipped') AS runs,
                              count(*) FILTER (WHERE f.outcome = 'queued') AS queued,
                              max(f.planned_at) AS last_planned_at
                         FROM unnest(v_of, v_planned, v_outcomes) AS f (schedule_id, planned_at, outcome)
                        GROUP BY f.schedule_id) d ON d.schedule_id = m.schedule_id) u
   WHERE s.id = u.schedule_id;

  IF v_made IS NOT NULL THEN
    PERFORM cancel_previous_runs(ARRAY(
      SELECT s.id FROM schedules s
       WHERE s.overlap_policy = 'cancel_previous'
         AND s.id IN (SELECT o.schedule_id FROM unnest(v_of, v_outcomes) AS o (schedule_id, outcome)
                       WHERE o.outcome = 'fired')));
    RETURN QUERY
    SELECT 'job'::text, NULL::text, NULL::text, NULL::bigint, NULL::int, r.id, r.queue_id, r.dispatch_lane,
           r.dispatch_key, r.project_id, r.due_micros
      FROM make_runs(v_made, (SELECT array_agg(a.run_at ORDER BY m.n)
                                FROM unnest(v_made) WITH ORDINALITY AS m (fire_id, n)
                                JOIN unnest(v_fires, v_of, v_planned) AS d (fire_id, schedule_id, planned_at)
                                  ON d.fire_id = m.fire_id
                                JOIN unnest(p_fire_schedules, p_planned, p_run_at) AS a (schedule_id, planned_at, run_at)
                                  ON a.schedule_id = d.schedule_id AND a.planned_at = d.planned_at), NULL) r;
  END IF;
  RETURN QUERY
  SELECT d.outcome, d.trigger, d.reason, micros(v_now) - micros(d.planned_at), d.schedule_id, d.fire_id, NULL::int,
         NULL::smallint, NULL::bigint, s.project_id, NULL::bigint
    FROM unnest(v_fires, v_of, v_planned, v_outcomes, v_triggers, v_reasons)
           AS d (fire_id, schedule_id, planned_at, outcome, trigger, reason)
    JOIN schedules s ON s.id = d.schedule_id;
END
$$;

-- Cancels what lives of these schedules. Internal.
CREATE OR REPLACE FUNCTION cancel_previous_runs(p_schedules int[]) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_previous record;
BEGIN
  FOR v_previous IN
    SELECT s.project_id, array_agg(j.id) AS ids
      FROM schedules s
      JOIN jobs j ON j.schedule_id = s.id
     WHERE s.id = ANY (p_schedules)
     GROUP BY s.project_id
     ORDER BY s.project_id
  LOOP
    -- Prompt to the worker; without the signal its beat learns of it.
    PERFORM pg_notify('jobs_control', c.worker_id::text)
       FROM cancel_jobs(v_previous.project_id, v_previous.ids, 'schedule', 'the next run begins') c
      WHERE c.worker_id IS NOT NULL;
  END LOOP;
END
$$;

-- Starts fires that waited for the run before them, of up to p_limit schedules of which no job lives: the oldest,
-- a backfill's last. A pause holds them back, except a backfill's. Returns the rows of fire_schedules.
CREATE OR REPLACE FUNCTION start_queued_fires(p_limit int)
RETURNS TABLE (
  kind text, trigger text, reason text, lag_micros bigint, schedule_id int, id bigint, queue_id int,
  dispatch_lane smallint, dispatch_key bigint, project_id int, due_micros bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
  v_now timestamptz := clock_timestamp();
  v_ids int[];
  v_fires bigint[];
  v_priorities smallint[];
BEGIN
  PERFORM require_read_committed();
  SELECT array_agg(l.id) INTO v_ids
    FROM (SELECT s.id FROM schedules s
           WHERE s.queued > 0
             AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.schedule_id = s.id)
             AND (s.state IN ('active', 'completed')
                  OR (s.state = 'paused' AND EXISTS (
                        SELECT 1 FROM schedule_fires f
                         WHERE f.schedule_id = s.id AND f.outcome = 'queued' AND f.backfill_id IS NOT NULL)))
           ORDER BY s.id LIMIT p_limit
             FOR NO KEY UPDATE SKIP LOCKED) l;
  IF v_ids IS NULL THEN
    RETURN;
  END IF;
  -- Asked again under the lock: a trigger by hand may have begun a run meanwhile.
  WITH first AS MATERIALIZED (
    SELECT s.id AS schedule_id, s.template, q.id AS fire_id, b.priority
      FROM schedules s
     CROSS JOIN LATERAL (
       SELECT f.id, f.backfill_id FROM schedule_fires f
        WHERE f.schedule_id = s.id AND f.outcome = 'queued'
          AND (s.state <> 'paused' OR f.backfill_id IS NOT NULL)
        ORDER BY f.backfill_id IS NOT NULL, f.id LIMIT 1) q
      LEFT JOIN backfills b ON b.id = q.backfill_id
     WHERE s.id = ANY (v_ids) AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.schedule_id = s.id)
  ), begun AS (
    UPDATE schedule_fires f
       SET outcome = 'fired', fired_at = v_now,
           job_id = CASE i.template WHEN 'job' THEN nextval('job_id_seq') END,
           workflow_id = CASE i.template WHEN 'workflow' THEN nextval('workflows_id_seq') END
      FROM first i
     WHERE f.id = i.fire_id
    RETURNING f.id, f.schedule_id, i.priority
  ), counted AS (
    UPDATE schedules s SET queued = s.queued - 1 FROM begun b WHERE s.id = b.schedule_id
  )
  SELECT array_agg(b.id ORDER BY b.id), array_agg(b.priority ORDER BY b.id) INTO v_fires, v_priorities FROM begun b;
  IF v_fires IS NULL THEN
    RETURN;
  END IF;

  RETURN QUERY
  SELECT 'job'::text, NULL::text, NULL::text, NULL::bigint, NULL::int, r.id, r.queue_id, r.dispatch_lane,
         r.dispatch_key, r.project_id, r.due_micros
    FROM make_runs(v_fires, NULL, v_priorities) r;
  RETURN QUERY
  SELECT f.outcome, f.trigger, f.reason, micros(v_now) - micros(f.planned_at), f.schedule_id, f.id, NULL::int,
         NULL::smallint, NULL::bigint, s.project_id, NULL::bigint
    FROM schedule_fires f JOIN schedules s ON s.id = f.schedule_id
   WHERE f.id = ANY (v_fires);
END
$$;

-- Takes schedules that cannot be reckoned, or made into runs, out of the loop, unless somebody has changed them since
-- they had these versions. Arrays are parallel. Returns those that it disabled.
CREATE OR REPLACE FUNCTION disable_schedules(p_schedules int[], p_versions int[], p_reasons text[])
RETURNS TABLE (id int, project_id int)
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
  UPDATE schedules s
     SET state = 'disabled', disabled_reason = left(u.reason, 1000), next_fire_at = NULL, paused_at = NULL,
         paused_by = NULL, pause_reason = NULL, paused_until = NULL
    FROM unnest(p_schedules, p_versions, p_reasons) AS u (id, version, reason)
   WHERE s.id = u.id AND s.version = u.version
  RETURNING s.id, s.project_id
$$;

-- ---------------------------------------------------------------- by hand

-- Runs a schedule now, whatever its state, and changes nothing of when it runs next. Its overlap policy holds
-- unless p_overlap names another. p_local: now in the schedule's zone, for the payload. Empty when the project has
-- no such schedule; else the fire (outcome fired, queued or skipped) in every row, with one row per job that it
-- made (ready: due_micros null) or one without a job.
CREATE OR REPLACE FUNCTION trigger_schedule(p_project int, p_schedule int, p_by text, p_local text, p_overlap text)
RETURNS TABLE (
  fire_id bigint, outcome text, reason text, job_id bigint, workflow_id int, ready_job_id bigint, queue_id int,
  dispatch_lane smallint, dispatch_key bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
  v_policy text;
  v_fire schedule_fires;
BEGIN
  PERFORM require_read_committed();
  SELECT coalesce(p_overlap, s.overlap_policy) INTO v_policy
    FROM schedules s WHERE s.id = p_schedule AND s.project_id = p_project
     FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  INSERT INTO schedule_fires (schedule_id, planned_local, trigger, outcome, reason, sequence, job_id, workflow_id,
      requested_by, fired_at)
  SELECT s.id, p_local, 'manual', o.outcome,
         CASE o.outcome WHEN 'skipped' THEN overlap_reason(v_policy) END,
         CASE WHEN o.outcome <> 'skipped' THEN s.sequence + 1 END,
         CASE WHEN o.outcome = 'fired' AND s.template = 'job' THEN nextval('job_id_seq') END,
         CASE WHEN o.outcome = 'fired' AND s.template = 'workflow' THEN nextval('workflows_id_seq') END,
         left(p_by, 254), CASE o.outcome WHEN 'fired' THEN clock_timestamp() END
    FROM schedules s
   CROSS JOIN LATERAL (
     SELECT overlap_outcome(v_policy, s.queue_bound,
              (s.queued > 0 OR EXISTS (SELECT 1 FROM jobs j WHERE j.schedule_id = s.id))::int + s.queued, true)
              AS outcome) o
   WHERE s.id = p_schedule
  RETURNING * INTO v_fire;
  UPDATE schedules s
     SET sequence = coalesce(v_fire.sequence, s.sequence), queued = s.queued + (v_fire.outcome = 'queued')::int
   WHERE s.id = p_schedule AND v_fire.outcome <> 'skipped';
  IF v_fire.outcome = 'fired' THEN
    IF v_policy = 'cancel_previous' THEN
      PERFORM cancel_previous_runs(ARRAY[p_schedule]);
    END IF;
    RETURN QUERY
    SELECT v_fire.id, v_fire.outcome, v_fire.reason, v_fire.job_id, v_fire.workflow_id, r.id, r.queue_id,
           r.dispatch_lane, r.dispatch_key
      FROM make_runs(ARRAY[v_fire.id], NULL, NULL) r;
  ELSE
    RETURN QUERY SELECT v_fire.id, v_fire.outcome, v_fire.reason, v_fire.job_id, v_fire.workflow_id, NULL::bigint,
                        NULL::int, NULL::smallint, NULL::bigint;
  END IF;
END
$$;

-- ---------------------------------------------------------------- backfills

-- Which of a schedule's planned times a backfill would run, and as which run; null where it leaves one alone: its
-- run waits or lives, or p_reprocess does not ask for it (see backfills.reprocess). Reads only; also the dry run.
CREATE OR REPLACE FUNCTION backfill_runs(p_schedule int, p_planned timestamptz[], p_reprocess text)
RETURNS TABLE (planned_at timestamptz, run smallint)
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET plan_cache_mode = force_custom_plan
AS $$
  SELECT u.planned_at,
         CASE
           WHEN known.waits THEN NULL
           WHEN made.job_id IS NOT NULL AND EXISTS (SELECT 1 FROM jobs j WHERE j.id = made.job_id) THEN NULL
           WHEN made.workflow_id IS NOT NULL
                AND EXISTS (SELECT 1 FROM jobs j WHERE j.workflow_id = made.workflow_id) THEN NULL
           WHEN made.fire_id IS NULL OR p_reprocess = 'all' THEN coalesce(known.run + 1, 0)
           WHEN p_reprocess = 'failed' AND (
                  EXISTS (SELECT 1 FROM finished_jobs f WHERE f.id = made.job_id AND f.state <> 'succeeded')
                  OR EXISTS (SELECT 1 FROM workflows w
                              WHERE w.id = made.workflow_id AND w.final_state <> 'succeeded'))
             THEN known.run + 1
         END::smallint
    FROM unnest(p_planned) AS u (planned_at)
   CROSS JOIN LATERAL (
     SELECT max(f.run) AS run, coalesce(bool_or(f.outcome = 'queued'), false) AS waits
       FROM schedule_fires f WHERE f.schedule_id = p_schedule AND f.planned_at = u.planned_at) known
    LEFT JOIN LATERAL (
     SELECT f.id AS fire_id, f.job_id, f.workflow_id FROM schedule_fires f
      WHERE f.schedule_id = p_schedule AND f.planned_at = u.planned_at AND f.outcome = 'fired'
      ORDER BY f.run DESC LIMIT 1) made ON true
   ORDER BY u.planned_at
$$;

-- Takes the oldest backfill that is not decided to its end, and its schedule, until the transaction ends; a locked
-- schedule is another's. The caller reckons planned times after cursor_at, up to but not including range_to, and
-- calls fire_backfill in the same transaction.
CREATE OR REPLACE FUNCTION take_backfill()
RETURNS TABLE (
  id int, project_id int, name text, version int, kind text, expression text, dialect text, every_ms bigint,
  anchor timestamptz, time_zone text, start_at timestamptz, end_at timestamptz, exclusions date[], jitter_ms bigint,
  misfire_policy text, max_catch_up int, catch_up_window_ms bigint, planned_to timestamptz, now timestamptz,
  paused boolean, backfill_id int, cursor_at timestamptz, range_to timestamptz)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
  v_schedule int;
  v_backfill int;
BEGIN
  PERFORM require_read_committed();
  SELECT s.id, b.id INTO v_schedule, v_backfill
    FROM backfills b
    JOIN schedules s ON s.id = b.schedule_id
   WHERE b.state = 'running' AND (b.cursor_at IS NULL OR b.cursor_at < b.range_to)
   ORDER BY b.id LIMIT 1
     FOR NO KEY UPDATE OF s SKIP LOCKED;
  -- The schedule's lock is what makes a change of its backfills wait; what changed before it is seen now.
  RETURN QUERY
  SELECT s.id, s.project_id, s.name, s.version, s.kind, s.expression, s.dialect, s.every_ms, s.anchor, s.time_zone,
         s.start_at, s.end_at, s.exclusions, s.jitter_ms, s.misfire_policy, s.max_catch_up, s.catch_up_window_ms,
         s.planned_to, clock_timestamp(), false, b.id,
         coalesce(b.cursor_at, b.range_from - interval '1 microsecond'), b.range_to
    FROM schedules s
    JOIN backfills b ON b.schedule_id = s.id
   WHERE s.id = v_schedule AND b.id = v_backfill AND b.state = 'running'
     AND (b.cursor_at IS NULL OR b.cursor_at < b.range_to);
END
$$;

-- Decides planned times of a backfill that this transaction has taken, by the backfill's own overlap policy, makes
-- their runs and moves the backfill on to p_cursor. Returns the rows of fire_schedules.
CREATE OR REPLACE FUNCTION fire_backfill(
  p_backfill int, p_planned timestamptz[], p_locals text[], p_cursor timestamptz)
RETURNS TABLE (
  kind text, trigger text, reason text, lag_micros bigint, schedule_id int, id bigint, queue_id int,
  dispatch_lane smallint, dispatch_key bigint, project_id int, due_micros bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
  v_now timestamptz := clock_timestamp();
  v_backfill backfills;
  v_fires bigint[];
  v_outcomes text[];
  v_made bigint[];
BEGIN
  PERFORM require_read_committed();
  SELECT * INTO STRICT v_backfill FROM backfills b WHERE b.id = p_backfill;
  WITH due AS (
    SELECT r.planned_at, r.run, row_number() OVER (ORDER BY r.planned_at) AS place
      FROM backfill_runs(v_backfill.schedule_id, p_planned, v_backfill.reprocess) r
     WHERE r.run IS NOT NULL
  ), judged AS (
    SELECT d.planned_at, d.run, s.id AS schedule_id, s.template, s.sequence,
           overlap_outcome(v_backfill.overlap_policy, 1000,
             (s.queued > 0 OR EXISTS (SELECT 1 FROM jobs j WHERE j.schedule_id = s.id))::int
               + s.queued + d.place::int - 1, false) AS outcome
      FROM due d JOIN schedules s ON s.id = v_backfill.schedule_id
  ), counted AS (
    SELECT g.planned_at, g.run, g.schedule_id, g.template, g.sequence, g.outcome,
           count(*) FILTER (WHERE g.outcome <> 'skipped') OVER (ORDER BY g.planned_at) AS runs
      FROM judged g
  ), decided AS (
    INSERT INTO schedule_fires AS f (schedule_id, planned_at, planned_local, run, trigger, outcome, reason, sequence,
        job_id, workflow_id, backfill_id, requested_by, decided_at, fired_at)
    SELECT c.schedule_id, c.planned_at, l.planned_local, c.run, 'backfill', c.outcome,
           CASE c.outcome WHEN 'skipped' THEN overlap_reason(v_backfill.overlap_policy) END,
           CASE WHEN c.outcome <> 'skipped' THEN c.sequence + c.runs END,
           CASE WHEN c.outcome = 'fired' AND c.template = 'job' THEN nextval('job_id_seq') END,
           CASE WHEN c.outcome = 'fired' AND c.template = 'workflow' THEN nextval('workflows_id_seq') END,
           p_backfill, v_backfill.requested_by, v_now, CASE c.outcome WHEN 'fired' THEN v_now END
      FROM counted c
      JOIN unnest(p_planned, p_locals) AS l (planned_at, planned_local) ON l.planned_at = c.planned_at
     ORDER BY c.planned_at
    ON CONFLICT ON CONSTRAINT schedule_fires_once DO NOTHING
    RETURNING f.id, f.outcome
  )
  SELECT array_agg(d.id), array_agg(d.outcome), array_agg(d.id) FILTER (WHERE d.outcome = 'fired')
    INTO v_fires, v_outcomes, v_made
    FROM decided d;

  UPDATE schedules s SET sequence = s.sequence + n.accepted, queued = s.queued + n.queued
    FROM (SELECT count(*) FILTER (WHERE o.outcome <> 'skipped')::int AS accepted,
                 count(*) FILTER (WHERE o.outcome = 'queued')::int AS queued
            FROM unnest(v_outcomes) AS o (outcome)) n
   WHERE s.id = v_backfill.schedule_id AND n.accepted > 0;
  UPDATE backfills b
     SET cursor_at = p_cursor, accepted = b.accepted + n.accepted, skipped = b.skipped + n.skipped,
         left_alone = b.left_alone + cardinality(p_planned) - n.accepted - n.skipped
    FROM (SELECT count(*) FILTER (WHERE o.outcome <> 'skipped')::int AS accepted,
                 count(*) FILTER (WHERE o.outcome = 'skipped')::int AS skipped
            FROM unnest(v_outcomes) AS o (outcome)) n
   WHERE b.id = p_backfill;

  IF v_made IS NOT NULL THEN
    RETURN QUERY
    SELECT 'job'::text, NULL::text, NULL::text, NULL::bigint, NULL::int, r.id, r.queue_id, r.dispatch_lane,
           r.dispatch_key, r.project_id, r.due_micros
      FROM make_runs(v_made, NULL, array_fill(v_backfill.priority, ARRAY[cardinality(v_made)])) r;
  END IF;
  RETURN QUERY
  SELECT f.outcome, f.trigger, f.reason, micros(v_now) - micros(f.planned_at), f.schedule_id, f.id, NULL::int,
         NULL::smallint, NULL::bigint, s.project_id, NULL::bigint
    FROM schedule_fires f JOIN schedules s ON s.id = f.schedule_id
   WHERE f.id = ANY (v_fires);
END
$$;

-- Notes the end of backfills that are decided and of whose fires none waits. Returns how many.
CREATE OR REPLACE FUNCTION finish_backfills() RETURNS int
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET plan_cache_mode = force_custom_plan
AS $$
  WITH ended AS (
    UPDATE backfills b SET state = 'completed', finished_at = clock_timestamp()
     WHERE b.state = 'running' AND b.cursor_at >= b.range_to
       AND NOT EXISTS (SELECT 1 FROM schedule_fires f WHERE f.backfill_id = b.id AND f.outcome = 'queued')
    RETURNING 1)
  SELECT count(*)::int FROM ended
$$;

-- Ends a backfill before its time: what it has not decided stays undone, its waiting fires are skipped, runs that
-- it made go on. Returns its state afterwards and the fires that were dropped; empty when there is no such backfill.
CREATE OR REPLACE FUNCTION abort_backfill(p_project int, p_schedule int, p_backfill int, p_error text)
RETURNS TABLE (state text, dropped int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
  v_dropped int := 0;
BEGIN
  PERFORM require_read_committed();
  PERFORM 1 FROM schedules s WHERE s.id = p_schedule AND s.project_id = p_project FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  UPDATE backfills b SET state = 'aborted', finished_at = clock_timestamp(), error = left(p_error, 1000)
   WHERE b.id = p_backfill AND b.schedule_id = p_schedule AND b.state = 'running';
  IF FOUND THEN
    UPDATE schedule_fires f SET outcome = 'skipped', reason = 'aborted'
     WHERE f.backfill_id = p_backfill AND f.outcome = 'queued';
    GET DIAGNOSTICS v_dropped = ROW_COUNT;
    UPDATE schedules s SET queued = s.queued - v_dropped WHERE s.id = p_schedule AND v_dropped > 0;
  END IF;
  RETURN QUERY
  SELECT b.state, v_dropped FROM backfills b WHERE b.id = p_backfill AND b.schedule_id = p_schedule;
END
$$;

-- ---------------------------------------------------------------- history

-- Deletes fires decided over p_age ago among the p_limit oldest; one that waits goes only with its schedule.
-- Returns how many: call again while that is p_limit.
CREATE OR REPLACE FUNCTION expire_fires(p_age interval, p_limit int) RETURNS int
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET plan_cache_mode = force_custom_plan
AS $$
  WITH oldest AS MATERIALIZED (
    SELECT f.id, f.schedule_id, f.outcome, f.decided_at FROM schedule_fires f ORDER BY f.id LIMIT p_limit
  ), gone AS (
    DELETE FROM schedule_fires f
     WHERE f.id = ANY (ARRAY(
       SELECT o.id FROM oldest o
        WHERE o.decided_at < clock_timestamp() - p_age
          AND (o.outcome <> 'queued' OR NOT EXISTS (SELECT 1 FROM schedules s WHERE s.id = o.schedule_id))))
    RETURNING 1)
  SELECT count(*)::int FROM gone
$$;
