-- Growth: jobs that are added to a workflow which runs already, by people or by one of its own jobs.

-- Notes of live jobs of a project that they have children, so that their end tells them. A row that somebody holds is
-- not waited for: an assert_lease may hold a running parent's for long, even that of the one who grows. The sweep
-- tells its children then. Internal.
CREATE OR REPLACE FUNCTION mark_parents(p_project int, p_parents bigint[]) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
AS $$
  UPDATE jobs j SET has_dependents = true
   WHERE j.id = ANY (ARRAY(SELECT p.id FROM jobs p
                            WHERE p.id = ANY (p_parents) AND p.project_id = p_project AND NOT p.has_dependents
                            ORDER BY p.id FOR NO KEY UPDATE SKIP LOCKED))
$$;

DROP FUNCTION IF EXISTS grow_members(int, json, text[], bigint[], text[], text[]);
DROP FUNCTION IF EXISTS grow_members(int, json, text[], bigint[], text[], text[], text);
-- Adds jobs and edges to a workflow that the caller holds (hold_workflow). All or nothing: every verdict but added
-- means that nothing has happened. Arrays are parallel, one element per edge.
--   p_jobs        a JSON array, each [{"key", "type", "queue": "default", "payload", "priority": 4, "maxAttempts": 20,
--                 "retryPolicy": {…}, "timeoutMs", "startBy", "cost": 1, "concurrencyKey", "tags": ["…"], "metadata": {…}, "join": "all_done | any_success |
--                 none_failed", "gate": "join | time | signal | approval", "runAt", "expectedMs"}]; key and type
--                 are needed. What it holds has been checked by the caller: sizes, ranges, the payload's rules
--   p_parents     the key of a member, or of a job of p_jobs; or null, then
--   p_parent_ids  the id of any job of the project
--   p_children    the key of a job of p_jobs, or of a member that waits
--   p_on          success | done | failure
--   p_traceparent the trace context that jobs, but not gates, get; or null
-- The caller has made sure that the graph has no cycle. Planned for its arrays each time, as connect_jobs is.
-- Verdicts:
--   added          one row per job of p_jobs; queue_id is 0 unless it is ready
--   finished · cancelled · overdue   the workflow: it takes no more jobs; overdue: its deadline has passed
--   too-large      it would have more than 20,000 jobs or 200,000 edges
--   duplicate-key · unknown-queue · unknown-key · unknown-job · started    with the key in question: it is used
--                  twice; names no queue of the project (the queue's name is returned), no member, no job of the
--                  project; or the child has started already, so that it can wait for nothing more
--   condition-differs      the child (its key) waits for that parent already, or twice, on another outcome; id is
--                  the number of the edge, from 1
CREATE FUNCTION grow_members(
  p_workflow int, p_jobs json, p_parents text[], p_parent_ids bigint[], p_children text[], p_on text[],
  p_traceparent text)
RETURNS TABLE (verdict text, key text, id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
  v_flow workflows;
  v_keys text[];
  v_new bigint[];
  v_bad text[];
  v_from bigint[];
  v_to bigint[];
  v_old bigint[];
  v_live bigint[];
  v_ended bigint[];
  v_waiting bigint[];
  v_ready bigint[];
  v_edges bigint;
  v_bad_edges bigint[];
BEGIN
  SELECT w.* INTO v_flow FROM workflows w WHERE w.id = p_workflow;
  -- Its end is noted by the leader a moment after its last job has ended.
  IF v_flow.finished_at IS NOT NULL OR NOT EXISTS (SELECT 1 FROM jobs j WHERE j.workflow_id = p_workflow) THEN
    RETURN QUERY SELECT 'finished'::text, NULL::text, NULL::bigint, 0, 0::smallint, 0::bigint;
    RETURN;
  ELSIF v_flow.cancelled_at IS NOT NULL THEN
    RETURN QUERY SELECT 'cancelled'::text, NULL::text, NULL::bigint, 0, 0::smallint, 0::bigint;
    RETURN;
  ELSIF v_flow.deadline_passed_at IS NOT NULL OR v_flow.deadline_at <= clock_timestamp() THEN
    RETURN QUERY SELECT 'overdue'::text, NULL::text, NULL::bigint, 0, 0::smallint, 0::bigint;
    RETURN;
  END IF;

  SELECT coalesce(array_agg(e.job ->> 'key' ORDER BY e.n), '{}'), coalesce(array_agg(nextval('job_id_seq') ORDER BY e.n), '{}')
    INTO v_keys, v_new
    FROM json_array_elements(p_jobs) WITH ORDINALITY AS e (job, n);
  SELECT count(*) INTO v_edges FROM dependencies d WHERE d.workflow_id = p_workflow;
  IF v_flow.job_count + cardinality(v_keys) > 20000 OR v_edges + coalesce(cardinality(p_children), 0) > 200000 THEN
    RETURN QUERY SELECT 'too-large'::text, NULL::text, NULL::bigint, 0, 0::smallint, 0::bigint;
    RETURN;
  END IF;
  SELECT array_agg(b.key) INTO v_bad
    FROM (SELECT u.key FROM unnest(v_keys) AS u (key) GROUP BY u.key HAVING count(*) > 1
          UNION
          SELECT m.key FROM workflow_members m WHERE m.workflow_id = p_workflow AND m.key = ANY (v_keys)) b;
  IF v_bad IS NOT NULL THEN
    RETURN QUERY SELECT 'duplicate-key'::text, b.key, NULL::bigint, 0, 0::smallint, 0::bigint FROM unnest(v_bad) AS b (key);
    RETURN;
  END IF;
  SELECT array_agg(DISTINCT coalesce(e.job ->> 'queue', 'default')) INTO v_bad
    FROM json_array_elements(p_jobs) AS e (job)
   WHERE NOT EXISTS (SELECT 1 FROM queues q
                      WHERE q.project_id = v_flow.project_id AND q.name = coalesce(e.job ->> 'queue', 'default')
                        AND q.deleted_at IS NULL);
  IF v_bad IS NOT NULL THEN
    RETURN QUERY SELECT 'unknown-queue'::text, b.key, NULL::bigint, 0, 0::smallint, 0::bigint FROM unnest(v_bad) AS b (key);
    RETURN;
  END IF;

  -- Keys to ids.
  WITH names AS MATERIALIZED (
    SELECT m.key, m.job_id FROM workflow_members m WHERE m.workflow_id = p_workflow
    UNION ALL
    SELECT u.key, u.job_id FROM unnest(v_keys, v_new) AS u (key, job_id)
  )
  SELECT coalesce(array_agg(coalesce(e.parent_id, f.job_id) ORDER BY e.n), '{}'),
         coalesce(array_agg(t.job_id ORDER BY e.n), '{}'),
         array_agg(CASE WHEN t.job_id IS NULL THEN e.child ELSE e.parent END)
           FILTER (WHERE t.job_id IS NULL OR (e.parent_id IS NULL AND f.job_id IS NULL))
    INTO v_from, v_to, v_bad
    FROM unnest(p_parents, p_parent_ids, p_children) WITH ORDINALITY AS e (parent, parent_id, child, n)
    LEFT JOIN names f ON f.key = e.parent
    LEFT JOIN names t ON t.key = e.child;
  IF v_bad IS NOT NULL THEN
    RETURN QUERY SELECT DISTINCT 'unknown-key'::text, b.key, NULL::bigint, 0, 0::smallint, 0::bigint FROM unnest(v_bad) AS b (key);
    RETURN;
  END IF;

  SELECT array_agg(e.n) INTO v_bad_edges
    FROM (SELECT u.child, u.parent, u.condition, u.n,
                 first_value(u.condition) OVER (PARTITION BY u.child, u.parent ORDER BY u.n) AS first
            FROM unnest(v_to, v_from, p_on) WITH ORDINALITY AS u (child, parent, condition, n)) e
    LEFT JOIN dependencies d ON d.child_id = e.child AND d.parent_id = e.parent
   WHERE e.condition <> coalesce(d.on_outcome, e.first);
  IF v_bad_edges IS NOT NULL THEN
    RETURN QUERY SELECT 'condition-differs'::text, e.child, e.n, 0, 0::smallint, 0::bigint
                   FROM unnest(p_children) WITH ORDINALITY AS e (child, n)
                   JOIN unnest(v_bad_edges) AS b (n) ON b.n = e.n;
    RETURN;
  END IF;

  -- Members that get another edge: locked while they wait; one that a claim gets first has started.
  SELECT array_agg(DISTINCT u.id) INTO v_old
    FROM unnest(v_to) AS u (id) WHERE u.id NOT IN (SELECT n.id FROM unnest(v_new) AS n (id));
  IF v_old IS NOT NULL THEN
    SELECT array_agg(l.id) INTO v_waiting
      FROM (SELECT j.id FROM jobs j WHERE j.id = ANY (v_old) AND j.lease_token IS NULL ORDER BY j.id FOR UPDATE) l;
    IF coalesce(cardinality(v_waiting), 0) < cardinality(v_old) THEN
      RETURN QUERY SELECT 'started'::text, m.key, m.job_id, 0, 0::smallint, 0::bigint
                     FROM workflow_members m
                    WHERE m.workflow_id = p_workflow AND m.job_id = ANY (v_old)
                      AND m.job_id <> ALL (coalesce(v_waiting, '{}'));
      RETURN;
    END IF;
  END IF;

  -- Whoever adds an edge holds the parent, wherever it is, so that it neither ends nor comes back before the edge
  -- is seen. FOR SHARE goes with an assert_lease. Members end and come back only under the workflow's lock, but for
  -- those that are skipped from pending_releases, and for other workflows' jobs.
  SELECT array_agg(DISTINCT u.id) INTO v_old
    FROM unnest(v_from) AS u (id) WHERE u.id NOT IN (SELECT n.id FROM unnest(v_new) AS n (id));
  IF v_old IS NOT NULL THEN
    -- Marked before they are shared: of two who share one, neither could mark it.
    PERFORM mark_parents(v_flow.project_id, v_old);
    FOR i IN 1 .. 3 LOOP
      SELECT array_agg(l.id) INTO v_live
        FROM (SELECT j.id FROM jobs j WHERE j.id = ANY (v_old) AND j.project_id = v_flow.project_id
               ORDER BY j.id FOR SHARE) l;
      SELECT array_agg(l.id) INTO v_ended
        FROM (SELECT f.id FROM finished_jobs f
               WHERE f.id = ANY (ARRAY(SELECT u.id FROM unnest(v_old) AS u (id)
                                       EXCEPT SELECT u.id FROM unnest(v_live) AS u (id)))
                 AND f.project_id = v_flow.project_id
               ORDER BY f.id FOR SHARE) l;
      EXIT WHEN coalesce(cardinality(v_live), 0) + coalesce(cardinality(v_ended), 0) = cardinality(v_old);
    END LOOP;
    IF coalesce(cardinality(v_live), 0) + coalesce(cardinality(v_ended), 0) < cardinality(v_old) THEN
      RETURN QUERY SELECT 'unknown-job'::text, coalesce(m.key, u.id::text), u.id, 0, 0::smallint, 0::bigint
                     FROM (SELECT o.id FROM unnest(v_old) AS o (id)
                           EXCEPT SELECT h.id FROM unnest(v_live || v_ended) AS h (id)) u
                     LEFT JOIN workflow_members m ON m.workflow_id = p_workflow AND m.job_id = u.id;
      RETURN;
    END IF;
  END IF;

  INSERT INTO jobs (id, project_id, queue_id, type, state, priority, dispatch_lane, dispatch_key, run_at,
      max_attempts, retry_policy, payload, timeout_ms, start_by, cost, concurrency_key, workflow_id, workflow_key,
      has_dependencies, has_dependents, join_mode, gate, tags, metadata, traceparent)
  SELECT v_new[e.n], q.project_id, q.id, e.job ->> 'type', 'blocked', p.priority,
         ready_lane(p.priority, q.ageing_ms), ready_key(micros(v_flow.created_at), p.priority, q.ageing_ms),
         (e.job ->> 'runAt')::timestamptz, coalesce((e.job ->> 'maxAttempts')::int, 20),
         (e.job -> 'retryPolicy' #>> '{}')::json, e.job -> 'payload',
         (e.job ->> 'timeoutMs')::bigint, (e.job ->> 'startBy')::timestamptz,
         coalesce((e.job ->> 'cost')::int, 1), e.job ->> 'concurrencyKey', p_workflow, e.job ->> 'key',
         t.id IS NOT NULL, f.id IS NOT NULL, e.job ->> 'join', e.job ->> 'gate',
         names_of(e.job -> 'tags'), e.job -> 'metadata', CASE WHEN e.job ->> 'gate' IS NULL THEN p_traceparent END
    FROM json_array_elements(p_jobs) WITH ORDINALITY AS e (job, n)
    LEFT JOIN (SELECT DISTINCT u.id FROM unnest(v_to) AS u (id)) t ON t.id = v_new[e.n]
    LEFT JOIN (SELECT DISTINCT u.id FROM unnest(v_from) AS u (id)) f ON f.id = v_new[e.n]
   CROSS JOIN LATERAL (SELECT coalesce((e.job ->> 'priority')::smallint, 4::smallint) AS priority) p
    JOIN queues q ON q.project_id = v_flow.project_id AND q.name = coalesce(e.job ->> 'queue', 'default')
                 AND q.deleted_at IS NULL;
  INSERT INTO workflow_members (workflow_id, job_id, key, expected_ms)
  SELECT p_workflow, v_new[e.n], e.job ->> 'key', (e.job ->> 'expectedMs')::bigint
    FROM json_array_elements(p_jobs) WITH ORDINALITY AS e (job, n);
  -- An edge that is there already counts once.
  INSERT INTO dependencies (child_id, parent_id, workflow_id, on_outcome)
  SELECT u.child, u.parent, p_workflow, u.condition
    FROM unnest(v_to, v_from, p_on) AS u (child, parent, condition)
  ON CONFLICT DO NOTHING;
  IF v_ended IS NOT NULL THEN
    UPDATE dependencies d
       SET (outcome, benign, waived) = (SELECT o.outcome, o.benign, d.waived OR o.waived
                                          FROM edge_of_ended(f.state, f.state_reason, d.on_outcome) o)
      FROM finished_jobs f
     WHERE d.parent_id = ANY (v_ended) AND d.child_id IN (SELECT u.id FROM unnest(v_to) AS u (id))
       AND d.outcome IS NULL AND f.id = ANY (v_ended) AND f.id = d.parent_id;
  END IF;
  IF v_live IS NOT NULL THEN
    -- Again: a row that a claim or a settle had then is ours now.
    PERFORM mark_parents(v_flow.project_id, v_live);
  END IF;
  IF v_waiting IS NOT NULL THEN
    UPDATE jobs j SET has_dependencies = true WHERE j.id = ANY (v_waiting) AND NOT j.has_dependencies;
    -- As in bring_back: a gate that was open is not any more; its time runs anew. An edge that is met already
    -- changes nothing.
    UPDATE jobs j
       SET state = 'blocked', ready_at = NULL, state_reason = NULL,
           start_by = CASE WHEN j.gate IS NULL THEN j.start_by END,
           run_at = CASE WHEN j.gate = 'time' AND j.payload ->> 'waitMs' IS NOT NULL THEN NULL ELSE j.run_at END
     WHERE j.id = ANY (v_waiting)
       AND EXISTS (SELECT 1 FROM dependencies d WHERE d.child_id = j.id AND NOT d.met);
  END IF;
  UPDATE workflows w SET job_count = w.job_count + cardinality(v_new), planned_at = NULL WHERE w.id = p_workflow;

  SELECT array_agg(c.id) INTO v_ready FROM release_children(v_new || v_waiting) c;
  RETURN QUERY
  SELECT 'added'::text, n.key, n.id, coalesce(j.queue_id, 0), coalesce(j.dispatch_lane, 0::smallint),
         coalesce(j.dispatch_key, 0)
    FROM unnest(v_keys, v_new) AS n (key, id)
    LEFT JOIN jobs j ON j.id = n.id AND j.state = 'ready';
END
$$;

-- A running job adds jobs downstream of itself; p_job_id and p_lease_token as its claim gave them, p_worker the
-- holder of the lease. p_jobs and the edges as for grow_members, but:
--   - every p_children names a job of p_jobs; p_parents any member, or a job that stands before it in p_jobs
--   - a job of p_jobs without an edge waits for the success of the job that adds it
--   - the trace of the job that adds them is theirs too
-- Verdicts beyond those of grow_members:
--   lease-lost     the lease has ended, or its job is in no workflow
--   not-downstream a child is no job of p_jobs, or a parent stands after its child (with the child's key)
-- Jobs are ready at commit at the earliest. May raise 40P01 or 55P03: nothing has happened, call again.
CREATE OR REPLACE FUNCTION grow_workflow(
  p_worker bigint, p_job_id bigint, p_lease_token bigint, p_jobs json, p_parents text[], p_children text[],
  p_on text[])
RETURNS TABLE (verdict text, key text, id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET plan_cache_mode = force_custom_plan
SET lock_timeout = '2s'
AS $$
#variable_conflict use_column
DECLARE
  v_flow int;
  v_project int;
  v_key text;
  v_trace text;
  v_keys text[];
  v_bad text[];
  v_parents text[] := coalesce(p_parents, '{}');
  v_children text[] := coalesce(p_children, '{}');
  v_on text[] := coalesce(p_on, '{}');
BEGIN
  PERFORM require_read_committed();
  SELECT j.workflow_id, j.project_id INTO v_flow, v_project FROM jobs j WHERE j.id = p_job_id;
  IF v_flow IS NOT NULL THEN
    PERFORM hold_workflow(v_project, v_flow);
    -- Under the lock no lease of the workflow ends: each settle, the reaper's too, has to share it.
    SELECT j.workflow_key, j.traceparent INTO v_key, v_trace
      FROM jobs j WHERE j.id = p_job_id AND j.lease_token = p_lease_token AND j.worker_id = p_worker;
  END IF;
  IF v_key IS NULL THEN
    RETURN QUERY SELECT 'lease-lost'::text, NULL::text, NULL::bigint, 0, 0::smallint, 0::bigint;
    RETURN;
  END IF;
  SELECT coalesce(array_agg(e.job ->> 'key' ORDER BY e.n), '{}') INTO v_keys
    FROM json_array_elements(p_jobs) WITH ORDINALITY AS e (job, n);
  SELECT array_agg(e.child) INTO v_bad
    FROM unnest(v_parents, v_children) AS e (parent, child)
    LEFT JOIN unnest(v_keys) WITH ORDINALITY AS c (key, n) ON c.key = e.child
    LEFT JOIN unnest(v_keys) WITH ORDINALITY AS p (key, n) ON p.key = e.parent
   WHERE c.n IS NULL OR p.n >= c.n;
  IF v_bad IS NOT NULL THEN
    RETURN QUERY SELECT DISTINCT 'not-downstream'::text, b.key, NULL::bigint, 0, 0::smallint, 0::bigint FROM unnest(v_bad) AS b (key);
    RETURN;
  END IF;
  SELECT v_parents || coalesce(array_agg(v_key), '{}'), v_children || coalesce(array_agg(k.key), '{}'),
         v_on || coalesce(array_agg('success'::text), '{}')
    INTO v_parents, v_children, v_on
    FROM unnest(v_keys) AS k (key)
   WHERE k.key NOT IN (SELECT c.key FROM unnest(v_children) AS c (key));
  RETURN QUERY SELECT g.verdict, g.key, g.id, g.queue_id, g.dispatch_lane, g.dispatch_key
                 FROM grow_members(v_flow, p_jobs, v_parents, NULL, v_children, v_on, v_trace) g;
END
$$;

DROP FUNCTION IF EXISTS add_members(int, int, json, text[], bigint[], text[], text[]);
DROP FUNCTION IF EXISTS add_members(int, int, json, text[], bigint[], text[], text[], text);
-- The same by somebody who has authorised the project: jobs, and edges into members that wait.
-- absent: the project has no such workflow.
CREATE FUNCTION add_members(
  p_project int, p_workflow int, p_jobs json, p_parents text[], p_parent_ids bigint[], p_children text[],
  p_on text[], p_traceparent text DEFAULT NULL)
RETURNS TABLE (verdict text, key text, id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET lock_timeout = '2s'
AS $$
#variable_conflict use_column
BEGIN
  IF hold_workflow(p_project, p_workflow) = 'absent' THEN
    RETURN QUERY SELECT 'absent'::text, NULL::text, NULL::bigint, 0, 0::smallint, 0::bigint;
    RETURN;
  END IF;
  RETURN QUERY SELECT g.verdict, g.key, g.id, g.queue_id, g.dispatch_lane, g.dispatch_key
                 FROM grow_members(p_workflow, p_jobs, p_parents, p_parent_ids, p_children, p_on, p_traceparent) g;
END
$$;
