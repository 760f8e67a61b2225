DROP FUNCTION IF EXISTS leader_agenda(interval);
-- What there is to do for the leader's loops, each by the first row that shows it. Reads only.
CREATE FUNCTION leader_agenda(p_silence interval)
RETURNS TABLE (
  silent_workers boolean, held_by_gone boolean, unplanned_workflows boolean, pending_releases boolean,
  blocked_jobs boolean, ended_workflows boolean, heads boolean, expired_jobs boolean,
  statistics_due boolean, queues_to_resume boolean, queues_to_rekey boolean, audit_to_seal boolean,
  bulk_actions boolean, paths_to_settle boolean)
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
                    AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.workflow_id = w.id))
           OR EXISTS (SELECT 1 FROM failure_notes)
           OR EXISTS (SELECT 1 FROM workflows w
                       WHERE w.deadline_at <= statement_timestamp() AND w.deadline_passed_at IS NULL
                         AND w.finished_at IS NULL),
         EXISTS (SELECT 1 FROM queue_heads)
           OR EXISTS (SELECT 1 FROM queues q
                       CROSS JOIN LATERAL (SELECT 1 FROM jobs j
                                            WHERE j.queue_id = q.id AND j.state = 'ready' LIMIT 1) r),
         EXISTS (SELECT 1 FROM jobs j
                  WHERE j.start_by <= statement_timestamp() AND j.state <> 'running'),
         (SELECT p.rolled_to <= statement_timestamp() - interval '1 minute'
                 OR p.sampled_at <= statement_timestamp() - interval '1 minute'
            FROM statistics_progress p),
         EXISTS (SELECT 1 FROM queues q WHERE q.resume_at <= statement_timestamp()),
         EXISTS (SELECT 1 FROM queues q WHERE q.rekey_after IS NOT NULL),
         EXISTS (SELECT 1 FROM audit_log a WHERE a.id > (SELECT p.sealed_to FROM audit_progress p)),
         EXISTS (SELECT 1 FROM bulk_actions b WHERE b.state IN ('pending', 'running', 'canary', 'undoing')),
         EXISTS (SELECT 1 FROM queues q
                  WHERE q.search_paths <> '{}' AND 9223372036854775807 = ANY (q.search_since))
$$;

-- The rows that a loop would work off next, by the loop's name, for one that must find out on which of them its
-- statement fails. At most p_limit, without those of p_except. Reads only.
CREATE OR REPLACE FUNCTION loop_candidates(p_task text, p_limit int, p_except bigint[])
RETURNS TABLE (id bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  CASE p_task
    WHEN 'promotion' THEN
      RETURN QUERY
      SELECT j.id FROM jobs j
       WHERE j.state IN ('scheduled', 'retrying') AND j.run_at <= statement_timestamp() AND j.id <> ALL (p_except)
       ORDER BY j.run_at, j.id LIMIT p_limit;
    WHEN 'release' THEN
      RETURN QUERY
      SELECT p.parent_id FROM pending_releases p
       WHERE p.parent_id <> ALL (p_except) ORDER BY p.parent_id LIMIT p_limit;
    WHEN 'finish' THEN
      RETURN QUERY
      SELECT w.id::bigint FROM workflows w
       WHERE w.finished_at IS NULL AND w.id <> ALL (p_except)
         AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.workflow_id = w.id)
       ORDER BY w.id LIMIT p_limit;
    WHEN 'heads' THEN
      RETURN QUERY SELECT q.id::bigint FROM queues q WHERE q.id <> ALL (p_except) ORDER BY q.id LIMIT p_limit;
  END CASE;
END
$$;

-- For the gauges: depth of each queue by state, counted up to 10,000, and the age of its oldest ready job: the
-- first of a lane is the oldest there, workflows and ageing aside.
CREATE OR REPLACE FUNCTION queue_gauges()
RETURNS TABLE (
  project text, queue text, ready int, running int, scheduled int, retrying int, blocked int,
  latency_seconds double precision)
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
  SELECT p.name, q.name,
         (SELECT count(*)::int FROM (SELECT 1 FROM jobs j WHERE j.queue_id = q.id AND j.state = 'ready' LIMIT 10000) c),
         (SELECT count(*)::int FROM (SELECT 1 FROM jobs j WHERE j.queue_id = q.id AND j.state = 'running' LIMIT 10000) c),
         (SELECT count(*)::int FROM (SELECT 1 FROM jobs j WHERE j.queue_id = q.id AND j.state = 'scheduled' LIMIT 10000) c),
         (SELECT count(*)::int FROM (SELECT 1 FROM jobs j WHERE j.queue_id = q.id AND j.state = 'retrying' LIMIT 10000) c),
         (SELECT count(*)::int FROM (SELECT 1 FROM jobs j WHERE j.queue_id = q.id AND j.state = 'blocked' LIMIT 10000) c),
         greatest(0, coalesce(extract(epoch FROM clock_timestamp() - (
           SELECT min(f.ready_at) FROM generate_series(0, 9) AS l (lane)
            CROSS JOIN LATERAL (
              SELECT j.ready_at FROM jobs j
               WHERE j.queue_id = q.id AND j.dispatch_lane = l.lane::smallint AND j.state = 'ready'
               ORDER BY j.dispatch_key, j.id LIMIT 1) f)), 0))::double precision
    FROM (SELECT q.id, q.project_id, q.name FROM queues q ORDER BY q.id LIMIT 1000) q
    JOIN projects p ON p.id = q.project_id
