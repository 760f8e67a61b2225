-- Internal to promotion: makes due jobs ready whose rows the caller has locked. Those of a workflow only while nobody
-- operates on it; of a paused one they are blocked, and a gate ends. Returns a row for each that moved on; of one that
-- did not become ready it says no more than that.
CREATE OR REPLACE FUNCTION promote_these(p_ids bigint[], p_flows int[])
RETURNS TABLE (id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint, project_id int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_ids bigint[] := p_ids;
  v_got int[];
  v_paused bigint[];
  v_gates bigint[];
BEGIN
  IF p_flows IS NOT NULL THEN
    -- Rows first, here: a try-lock waits for nobody. Shared, so that no pause comes between.
    SELECT array_agg(u.flow) INTO v_got FROM unnest(p_flows) AS u (flow)
     WHERE pg_try_advisory_xact_lock_shared(2, u.flow);
    SELECT array_agg(v.id) FILTER (WHERE v.gate IS NULL AND NOT v.paused),
           array_agg(v.id) FILTER (WHERE v.gate IS NULL AND v.paused),
           array_agg(v.id) FILTER (WHERE v.gate IS NOT NULL)
      INTO v_ids, v_paused, v_gates
      FROM (SELECT j.id, j.gate, w.paused_at IS NOT NULL AS paused
              FROM jobs j
              LEFT JOIN workflows w ON w.id = j.workflow_id
             WHERE j.id = ANY (p_ids) AND (j.workflow_id IS NULL OR j.workflow_id = ANY (v_got))) v;
    IF v_paused IS NOT NULL THEN
      RETURN QUERY
      UPDATE jobs j SET state = 'blocked', state_reason = 'workflow-paused' WHERE j.id = ANY (v_paused)
      RETURNING j.id, j.queue_id, j.dispatch_lane, j.dispatch_key, j.project_id;
    END IF;
    IF v_gates IS NOT NULL THEN
      RETURN QUERY SELECT j.id, j.queue_id, j.dispatch_lane, j.dispatch_key, j.project_id
                     FROM jobs j WHERE j.id = ANY (v_gates);
      PERFORM pass_gates(v_gates, 'gate-passed');
      RETURN QUERY SELECT r.id, r.queue_id, r.dispatch_lane, r.dispatch_key, r.project_id
                     FROM release_pending(1000, v_gates, false) r WHERE r.kind = 'child_ready';
    END IF;
  END IF;
  RETURN QUERY
  UPDATE jobs j
     SET state = 'ready', ready_at = clock_timestamp(), state_reason = NULL,
         (dispatch_lane, dispatch_key) = (
           SELECT CASE WHEN j.workflow_id IS NULL THEN ready_lane(j.priority, q.ageing_ms) ELSE j.dispatch_lane END,
                  CASE WHEN j.workflow_id IS NULL
                       THEN ready_key(micros(clock_timestamp()), j.priority, q.ageing_ms) ELSE j.dispatch_key END
             FROM queues q WHERE q.id = j.queue_id)
   WHERE j.id = ANY (v_ids)
  RETURNING j.id, j.queue_id, j.dispatch_lane, j.dispatch_key, j.project_id;
END
$$;

-- Due jobs become ready, oldest first, at most p_limit. Idempotent; many may call it at once.
CREATE OR REPLACE FUNCTION promote_due(p_limit int)
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
  SELECT array_agg(p.id), array_agg(DISTINCT p.workflow_id) FILTER (WHERE p.workflow_id IS NOT NULL)
    INTO v_ids, v_flows
    FROM (SELECT j.id, j.workflow_id FROM jobs j
           -- Not clock_timestamp(): volatile, it could not bound the index scan, which would read on through every
           -- job that is not yet due.
           WHERE j.state IN ('scheduled', 'retrying') AND j.run_at <= statement_timestamp()
           ORDER BY j.run_at, j.id LIMIT p_limit
             FOR UPDATE OF j SKIP LOCKED) p;
  IF v_ids IS NOT NULL THEN
    RETURN QUERY SELECT * FROM promote_these(v_ids, v_flows);
  END IF;
END
$$;

-- What is due within p_ahead: the database's clock and the distinct instants, in microseconds since the
-- epoch and ascending, of the first p_limit such jobs; seen says how many jobs that were.
CREATE OR REPLACE FUNCTION due_ahead(p_ahead interval, p_limit int)
RETURNS TABLE (now_micros bigint, due_micros bigint[], seen int)
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
  SELECT micros(clock_timestamp()), coalesce(array_agg(DISTINCT micros(d.run_at)), '{}'), count(*)::int
    FROM (SELECT j.run_at FROM jobs j
           WHERE j.state IN ('scheduled', 'retrying') AND j.run_at <= statement_timestamp() + p_ahead
           ORDER BY j.run_at, j.id LIMIT p_limit) d
$$;

-- The same for jobs known by id: a worker's own retries, so that they go on without a leader.
CREATE OR REPLACE FUNCTION promote_jobs(p_ids bigint[])
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
  SELECT array_agg(p.id), array_agg(DISTINCT p.workflow_id) FILTER (WHERE p.workflow_id IS NOT NULL)
    INTO v_ids, v_flows
    FROM (SELECT j.id, j.workflow_id FROM jobs j
           -- By primary key only: the states are spelled so that the partial index jobs_due does not match.
           WHERE j.id = ANY (p_ids) AND ARRAY['scheduled', 'retrying'] @> ARRAY[j.state] AND j.run_at <= clock_timestamp()
           ORDER BY j.id
             FOR UPDATE OF j SKIP LOCKED) p;
  IF v_ids IS NOT NULL THEN
    RETURN QUERY SELECT * FROM promote_these(v_ids, v_flows);
  END IF;
END
$$;

-- Internal to expire_jobs: ends those of p_ids that have expired. A batch that fails on data is halved until
-- the culprit is alone; it is returned with kind poison, and the others are done.
CREATE OR REPLACE FUNCTION expire_these(p_ids bigint[], p_flows int[])
RETURNS TABLE (kind text, id bigint, project_id int, reason text)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_ids bigint[];
  v_projects int[];
  v_reasons text[];
  v_half int := cardinality(p_ids) / 2;
BEGIN
  BEGIN
    -- An approval that nobody gave in time is told from a job that did not start.
    SELECT array_agg(l.id), array_agg(l.project_id),
           array_agg(CASE WHEN l.gate = 'approval' THEN 'approval-expired' ELSE 'expired' END)
      INTO v_ids, v_projects, v_reasons
      FROM (SELECT j.id, j.project_id, j.gate FROM jobs j
             -- By primary key, and judged again: a claim, or a later start_by, may have come between.
             WHERE j.id = ANY (p_ids) AND j.start_by <= clock_timestamp()
               AND NOT (ARRAY['running'] @> ARRAY[j.state])
               AND (j.workflow_id IS NULL OR j.workflow_id = ANY (p_flows))
             ORDER BY j.id FOR UPDATE SKIP LOCKED) l;
    IF v_ids IS NULL THEN
      RETURN;
    END IF;
    -- Children are told in a later transaction: no lock order spans two levels.
    INSERT INTO pending_releases (parent_id, outcome)
    SELECT m.id, m.state
      FROM move_to_finished(v_ids, array_fill('cancelled'::text, ARRAY[cardinality(v_ids)]), v_reasons, NULL, NULL, NULL,
                            NULL, NULL) m
     WHERE m.has_dependents
    ON CONFLICT (parent_id) DO UPDATE SET outcome = excluded.outcome;
  EXCEPTION WHEN data_exception OR integrity_constraint_violation OR raise_exception THEN
    IF v_half = 0 THEN
      RETURN QUERY SELECT 'poison'::text, p_ids[1], NULL::int, SQLERRM;
    ELSE
      RETURN QUERY SELECT * FROM expire_these(p_ids[:v_half], p_flows);
      RETURN QUERY SELECT * FROM expire_these(p_ids[v_half + 1:], p_flows);
    END IF;
    RETURN;
  END;
  RETURN QUERY SELECT 'expired'::text, e.id, e.project_id, NULL::text
                 FROM unnest(v_ids, v_projects) AS e (id, project_id);
END
$$;

-- Jobs that wait although their start_by has passed are cancelled as expired, longest overdue first, at most
-- p_limit; those of p_except are left alone. What had started before and waits again expires as well.
-- Returns one row per job: kind expired, or poison (could not be ended; reason says why).
CREATE OR REPLACE FUNCTION expire_jobs(p_limit int, p_except bigint[])
RETURNS TABLE (kind text, id bigint, project_id int, reason text)
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
  SELECT array_agg(l.id), array_agg(DISTINCT l.workflow_id) INTO v_ids, v_flows
    FROM (SELECT j.id, j.workflow_id FROM jobs j
           -- Not clock_timestamp(): volatile, it could not bound the scan of jobs_start_by.
           WHERE j.start_by <= statement_timestamp() AND j.state <> 'running'
             AND j.id <> ALL (p_except)
           ORDER BY j.start_by, j.id LIMIT p_limit) l;
  IF v_ids IS NULL THEN
    RETURN;
  END IF;
  -- Workflow locks first, shared, by try-lock in id order; row locks after. Jobs of a workflow that is being
  -- operated on wait for the next round.
  SELECT array_agg(l.flow) INTO v_flows
    FROM (SELECT u.flow FROM unnest(v_flows) AS u (flow) WHERE u.flow IS NOT NULL ORDER BY u.flow) l
   WHERE pg_try_advisory_xact_lock_shared(2, l.flow);
  RETURN QUERY SELECT * FROM expire_these(v_ids, v_flows);
END
$$;
