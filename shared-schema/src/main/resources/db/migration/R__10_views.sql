-- Read models. A qualification on id, project_id or workflow_id reaches the indexes of both tables.

DROP VIEW IF EXISTS workflow_counts;
DROP VIEW IF EXISTS workflow_status;
DROP VIEW IF EXISTS all_jobs;

-- A job wherever it lives.
CREATE VIEW all_jobs AS
SELECT id, project_id, queue_id, type, state, state_reason, priority, attempt, max_attempts,
       attempt_rows, returned, created_at, run_at, ready_at, started_at, NULL::timestamptz AS finished_at,
       NULL::date AS retain_until, lease_token, worker_id, workflow_id, workflow_key, payload,
       retry_policy, timeout_ms, start_by, planned_at, schedule_id, generation, cost, concurrency_key,
       join_mode, gate, tags, metadata, traceparent, unique_key, unique_until, xmin::text AS row_version,
       NULL::json AS result, NULL::text AS error_kind, NULL::text AS error_message,
       NULL::text AS error_stack, NULL::text AS error_fingerprint
  FROM jobs
UNION ALL
SELECT id, project_id, queue_id, type, state, state_reason, priority, attempt, max_attempts,
       attempt_rows, returned, created_at, run_at, ready_at, started_at, finished_at,
       retain_until, lease_token, worker_id, workflow_id, workflow_key, payload,
       retry_policy, timeout_ms, start_by, planned_at, schedule_id, generation, cost, concurrency_key,
       join_mode, gate, tags, metadata, traceparent, unique_key, unique_until, xmin::text,
       result, error_kind, error_message, error_stack, error_fingerprint
  FROM finished_jobs;

-- A workflow's state: as the leader noted it at the end, else derived from its members now.
--   running, failing (a member has failed, others still live), held (it waits for somebody's decision on a failed
--   member's children) · succeeded, failed, cancelled
-- A member fails the workflow when it is dead, or skipped for a failure; being skipped for another reason harms none.
CREATE VIEW workflow_status AS
SELECT w.id, w.project_id, w.name, w.kind, w.on_failure, w.created_at, w.planned_at, w.finished_at, w.job_count,
       w.levels, w.clusters, w.critical_path_length, w.deadline_at, w.deadline_passed_at, w.paused_at, w.paused_by,
       w.pause_reason,
       CASE
         WHEN w.final_state IS NOT NULL THEN w.final_state
         WHEN EXISTS (SELECT 1 FROM jobs j WHERE j.workflow_id = w.id) THEN
           CASE
             WHEN NOT EXISTS (SELECT 1 FROM jobs j
                               WHERE j.workflow_id = w.id
                                 AND j.state IN ('ready', 'running', 'scheduled', 'retrying'))
                  AND EXISTS (SELECT 1 FROM jobs j
                               WHERE j.workflow_id = w.id AND j.state = 'blocked'
                                 AND j.state_reason = 'dependency-failed')
                  AND NOT EXISTS (SELECT 1 FROM jobs j
                                   WHERE j.workflow_id = w.id AND j.state = 'blocked'
                                     AND j.state_reason <> 'dependency-failed') THEN 'held'
             WHEN w.dropped_outcome = 'failed' OR w.deadline_passed_at IS NOT NULL
                  OR EXISTS (SELECT 1 FROM finished_jobs f WHERE f.workflow_id = w.id AND f.state = 'dead')
                  OR EXISTS (SELECT 1 FROM finished_jobs f
                              WHERE f.workflow_id = w.id AND f.state = 'skipped'
                                AND f.state_reason = 'dependency-failed') THEN 'failing'
             ELSE 'running'
           END
         -- Members whose rows are gone count by what they left.
         WHEN w.dropped_outcome = 'failed' OR w.deadline_passed_at IS NOT NULL THEN 'failed'
         WHEN EXISTS (SELECT 1 FROM finished_jobs f WHERE f.workflow_id = w.id AND f.state = 'dead') THEN 'failed'
         WHEN EXISTS (SELECT 1 FROM finished_jobs f
                       WHERE f.workflow_id = w.id AND f.state = 'skipped'
                         AND f.state_reason = 'dependency-failed') THEN 'failed'
         WHEN w.dropped_outcome = 'cancelled' THEN 'cancelled'
         WHEN EXISTS (SELECT 1 FROM finished_jobs f
                       WHERE f.workflow_id = w.id AND f.state = 'cancelled') THEN 'cancelled'
         ELSE 'succeeded'
       END AS state
  FROM workflows w;

-- Members of a workflow by state, as far as their rows are there: by jobs_workflow and finished_jobs_workflow.
CREATE VIEW workflow_counts AS
SELECT j.workflow_id, j.state, count(*) AS jobs FROM jobs j WHERE j.workflow_id IS NOT NULL GROUP BY j.workflow_id, j.state
UNION ALL
SELECT f.workflow_id, f.state, count(*) FROM finished_jobs f WHERE f.workflow_id IS NOT NULL GROUP BY f.workflow_id, f.state;
