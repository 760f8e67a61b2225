DROP FUNCTION IF EXISTS leader_agenda(interval);
-- What there is to do for the leader's loops, each by the first row that shows it. Reads only.
CREATE FUNCTION leader_agenda(p_silence interval)
RETURNS TABLE (
  silent_workers boolean, held_by_gone boolean, unplanned_workflows boolean, pending_releases boolean,
  blocked_jobs boolean, ended_workflows boolean, heads boolean, expired_jobs boolean,
  statistics_due boolean)
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
  SELECT EXISTS (SELECT 1 FROM workers w
                  WHERE w.lost_at IS NULL AND w.stopped_at IS NULL
                    AND w.beat_at < clock_timestamp() - p_silence),
         EXISTS (SELECT 1 FROM jobs j
                  WHERE j.state = 'running'
                    AND j.queue_id = ANY (ARRAY(SELECT q.id FROM queues q))
                    AND j.worker_id = ANY (ARRAY(SELECT w.id FROM workers w
                                                  WHERE w.lost_at IS NOT NULL OR w.stopped_at IS NOT NULL))),
         EXISTS (SELECT 1 FROM workflows w WHERE w.planned_at IS NULL),
         EXISTS (SELECT 1 FROM pending_releases),
         EXISTS (SELECT 1 FROM jobs j WHERE j.state = 'blocked'),
         EXISTS (SELECT 1 FROM workflows w
                  WHERE w.finished_at IS NULL
                    AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.workflow_id = w.id)),
         EXISTS (SELECT 1 FROM queue_heads)
           OR EXISTS (SELECT 1 FROM queues q
                       CROSS JOIN LATERAL (SELECT 1 FROM jobs j
                                            WHERE j.queue_id = q.id AND j.state = 'ready' LIMIT 1) r),
         EXISTS (SELECT 1 FROM jobs j
                  WHERE j.start_by <= statement_timestamp() AND j.state <> 'running'),
         (SELECT p.rolled_to <= statement_timestamp() - interval '1 minute'
                 OR p.sampled_at <= statement_timestamp() - interval '1 minute'
            FROM statistics_progress p)
$$;

