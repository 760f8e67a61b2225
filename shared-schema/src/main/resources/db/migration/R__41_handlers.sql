-- What a running job may ask of its workflow: the results of its parents, and jobs downstream of itself. Both are
-- for the holder of the lease only.

-- The parents of a running job by id, each with its state, and what became of its result:
--   result     here it is, as it was typed
--   none       it has none: it ended without, or has not ended
--   gone       its row was dropped, its retention has ended
--   too-large  more than p_most bytes, or the results before it leave less than that of p_most_in_all
-- What a gate took (a signal's payload) and what somebody put in its place are results too. A key is given for
-- members of the job's workflow. Locks nothing; reads of results what it returns, and one of each that is too large.
-- Raises JS001 when the lease is not, or no longer, held.
CREATE OR REPLACE FUNCTION parent_results(
  p_worker bigint, p_job_id bigint, p_lease_token bigint, p_most int, p_most_in_all int)
RETURNS TABLE (parent_id bigint, key text, state text, kind text, result text)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_flow int;
  v_parents bigint[];
  v_parent record;
  v_left bigint := p_most_in_all;
BEGIN
  SELECT j.workflow_id INTO v_flow
    FROM jobs j WHERE j.id = p_job_id AND j.lease_token = p_lease_token AND j.worker_id = p_worker;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'lease % of job % is lost', p_lease_token, p_job_id USING ERRCODE = 'JS001';
  END IF;
  v_parents := ARRAY(SELECT d.parent_id FROM dependencies d WHERE d.child_id = p_job_id);
  FOR v_parent IN
    SELECT d.parent_id, m.key, coalesce(f.state, l.state, d.outcome) AS state,
           f.id IS NULL AND l.id IS NULL AS gone, f.result, pg_column_size(f.result) AS stored
      FROM dependencies d
      LEFT JOIN workflow_members m ON m.workflow_id = v_flow AND m.job_id = d.parent_id
      LEFT JOIN (SELECT j.id, j.state FROM jobs j WHERE j.id = ANY (v_parents)) l ON l.id = d.parent_id
      LEFT JOIN (SELECT e.id, e.state, e.result FROM finished_jobs e WHERE e.id = ANY (v_parents)) f
        ON f.id = d.parent_id
     WHERE d.child_id = p_job_id
     ORDER BY d.parent_id
  LOOP
    parent_id := v_parent.parent_id;
    key := v_parent.key;
    state := v_parent.state;
    result := NULL;
    IF v_parent.gone THEN
      kind := 'gone';
    ELSIF v_parent.result IS NULL THEN
      kind := 'none';
    -- As stored it may be compressed, and is hardly larger than what it says: a look at that spares the reading.
    ELSIF v_parent.stored > least(p_most, v_left) + 8 OR octet_length(v_parent.result::text) > least(p_most, v_left) THEN
      kind := 'too-large';
    ELSE
      kind := 'result';
      result := v_parent.result::text;
      v_left := v_left - octet_length(result);
    END IF;
    RETURN NEXT;
  END LOOP;
END
$$;

-- Which of the jobs that somebody adds to a workflow are there already, and whether each is the same: of that type,
-- queue, payload, join, gate, and with those edges (none: on the success of p_key). Internal to add_downstream.
-- Everything is looked up once and joined by hash: thousands of jobs may be added at a time, and again.
CREATE OR REPLACE FUNCTION present_members(
  p_workflow int, p_key text, p_jobs json, p_parents text[], p_children text[], p_on text[])
RETURNS TABLE (key text, same boolean)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET enable_nestloop = off
SET jit = off
AS $$
  WITH asked AS MATERIALIZED (
    SELECT m.job_id, m.key, e.job
      FROM json_array_elements(p_jobs) AS e (job)
      JOIN workflow_members m ON m.workflow_id = p_workflow AND m.key = e.job ->> 'key'
  ), stored AS MATERIALIZED (
    SELECT j.id, j.type, j.queue_id, j.payload, j.join_mode, j.gate
      FROM jobs j WHERE j.id = ANY (ARRAY(SELECT a.job_id FROM asked a))
    UNION ALL
    SELECT f.id, f.type, f.queue_id, f.payload, f.join_mode, f.gate
      FROM finished_jobs f WHERE f.id = ANY (ARRAY(SELECT a.job_id FROM asked a))
  ), wanted AS MATERIALIZED (
    SELECT a.job_id, w.parent, w.condition
      FROM asked a
      JOIN unnest(p_parents, p_children, p_on) AS w (parent, child, condition) ON w.child = a.key
    UNION ALL
    SELECT a.job_id, p_key, 'success'
      FROM asked a
     WHERE NOT EXISTS (SELECT 1 FROM unnest(p_children) AS w (child) WHERE w.child = a.key)
  ), present AS MATERIALIZED (
    SELECT d.child_id, p.key AS parent, d.on_outcome
      FROM dependencies d
      JOIN workflow_members p ON p.workflow_id = p_workflow AND p.job_id = d.parent_id
     WHERE d.child_id = ANY (ARRAY(SELECT a.job_id FROM asked a))
  ), missing AS MATERIALIZED (
    SELECT DISTINCT w.job_id
      FROM wanted w
      LEFT JOIN present p ON p.child_id = w.job_id AND p.parent = w.parent AND p.on_outcome = w.condition
     WHERE p.child_id IS NULL
  )
  SELECT a.key,
         -- A member whose row is gone is known by its key alone.
         (t.id IS NULL
           OR (t.type = a.job ->> 'type' AND q.name = coalesce(a.job ->> 'queue', 'default')
               AND t.payload::text IS NOT DISTINCT FROM (a.job -> 'payload')::text
               AND t.join_mode IS NOT DISTINCT FROM a.job ->> 'join'
               AND t.gate IS NOT DISTINCT FROM a.job ->> 'gate'))
         -- Others may have added edges to it since.
         AND x.job_id IS NULL AS same
    FROM asked a
    LEFT JOIN stored t ON t.id = a.job_id
    LEFT JOIN queues q ON q.id = t.queue_id
    LEFT JOIN missing x ON x.job_id = a.job_id
$$;

-- A running job adds jobs downstream of itself, as grow_workflow does, but so that an attempt after this one can
-- add them again: a job whose key is taken by one of the same type, queue, payload, join, gate and dependencies
-- is there already and nothing is done for it. Verdicts beyond those of grow_workflow:
--   present    it was there; the others are added
--   different  the key is taken by another job: nothing is added
-- Whoever holds the workflow's lock decides alone; a call whose reply was lost can be repeated.
CREATE OR REPLACE FUNCTION add_downstream(
  p_worker bigint, p_job_id bigint, p_lease_token bigint, p_jobs json, p_parents text[], p_children text[],
  p_on text[])
RETURNS TABLE (verdict text, key text, id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET lock_timeout = '2s'
AS $$
#variable_conflict use_column
DECLARE
  v_flow int;
  v_project int;
  v_key text;
  v_present text[];
  v_different text[];
  v_rest json := p_jobs;
  v_parents text[] := p_parents;
  v_children text[] := p_children;
  v_on text[] := p_on;
BEGIN
  PERFORM require_read_committed();
  SELECT j.workflow_id, j.project_id INTO v_flow, v_project FROM jobs j WHERE j.id = p_job_id;
  IF v_flow IS NOT NULL THEN
    PERFORM hold_workflow(v_project, v_flow);
    SELECT j.workflow_key INTO v_key
      FROM jobs j WHERE j.id = p_job_id AND j.lease_token = p_lease_token AND j.worker_id = p_worker;
  END IF;
  IF v_key IS NULL THEN
    RETURN QUERY SELECT 'lease-lost'::text, NULL::text, NULL::bigint, 0, 0::smallint, 0::bigint;
    RETURN;
  END IF;

  SELECT array_agg(k.key) FILTER (WHERE k.same), array_agg(k.key) FILTER (WHERE NOT k.same)
    INTO v_present, v_different
    FROM present_members(v_flow, v_key, p_jobs, p_parents, p_children, p_on) k;
  IF v_different IS NOT NULL THEN
    RETURN QUERY SELECT 'different'::text, u.key, NULL::bigint, 0, 0::smallint, 0::bigint
                   FROM unnest(v_different) AS u (key);
    RETURN;
  END IF;

  IF v_present IS NOT NULL THEN
    SELECT json_agg(e.job ORDER BY e.n) INTO v_rest
      FROM json_array_elements(p_jobs) WITH ORDINALITY AS e (job, n)
      LEFT JOIN unnest(v_present) AS b (key) ON b.key = e.job ->> 'key'
     WHERE b.key IS NULL;
    SELECT array_agg(w.parent ORDER BY w.n), array_agg(w.child ORDER BY w.n), array_agg(w.condition ORDER BY w.n)
      INTO v_parents, v_children, v_on
      FROM unnest(p_parents, p_children, p_on) WITH ORDINALITY AS w (parent, child, condition, n)
      LEFT JOIN unnest(v_present) AS b (key) ON b.key = w.child
     WHERE b.key IS NULL;
    RETURN QUERY
    SELECT 'present'::text, m.key, m.job_id, 0, 0::smallint, 0::bigint
      FROM workflow_members m WHERE m.workflow_id = v_flow AND m.key = ANY (v_present);
  END IF;
  IF v_rest IS NOT NULL THEN
    RETURN QUERY SELECT g.verdict, g.key, g.id, g.queue_id, g.dispatch_lane, g.dispatch_key
                   FROM grow_workflow(p_worker, p_job_id, p_lease_token, v_rest, v_parents, v_children, v_on) g;
  END IF;
END
$$;
