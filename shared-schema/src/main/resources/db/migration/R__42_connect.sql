-- Edges from jobs that exist already to jobs that are being handed in.

-- What an edge is told of a parent that had ended before it was added, as if it had been there then: see end_member
-- and skip_children. Null, and not waived, of one that lives.
CREATE OR REPLACE FUNCTION edge_of_ended(
  p_state text, p_reason text, p_on text, OUT outcome text, OUT benign boolean, OUT waived boolean)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT p_state,
         CASE WHEN p_state = 'skipped' THEN p_reason IS DISTINCT FROM 'dependency-failed' END,
         jobs.is_bypassed(p_state, p_reason) AND p_on <> 'failure'
$$;

DROP FUNCTION IF EXISTS connect_jobs(int, bigint[], bigint[], text[], bigint[]);
-- Makes jobs that the caller's transaction has just inserted, blocked, wait for jobs that the project has, of any
-- workflow or none, live or ended: p_children[i] for p_parents[i] to end as p_conditions[i] says. What has ended
-- counts at once. Then decides those children, and p_undecided (gates without a parent): they become ready or
-- scheduled, go on waiting, or end. Returns kind unknown for each parent that the project does not have (then
-- nothing was stored; the caller rolls back), else kind child_ready for each job that became ready.
--
-- New jobs only ever wait for older ones, so no edge made here can close a cycle.
--
-- Planned for its arrays each time: a plan for any arrays reckons with ten elements, and compares each edge with each
-- parent (800 edges: 657,000 rows instead of 17,000).
CREATE FUNCTION connect_jobs(
  p_project int, p_children bigint[], p_parents bigint[], p_conditions text[], p_undecided bigint[])
RETURNS TABLE (
  kind text, id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint, project_id int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET plan_cache_mode = force_custom_plan
SET lock_timeout = '200ms'
AS $$
#variable_conflict use_column
DECLARE
  v_parents bigint[] := ARRAY(SELECT DISTINCT p.id FROM unnest(p_parents) AS p (id) ORDER BY p.id);
  v_unmarked bigint[];
  v_held bigint[];
BEGIN
  PERFORM require_read_committed();
  IF cardinality(v_parents) > 0 THEN
    -- The end of a job tells its children only if it knows that it has some. The row of a running job may be held
    -- by somebody's assert_lease for as long as they like: then the mark is left out, and the leader's sweep is
    -- who tells.
    BEGIN
      SELECT array_agg(l.id) INTO v_unmarked
        FROM (SELECT j.id FROM jobs j
               WHERE j.id = ANY (v_parents) AND j.project_id = p_project AND NOT j.has_dependents
               ORDER BY j.id FOR NO KEY UPDATE) l;
    EXCEPTION WHEN lock_not_available THEN
      SELECT array_agg(l.id) INTO v_unmarked
        FROM (SELECT j.id FROM jobs j
               WHERE j.id = ANY (v_parents) AND j.project_id = p_project AND NOT j.has_dependents
               ORDER BY j.id FOR NO KEY UPDATE SKIP LOCKED) l;
    END;
    UPDATE jobs j SET has_dependents = true WHERE j.id = ANY (v_unmarked);
    UPDATE finished_jobs f SET has_dependents = true
     WHERE f.id = ANY (v_parents) AND f.project_id = p_project AND NOT f.has_dependents;

    -- Shared, so that several may wait for the same parent, and it can neither end nor come back meanwhile. Who is
    -- in neither table has moved between the two statements, or does not exist.
    FOR v_try IN 1 .. 3 LOOP
      SELECT array_agg(l.id) INTO v_held
        FROM (SELECT j.id FROM jobs j
               WHERE j.id = ANY (v_parents) AND j.project_id = p_project ORDER BY j.id FOR SHARE) l;
      SELECT v_held || array_agg(l.id) INTO v_held
        FROM (SELECT f.id FROM finished_jobs f
               WHERE f.id = ANY (v_parents) AND f.project_id = p_project ORDER BY f.id FOR SHARE) l;
      -- Both without a duplicate: of a row that is held there is no second one. (@> would compare each with each.)
      EXIT WHEN cardinality(v_held) = cardinality(v_parents);
    END LOOP;
    IF v_held IS NULL OR cardinality(v_held) < cardinality(v_parents) THEN
      RETURN QUERY SELECT 'unknown'::text, u.id, NULL::int, NULL::smallint, NULL::bigint, NULL::int
                     FROM (SELECT p.id FROM unnest(v_parents) AS p (id)
                           EXCEPT SELECT h.id FROM unnest(v_held) AS h (id)) u;
      RETURN;
    END IF;

    -- In a statement after the locks: what it reads of the parents can no longer change.
    WITH ended AS MATERIALIZED (
      SELECT f.id, f.state, f.state_reason FROM finished_jobs f WHERE f.id = ANY (v_parents)
    )
    INSERT INTO dependencies (child_id, parent_id, workflow_id, on_outcome, outcome, benign, waived)
    SELECT c.id, e.parent, c.workflow_id, e.condition, o.outcome, o.benign, o.waived
      FROM unnest(p_children, p_parents, p_conditions) AS e (child, parent, condition)
      JOIN jobs c ON c.id = e.child AND c.project_id = p_project
      LEFT JOIN ended p ON p.id = e.parent
     CROSS JOIN LATERAL edge_of_ended(p.state, p.state_reason, e.condition) o;
  END IF;

  RETURN QUERY SELECT 'child_ready'::text, c.id, c.queue_id, c.dispatch_lane, c.dispatch_key, c.project_id
                 FROM release_children(ARRAY(
                        SELECT DISTINCT u.id FROM unnest(p_children || p_undecided) AS u (id) ORDER BY u.id)) c;
END
$$;