DROP FUNCTION IF EXISTS sweep_blocked(bigint, int);
-- Backstop of the release of dependents: walks blocked jobs in id order after p_after, recomputes from the
-- edges, and repairs what a lost step left. Returns the jobs that became ready (kind child_ready) and, unless
-- the end was reached, a last row of kind walked with the last id looked at.
CREATE FUNCTION sweep_blocked(p_after bigint, p_limit int)
RETURNS TABLE (
  kind text, id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint, project_id int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_blocked bigint[];
  v_decided bigint[];
BEGIN
  PERFORM require_read_committed();
  SELECT array_agg(b.id) INTO v_blocked
    FROM (SELECT j.id FROM jobs j WHERE j.state = 'blocked' AND j.id > p_after ORDER BY j.id LIMIT p_limit) b;
  IF v_blocked IS NOT NULL THEN
    -- Edges whose parent has ended without telling them.
    INSERT INTO pending_releases (parent_id, outcome)
    SELECT DISTINCT f.id, f.state
      FROM dependencies d
      JOIN finished_jobs f ON f.id = d.parent_id
     WHERE d.child_id = ANY (v_blocked) AND d.outcome IS NULL
       AND NOT EXISTS (SELECT 1 FROM jobs p WHERE p.id = d.parent_id)
    ON CONFLICT DO NOTHING;
    -- Children that their edges have decided and that still wait.
    SELECT array_agg(b.id) INTO v_decided
      FROM unnest(v_blocked) AS b (id)
     WHERE NOT EXISTS (SELECT 1 FROM dependencies d WHERE d.child_id = b.id AND NOT d.met)
        OR EXISTS (SELECT 1 FROM dependencies d WHERE d.child_id = b.id AND d.outcome IS NOT NULL AND NOT d.met);
    IF v_decided IS NOT NULL THEN
      RETURN QUERY SELECT 'child_ready'::text, c.id, c.queue_id, c.dispatch_lane, c.dispatch_key, c.project_id
                     FROM release_children(v_decided) c;
    END IF;
  END IF;
  IF cardinality(v_blocked) = p_limit THEN
    RETURN QUERY SELECT 'walked'::text, v_blocked[p_limit], NULL::int, NULL::smallint, NULL::bigint, NULL::int;
  END IF;
END
$$;

-- Writes a workflow's plan: level, cluster, critical path and rank (0 to 1) per job, and the dispatch key
-- of those that still wait, so that the critical path goes first: submission - 60 s x rank. Ready rows are
-- never touched. Arrays are parallel.
CREATE OR REPLACE FUNCTION apply_plan(
  p_workflow int, p_job_ids bigint[], p_levels int[], p_clusters int[], p_critical boolean[],
  p_ranks double precision[], p_level_count int, p_cluster_count int, p_critical_path double precision)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET jit = off
AS $$
BEGIN
  -- Exclusive: settles of this workflow wait for their next flush instead of for our row locks; and the rows in
  -- id order, as everybody who locks several takes them.
  PERFORM pg_advisory_xact_lock(2, p_workflow);
  PERFORM 1 FROM jobs j WHERE j.workflow_id = p_workflow AND j.state = 'blocked' ORDER BY j.id FOR UPDATE;

  UPDATE workflow_members m
     SET level = p.level, cluster = p.cluster, critical = p.critical, rank = p.rank
    FROM unnest(p_job_ids, p_levels, p_clusters, p_critical, p_ranks) AS p (job_id, level, cluster, critical, rank)
   WHERE m.workflow_id = p_workflow AND m.job_id = p.job_id;

  UPDATE jobs j
     SET (dispatch_lane, dispatch_key) = (
           SELECT ready_lane(j.priority, q.ageing_ms),
                  ready_key(micros(w.created_at) - (60000000 * p.rank)::bigint, j.priority, q.ageing_ms)
             FROM queues q WHERE q.id = j.queue_id)
    FROM workflows w, unnest(p_job_ids, p_ranks) AS p (job_id, rank)
   WHERE w.id = p_workflow
     AND j.workflow_id = p_workflow AND j.state = 'blocked' AND j.id = p.job_id;

  UPDATE workflows w
     SET planned_at = clock_timestamp(), levels = p_level_count, clusters = p_cluster_count,
         critical_path_length = p_critical_path
   WHERE w.id = p_workflow;
END
$$;

-- Notes the end of workflows that have no live job left. Returns those that it closed.
CREATE OR REPLACE FUNCTION finish_workflows(p_limit int)
RETURNS TABLE (id int, project_id int, final_state text)
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
  UPDATE workflows w
     SET finished_at = coalesce((SELECT max(f.finished_at) FROM finished_jobs f WHERE f.workflow_id = w.id),
                                clock_timestamp()),
         final_state = s.state
    FROM workflow_status s
   WHERE s.id = w.id
     AND w.id = ANY (ARRAY(
       SELECT u.id FROM workflows u
        WHERE u.finished_at IS NULL
          AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.workflow_id = u.id)
        ORDER BY u.id LIMIT p_limit
          FOR UPDATE OF u SKIP LOCKED))
     AND s.state <> 'running'
  RETURNING w.id, w.project_id, w.final_state
$$;

-- The guard of the remembered heads: the smallest key per queue and lane, where that row has been ready
-- for over a second. Writes changed rows only; returns how many.
CREATE OR REPLACE FUNCTION note_queue_heads() RETURNS int
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET jit = off
AS $$
DECLARE
  v_noted int;
  v_gone int;
BEGIN
  WITH first AS MATERIALIZED (
    SELECT q.id AS queue_id, l.lane::smallint AS dispatch_lane, f.dispatch_key, f.id AS job_id
      FROM queues q
     CROSS JOIN generate_series(0, 9) AS l (lane)
     CROSS JOIN LATERAL (
       SELECT j.dispatch_key, j.id, j.ready_at FROM jobs j
        WHERE j.queue_id = q.id AND j.dispatch_lane = l.lane::smallint AND j.state = 'ready'
        ORDER BY j.dispatch_key, j.id LIMIT 1) f
     WHERE f.ready_at < clock_timestamp() - interval '1 second'
  ), gone AS (
    DELETE FROM queue_heads h
     WHERE NOT EXISTS (SELECT 1 FROM first f
                        WHERE f.queue_id = h.queue_id AND f.dispatch_lane = h.dispatch_lane)
    RETURNING 1
  ), noted AS (
    INSERT INTO queue_heads AS h (queue_id, dispatch_lane, dispatch_key, job_id)
    SELECT f.queue_id, f.dispatch_lane, f.dispatch_key, f.job_id FROM first f
    ON CONFLICT (queue_id, dispatch_lane) DO UPDATE
       SET dispatch_key = excluded.dispatch_key, job_id = excluded.job_id, noted_at = clock_timestamp()
     WHERE (h.dispatch_key, h.job_id) IS DISTINCT FROM (excluded.dispatch_key, excluded.job_id)
    RETURNING 1
  )
  SELECT (SELECT count(*) FROM noted), (SELECT count(*) FROM gone) INTO v_noted, v_gone;
  RETURN v_noted + v_gone;
END
$$;
