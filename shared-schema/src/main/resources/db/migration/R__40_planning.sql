-- A workflow's plan: what its jobs are expected to take, and where the plan is kept. The leader plans
-- (scheduler-service, package workflow); the API ranks what it stores, and shows plans, by the same run times.

DROP FUNCTION IF EXISTS type_run_seconds(int);
-- The mean run time of each type of a project's jobs, in seconds: what a workflow's plan reckons with for a job that
-- gives no time of its own. Of every attempt that ended in the last 30 days of UTC, failed ones included, up to the
-- minute that was rolled up last. A run counts as the middle of its bucket (logarithmically, half a millisecond in
-- the first), at most 20 % from what it was. Reads the newest 3,000 rows of days at most, by the primary key;
-- p_types restricts it to some types, which costs less.
CREATE FUNCTION type_run_seconds(p_project int, p_types text[] DEFAULT NULL)
RETURNS TABLE (type text, seconds double precision)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
  SELECT d.type,
         sum(h.n::double precision
             -- Bucket i = place - 1 goes from 2^((i-1)/2) to 2^(i/2) ms. The middle of 1 to the root of 2 is
             -- (root of 2 - 1) / (ln 2 / 2). Not numeric: that would take seconds for a busy project.
             * CASE h.place WHEN 1 THEN 0.0005::double precision
                    ELSE power(2::double precision, (h.place - 2)::double precision / 2) * 0.001195113::double precision
               END)
           / sum(h.n::double precision)
    FROM (SELECT s.type, s.run_histogram
            FROM job_statistics s
           WHERE s.project_id = p_project AND s.span = 86400
             AND s.starts_at >= statement_timestamp() - interval '30 days'
           ORDER BY s.starts_at DESC, s.queue_id DESC, s.type DESC
           LIMIT 3000) d
   CROSS JOIN LATERAL unnest(d.run_histogram) WITH ORDINALITY AS h (n, place)
   WHERE h.n > 0 AND (p_types IS NULL OR d.type = ANY (p_types))
   GROUP BY d.type
$$;

DROP FUNCTION IF EXISTS plan_members(int);
-- The graph of a workflow in id order: per job the seconds that it is expected to run (its own, else the mean of its
-- type in the project, else 1; a gate: what it waits by itself), and those of its parents that belong to the workflow. In one snapshot: the graph may grow.
-- Reads only: by primary keys, and by the workflow indexes of both job tables.
CREATE FUNCTION plan_members(p_workflow int)
RETURNS TABLE (job_id bigint, key text, seconds double precision, parents bigint[])
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET enable_nestloop = off
SET jit = off
AS $$
  SELECT m.job_id, m.key,
         CASE WHEN t.gate IS NULL THEN coalesce(m.expected_ms / 1000.0::double precision, r.seconds, 1)
              ELSE coalesce(extract(epoch FROM gate_wait(t.wait_ms))::double precision, 0) END,
         coalesce(e.parents, '{}')
    FROM workflow_members m
    LEFT JOIN (SELECT j.id, j.type, j.gate, CASE j.gate WHEN 'time' THEN j.payload ->> 'waitMs' END AS wait_ms
                 FROM jobs j WHERE j.workflow_id = p_workflow
               UNION ALL
               SELECT f.id, f.type, f.gate, CASE f.gate WHEN 'time' THEN f.payload ->> 'waitMs' END
                 FROM finished_jobs f WHERE f.workflow_id = p_workflow) t ON t.id = m.job_id
    LEFT JOIN type_run_seconds(
                (SELECT w.project_id FROM workflows w WHERE w.id = p_workflow),
                ARRAY(SELECT j.type FROM jobs j WHERE j.workflow_id = p_workflow
                       UNION SELECT f.type FROM finished_jobs f WHERE f.workflow_id = p_workflow)) r ON r.type = t.type
    LEFT JOIN (SELECT d.child_id, array_agg(d.parent_id ORDER BY d.parent_id) AS parents
                 FROM dependencies d
                 JOIN workflow_members p ON p.workflow_id = p_workflow AND p.job_id = d.parent_id
                WHERE d.workflow_id = p_workflow
                GROUP BY d.child_id) e ON e.child_id = m.job_id
   WHERE m.workflow_id = p_workflow
   ORDER BY m.job_id
