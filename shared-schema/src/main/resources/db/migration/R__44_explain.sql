-- Why a job does not run now: every reason at once, judged by what the claim judges by (limit_room, key_room,
-- bucket_tokens, the edges' met). Reads only.

-- Whether a worker of these patterns, project/queue with * for any run of characters, serves a queue.
CREATE OR REPLACE FUNCTION serves(p_patterns text[], p_project text, p_queue text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT EXISTS (
    SELECT 1
      FROM unnest(p_patterns) AS u (pattern)
     CROSS JOIN LATERAL (
       SELECT replace(replace(replace(replace(u.pattern, '!', '!!'), '%', '!%'), '_', '!_'), '*', '%') AS likeness) l
     WHERE p_project LIKE split_part(l.likeness, '/', 1) ESCAPE '!'
       AND p_queue LIKE split_part(l.likeness, '/', 2) ESCAPE '!')
$$;

DROP FUNCTION IF EXISTS explain_job(int, bigint);
-- One row, or none when the project has no such job. blockers: what keeps the next claim of its queue by a worker
-- with enough free slots from taking it, empty when that claim would take it; also of a job that runs or has ended.
--   workflow_paused, gate, dependencies, releasing (its edges are met; it is about to move on), not_due, retry_wait,
--   queue_paused, and of limits those that are full once what stands before it in dispatch order has been taken:
--   queue_limit, key_limit, rate_limit
-- before: ready jobs of its queue that come first, counted up to 10,000 (then 10,001); null unless it is ready.
-- token_at: when the bucket holds a token for it. estimated_at: by the pace of the queue's last 15 minutes; null
-- where that says nothing.
-- Of the jobs before it the nearest 1,000 in dispatch order are held against the limits: at most 10,001 entries of
-- jobs_ready, one probe of jobs_running_key for each key among the 1,000, and one count of what runs.
CREATE FUNCTION explain_job(p_project int, p_job bigint)
RETURNS TABLE (
  state text, state_reason text, queue_id int, queue text, project text, run_at timestamptz, gate text,
  workflow_id int, blockers text[], queue_paused_at timestamptz, queue_paused_by text, queue_pause_reason text,
  queue_resume_at timestamptz, max_concurrency int, running bigint, per_key_concurrency int, concurrency_key text,
  key_running bigint, rate_limit int, token_at timestamptz, workflow_paused_at timestamptz, workflow_paused_by text,
  workflow_pause_reason text, before int, estimated_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  c_most CONSTANT int := 10001;
  c_near CONSTANT int := 1000;
  v_now timestamptz := clock_timestamp();
  v_job record;
  v_queue queues;
  v_tokens double precision;
  v_before int := 0;
  v_taken bigint := 0;
  v_key_taken bigint := 0;
  v_ended bigint;
  v_unmet boolean;
BEGIN
  SELECT j.id, j.state, j.state_reason, j.queue_id, j.run_at, j.gate, j.workflow_id, j.concurrency_key,
         j.has_dependencies, j.dispatch_lane, j.dispatch_key
    INTO v_job
    FROM jobs j WHERE j.id = p_job AND j.project_id = p_project;
  IF NOT FOUND THEN
    SELECT f.id, f.state, f.state_reason, f.queue_id, f.run_at, f.gate, f.workflow_id, f.concurrency_key
      INTO v_job
      FROM finished_jobs f WHERE f.id = p_job AND f.project_id = p_project;
    IF NOT FOUND THEN
      RETURN;
    END IF;
  END IF;
  SELECT q.* INTO v_queue FROM queues q WHERE q.id = v_job.queue_id;
  state := v_job.state;
  state_reason := v_job.state_reason;
  queue_id := v_job.queue_id;
  queue := v_queue.name;
  SELECT p.name INTO project FROM projects p WHERE p.id = p_project;
  run_at := v_job.run_at;
  gate := v_job.gate;
  workflow_id := v_job.workflow_id;
  concurrency_key := v_job.concurrency_key;
  blockers := '{}';
  IF state NOT IN ('scheduled', 'blocked', 'ready', 'retrying') THEN
    RETURN NEXT;
    RETURN;
  END IF;

  -- What keeps it from being ready.
  v_unmet := v_job.has_dependencies
    AND EXISTS (SELECT 1 FROM dependencies d WHERE d.child_id = p_job AND NOT d.met);
  IF state <> 'ready' THEN
    SELECT w.paused_at, w.paused_by, w.pause_reason
      INTO workflow_paused_at, workflow_paused_by, workflow_pause_reason
      FROM workflows w WHERE w.id = v_job.workflow_id;
    blockers := blockers
      || CASE WHEN workflow_paused_at IS NOT NULL THEN ARRAY['workflow_paused'] ELSE '{}' END
      || CASE WHEN gate IS NOT NULL THEN ARRAY['gate'] ELSE '{}' END;
  END IF;
  blockers := blockers || CASE WHEN v_unmet THEN ARRAY['dependencies'] ELSE '{}' END
    || CASE state WHEN 'scheduled' THEN ARRAY['not_due'] WHEN 'retrying' THEN ARRAY['retry_wait'] ELSE '{}' END;
  IF state = 'blocked' AND blockers = '{}' THEN
    blockers := ARRAY['releasing'];
  END IF;
  -- No worker runs a gate: nothing of its queue concerns it.
  IF gate IS NOT NULL THEN
    RETURN NEXT;
    RETURN;
  END IF;

  -- What stands before it, and how much of that the limits leave to the next claim.
  IF state = 'ready' THEN
    WITH ahead AS MATERIALIZED (
      SELECT a.id, a.dispatch_lane, a.dispatch_key, a.concurrency_key, a.free
        FROM generate_series(9, v_job.dispatch_lane::int, -1) AS s (lane)
       CROSS JOIN LATERAL (
         SELECT j.id, j.dispatch_lane, j.dispatch_key, j.concurrency_key,
                NOT j.has_dependencies OR NOT EXISTS (
                  SELECT 1 FROM dependencies d WHERE d.child_id = j.id AND NOT d.met OFFSET 0) AS free
           FROM jobs j
          WHERE j.queue_id = v_job.queue_id AND j.dispatch_lane = s.lane::smallint AND j.state = 'ready'
            AND (j.dispatch_key, j.id) < (
                  CASE WHEN s.lane = v_job.dispatch_lane THEN v_job.dispatch_key ELSE 9223372036854775807 END,
                  CASE WHEN s.lane = v_job.dispatch_lane THEN v_job.id ELSE 9223372036854775807 END)
          ORDER BY j.dispatch_key, j.id
          LIMIT c_most) a
       LIMIT c_most
    ), near AS MATERIALIZED (
      SELECT n.concurrency_key,
             row_number() OVER (PARTITION BY n.concurrency_key
                                ORDER BY n.dispatch_lane DESC, n.dispatch_key, n.id) AS place
        FROM (SELECT a.id, a.dispatch_lane, a.dispatch_key, a.concurrency_key FROM ahead a
               WHERE a.free AND num_nonnulls(v_queue.max_concurrency, v_queue.per_key_concurrency,
                                             v_queue.rate_limit) > 0
               ORDER BY a.dispatch_lane DESC, a.dispatch_key, a.id LIMIT c_near) n
    ), rooms AS MATERIALIZED (
      SELECT k.concurrency_key, key_room(v_job.queue_id, k.concurrency_key, v_queue.per_key_concurrency) AS room
        FROM (SELECT DISTINCT near.concurrency_key FROM near
               WHERE near.concurrency_key IS NOT NULL AND v_queue.per_key_concurrency IS NOT NULL) k
    )
    SELECT (SELECT count(*) FROM ahead),
           count(*) FILTER (WHERE r.concurrency_key IS NULL OR n.place <= r.room),
           count(*) FILTER (WHERE n.concurrency_key = v_job.concurrency_key AND n.place <= r.room)
      INTO v_before, v_taken, v_key_taken
      FROM near n
      LEFT JOIN rooms r ON r.concurrency_key = n.concurrency_key;
    before := v_before;
  END IF;

  IF v_queue.paused_at IS NOT NULL THEN
    queue_paused_at := v_queue.paused_at;
    queue_paused_by := v_queue.paused_by;
    queue_pause_reason := v_queue.pause_reason;
    queue_resume_at := v_queue.resume_at;
    blockers := blockers || ARRAY['queue_paused'];
  END IF;
  max_concurrency := v_queue.max_concurrency;
  IF max_concurrency IS NOT NULL THEN
    running := max_concurrency - limit_room(v_job.queue_id, max_concurrency);
    IF max_concurrency - running - v_taken <= 0 THEN
      blockers := blockers || ARRAY['queue_limit'];
    END IF;
  END IF;
  per_key_concurrency := v_queue.per_key_concurrency;
  IF per_key_concurrency IS NOT NULL AND concurrency_key IS NOT NULL THEN
    key_running := per_key_concurrency - key_room(v_job.queue_id, concurrency_key, per_key_concurrency);
    IF per_key_concurrency - key_running - v_key_taken <= 0 THEN
      blockers := blockers || ARRAY['key_limit'];
    END IF;
  END IF;
  rate_limit := v_queue.rate_limit;
  IF rate_limit IS NOT NULL THEN
    v_tokens := bucket_tokens(v_job.queue_id, rate_limit, v_queue.rate_period_ms, v_queue.rate_burst, v_now);
    IF whole_tokens(v_tokens) - v_taken <= 0 THEN
      token_at := v_now + (v_taken + 1 - v_tokens) * v_queue.rate_period_ms / rate_limit * interval '1 millisecond';
      blockers := blockers || ARRAY['rate_limit'];
    END IF;
  END IF;

  -- Nobody can say when a pause, a dependency or somebody else's key ends.
  IF blockers <@ ARRAY['not_due', 'retry_wait', 'queue_limit', 'rate_limit'] AND v_before < c_most THEN
    IF v_before = 0 AND NOT blockers && ARRAY['queue_limit', 'rate_limit'] THEN
      estimated_at := greatest(v_now, CASE WHEN state <> 'ready' THEN run_at END);
    ELSE
      SELECT sum(s.succeeded + s.dead) INTO v_ended
        FROM job_statistics s
       WHERE s.project_id = p_project AND s.span = 60 AND s.starts_at >= v_now - interval '15 minutes'
         AND s.queue_id = v_job.queue_id;
      IF v_ended > 0 THEN
        estimated_at := greatest(v_now + (v_before + 1) * interval '15 minutes' / v_ended, token_at,
                                 CASE WHEN state <> 'ready' THEN run_at END);
      END IF;
    END IF;
  END IF;
  RETURN NEXT;
END
$$;