$$;

-- Tells the edges of one ended parent that waits to be told, at most p_limit, and leaves its children to the
-- sweep. For a parent whose children cannot be released together. Returns how many it told.
CREATE OR REPLACE FUNCTION tell_edges(p_parent bigint, p_limit int) RETURNS int
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
  v_outcome text;
  v_benign boolean;
  v_told int;
BEGIN
  SELECT p.outcome, p.benign INTO v_outcome, v_benign FROM pending_releases p WHERE p.parent_id = p_parent FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  -- Void if it is live again, see release_pending.
  IF EXISTS (SELECT 1 FROM jobs j WHERE j.id = p_parent) THEN
    DELETE FROM pending_releases p WHERE p.parent_id = p_parent;
    RETURN 0;
  END IF;
  UPDATE dependencies d SET outcome = v_outcome, benign = v_benign
   WHERE d.parent_id = p_parent AND d.outcome IS NULL
     AND d.child_id = ANY (ARRAY(
       SELECT u.child_id FROM dependencies u
        WHERE u.parent_id = p_parent AND u.outcome IS NULL ORDER BY u.child_id LIMIT p_limit));
  GET DIAGNOSTICS v_told = ROW_COUNT;
  DELETE FROM pending_releases p
   WHERE p.parent_id = p_parent
     AND NOT EXISTS (SELECT 1 FROM dependencies d WHERE d.parent_id = p_parent AND d.outcome IS NULL);
  RETURN v_told;
END
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
  v_flows int[];
BEGIN
  PERFORM require_read_committed();
  SELECT array_agg(b.id), array_agg(DISTINCT b.workflow_id) INTO v_blocked, v_flows
    FROM (SELECT j.id, j.workflow_id FROM jobs j
           WHERE j.state = 'blocked' AND j.id > p_after ORDER BY j.id LIMIT p_limit) b;
  IF v_blocked IS NOT NULL THEN
    -- Edges whose parent has ended without telling them.
    INSERT INTO pending_releases (parent_id, outcome, benign)
    SELECT DISTINCT f.id, f.state, CASE WHEN f.state = 'skipped' THEN f.state_reason IS DISTINCT FROM 'dependency-failed' END
      FROM dependencies d
      JOIN finished_jobs f ON f.id = d.parent_id
     WHERE d.child_id = ANY (v_blocked) AND d.outcome IS NULL
       AND NOT EXISTS (SELECT 1 FROM jobs p WHERE p.id = d.parent_id)
    ON CONFLICT DO NOTHING;
    -- Children that their edges have decided and that still wait, unless that is what they are to do; of workflows
    -- that nobody operates on.
    SELECT array_agg(u.flow) INTO v_flows
      FROM (SELECT f.flow FROM unnest(v_flows) AS f (flow) WHERE f.flow IS NOT NULL ORDER BY f.flow) u
     WHERE pg_try_advisory_xact_lock_shared(2, u.flow);
    SELECT array_agg(b.id) INTO v_decided
      FROM (SELECT j.id, edges_verdict(j.id, j.join_mode) AS verdict, coalesce(j.state_reason, '') AS reason,
                   coalesce((SELECT w.paused_at IS NOT NULL FROM workflows w WHERE w.id = j.workflow_id), false) AS paused
              FROM jobs j
             WHERE j.id = ANY (v_blocked) AND ARRAY['blocked'] @> ARRAY[j.state]
               AND (j.workflow_id IS NULL OR j.workflow_id = ANY (v_flows)) OFFSET 0) b
     WHERE (b.verdict = 'met' AND b.reason NOT LIKE 'waiting-for-%' AND NOT (b.paused AND b.reason = 'workflow-paused'))
        OR (b.verdict = 'doomed' AND b.reason <> 'dependency-failed');
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

DROP FUNCTION IF EXISTS note_queue_heads();
-- The guard of the remembered heads: the smallest key per queue and lane, where that row has been ready
-- for over a second. Writes changed rows only; returns how many. p_only restricts it to some queues.
CREATE OR REPLACE FUNCTION note_queue_heads(p_only bigint[] DEFAULT NULL) RETURNS int
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
       AND (p_only IS NULL OR q.id = ANY (p_only))
  ), gone AS (
    DELETE FROM queue_heads h
     WHERE (p_only IS NULL OR h.queue_id = ANY (p_only))
       AND NOT EXISTS (SELECT 1 FROM first f
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