$$;

DROP FUNCTION IF EXISTS apply_plan(int, bigint[], int[], int[], boolean[], double precision[], int, int, double precision);
DROP FUNCTION IF EXISTS apply_plan(
  int, bigint[], int, int[], int[], boolean[], double precision[], int, int, double precision);
-- Writes a workflow's plan: level, cluster, critical path and rank (0 to 1) per job, and the dispatch key
-- of those that still wait, so that the critical path goes first: submission - 60 s x rank. Ready rows are
-- never touched. Arrays are parallel; p_edges: how many there are among the jobs. Changes nothing when the workflow
-- has grown since it was read: it is still without a plan then, and its turn comes again.
CREATE FUNCTION apply_plan(
  p_workflow int, p_job_ids bigint[], p_edges int, p_levels int[], p_clusters int[], p_critical boolean[],
  p_ranks double precision[], p_level_count int, p_cluster_count int, p_critical_path double precision)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET jit = off
-- Statistics that are older than the workflow promise one row of it: a nested loop would compare each job with each.
SET enable_nestloop = off
SET enable_seqscan = off
AS $$
DECLARE
  v_submitted timestamptz;
BEGIN
  -- Exclusive: settles of this workflow wait for their next flush instead of for our row locks; and the rows in
  -- id order, as everybody who locks several takes them.
  PERFORM pg_advisory_xact_lock(2, p_workflow);
  -- Jobs and edges are only ever added: as many are the same ones.
  IF cardinality(p_job_ids) <> (SELECT count(*) FROM workflow_members m WHERE m.workflow_id = p_workflow)
     OR p_edges <> (SELECT count(*) FROM dependencies d
                     WHERE d.workflow_id = p_workflow AND d.parent_id IN (SELECT u.id FROM unnest(p_job_ids) AS u (id))
                       AND d.child_id IN (SELECT u.id FROM unnest(p_job_ids) AS u (id)))
  THEN
    RETURN;
  END IF;
  PERFORM 1 FROM jobs j WHERE j.workflow_id = p_workflow AND j.state = 'blocked' ORDER BY j.id FOR UPDATE;

  UPDATE workflow_members m
     SET level = p.level, cluster = p.cluster, critical = p.critical, rank = p.rank
    FROM unnest(p_job_ids, p_levels, p_clusters, p_critical, p_ranks) AS p (job_id, level, cluster, critical, rank)
   WHERE m.workflow_id = p_workflow AND m.job_id = p.job_id;

  -- Only rows that change: a submission gives its jobs the same places, unless a mean has changed since.
  SELECT w.created_at INTO v_submitted FROM workflows w WHERE w.id = p_workflow;
  UPDATE jobs j
     SET dispatch_lane = ready_lane(j.priority, q.ageing_ms),
         dispatch_key = ready_key(micros(v_submitted) - (60000000 * p.rank)::bigint, j.priority, q.ageing_ms)
    FROM unnest(p_job_ids, p_ranks) AS p (job_id, rank), queues q
   WHERE j.workflow_id = p_workflow AND j.state = 'blocked'
     AND j.id = p.job_id
     AND q.id = j.queue_id
     AND (j.dispatch_lane, j.dispatch_key) <> (
           ready_lane(j.priority, q.ageing_ms),
           ready_key(micros(v_submitted) - (60000000 * p.rank)::bigint, j.priority, q.ageing_ms));

  UPDATE workflows w
     SET planned_at = clock_timestamp(), levels = p_level_count, clusters = p_cluster_count,
         critical_path_length = p_critical_path
   WHERE w.id = p_workflow;
END
$$;
