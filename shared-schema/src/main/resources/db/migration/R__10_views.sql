-- Read models. A qualification on id, project_id or workflow_id reaches the indexes of both tables.

DROP VIEW IF EXISTS workflow_status;
DROP VIEW IF EXISTS all_jobs;

-- A job wherever it lives.
CREATE VIEW all_jobs AS
SELECT id, project_id, queue_id, type, state, state_reason, priority, attempt, max_attempts,
       attempt_rows, returned, created_at, run_at, ready_at, started_at, NULL::timestamptz AS finished_at,
       NULL::date AS retain_until, lease_token, worker_id, workflow_id, workflow_key, payload,
       retry_policy, timeout_ms, start_by, planned_at, schedule_id, generation, cost, concurrency_key,
       NULL::json AS result, NULL::text AS error_kind, NULL::text AS error_message,
       NULL::text AS error_stack, NULL::text AS error_fingerprint
  FROM jobs
UNION ALL
SELECT id, project_id, queue_id, type, state, state_reason, priority, attempt, max_attempts,
       attempt_rows, returned, created_at, run_at, ready_at, started_at, finished_at,
       retain_until, lease_token, worker_id, workflow_id, workflow_key, payload,
       retry_policy, timeout_ms, start_by, planned_at, schedule_id, generation, cost, concurrency_key,
       result, error_kind, error_message, error_stack, error_fingerprint
  FROM finished_jobs;

-- A workflow's state: as the leader noted it at the end, else derived from its members now.
CREATE VIEW workflow_status AS
SELECT w.id, w.project_id, w.name, w.on_failure, w.created_at, w.planned_at, w.finished_at, w.job_count,
       w.levels, w.clusters, w.critical_path_length,
       CASE
         WHEN w.final_state IS NOT NULL THEN w.final_state
         WHEN EXISTS (SELECT 1 FROM jobs j WHERE j.workflow_id = w.id) THEN 'running'
         -- Members whose rows are gone count by what they left.
         WHEN w.dropped_outcome = 'failed' THEN 'failed'
         WHEN EXISTS (SELECT 1 FROM finished_jobs f
                       WHERE f.workflow_id = w.id AND f.state IN ('dead', 'skipped')) THEN 'failed'
         WHEN w.dropped_outcome = 'cancelled' THEN 'cancelled'
         WHEN EXISTS (SELECT 1 FROM finished_jobs f
                       WHERE f.workflow_id = w.id AND f.state = 'cancelled') THEN 'cancelled'
         ELSE 'succeeded'
       END AS state
  FROM workflows w;
