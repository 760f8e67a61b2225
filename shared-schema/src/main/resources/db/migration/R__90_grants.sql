-- The ownership matrix: what each service's role may do, column by column. All else is 42501.
-- Runs at every migration (${flyway:timestamp}), since a function or view made anew loses its grants.

REVOKE ALL ON SCHEMA jobs FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA jobs FROM PUBLIC, ${api_role}, ${worker_role}, ${scheduler_role}, ${dashboard_role};
REVOKE ALL ON ALL SEQUENCES IN SCHEMA jobs FROM PUBLIC, ${api_role}, ${worker_role}, ${scheduler_role}, ${dashboard_role};
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA jobs FROM PUBLIC, ${api_role}, ${worker_role}, ${scheduler_role}, ${dashboard_role};
GRANT USAGE ON SCHEMA jobs TO ${api_role}, ${worker_role}, ${scheduler_role}, ${dashboard_role};
GRANT SELECT ON schema_versions TO ${api_role}, ${worker_role}, ${scheduler_role}, ${dashboard_role};

-- ---------------------------------------------------------------- api-service
-- Reads everything of a project; inserts what is handed in; a job's life after that is not its to write.
GRANT SELECT ON projects, users, project_members, signing_keys, queues, jobs, finished_jobs, attempts,
                finished_attempts, workflows, workflow_members, workflow_callbacks, dependencies, workers, all_jobs,
                workflow_status, workflow_counts,
                cancel_requests, job_progress, job_logs,
                job_statistics, queue_depths, statistics_progress, search_terms
   TO ${api_role};
GRANT SELECT, INSERT (worker_id), DELETE ON worker_drains TO ${api_role};
GRANT INSERT (name, description), UPDATE (description, deleted_at) ON projects TO ${api_role};
GRANT INSERT (email, name, password_hash, platform_admin, issuer, subject),
      UPDATE (email, name, password_hash, platform_admin, disabled_at)
   ON users TO ${api_role};
-- Of sessions and keys it keeps hashes; a try of a login is taken and given back by functions.
GRANT SELECT, INSERT (user_id, handle, token_hash, expires_at),
      UPDATE (generation, token_hash, rotated_at, rotated_before, expires_at), DELETE
   ON sessions TO ${api_role};
GRANT SELECT, INSERT (project_id, name, hint, key_hash, scopes, queues, payload_visible, created_by, expires_at),
      UPDATE (last_used_at), DELETE
   ON api_keys TO ${api_role};
GRANT EXECUTE ON FUNCTION
  take_login_try(bytea, int, interval, bytea, int, interval), give_back_login_try(bytea, interval, bytea),
  rotate_signing_key(text, text, text, bytea, interval, interval, interval), reached_queues(int, text[])
   TO ${api_role};
GRANT INSERT (project_id, user_id, role, payload_visible), UPDATE (role, payload_visible), DELETE
   ON project_members TO ${api_role};
GRANT INSERT (project_id, name, weight, max_concurrency, per_key_concurrency, rate_limit, rate_period_ms, rate_burst,
              max_depth, ageing_ms, retry_policy, timeout_ms, retain_finished_days, retain_dead_days),
      UPDATE (weight, max_depth, retry_policy, timeout_ms, retain_finished_days, retain_dead_days, deleted_at,
              updated_at)
   ON queues TO ${api_role};
GRANT INSERT (id, project_id, queue_id, type, state, priority, dispatch_lane, dispatch_key, run_at, ready_at,
              max_attempts, retry_policy, payload, workflow_id, workflow_key, has_dependencies, has_dependents,
              timeout_ms, start_by, cost, concurrency_key, join_mode, gate, tags, metadata, traceparent, unique_key,
              unique_until)
   ON jobs TO ${api_role};
GRANT SELECT, DELETE, INSERT (project_id, user_id, key, expires_at, request_hash, status, location, answer)
   ON idempotency_keys TO ${api_role};
GRANT EXECUTE ON FUNCTION
  take_unique_keys(int, text[], text[], bigint[], text[], bigint[]), admit_jobs(int, text[], int[]),
  delete_job(int, bigint), edit_job(int, bigint, text[], int, boolean, text, boolean, timestamptz, boolean, text[])
   TO ${api_role};
GRANT INSERT (project_id, name, kind, on_failure, job_count, deadline_at) ON workflows TO ${api_role};
GRANT INSERT (workflow_id, job_id, key, expected_ms) ON workflow_members TO ${api_role};
GRANT INSERT (workflow_id, on_event, job) ON workflow_callbacks TO ${api_role};
GRANT INSERT (child_id, parent_id, workflow_id, on_outcome) ON dependencies TO ${api_role};
GRANT USAGE ON SEQUENCE job_id_seq TO ${api_role};
-- Of schedules it writes what people decide; where a schedule stands is the leader's, but for the start.
GRANT SELECT ON schedules, schedule_fires, backfills TO ${api_role};
GRANT INSERT (project_id, name, description, kind, expression, dialect, every_ms, anchor, time_zone, start_at, end_at,
              max_runs, exclusions, jitter_ms, misfire_policy, max_catch_up, catch_up_window_ms, overlap_policy,
              queue_bound, auto_pause_after, template, job_type, queue_id, payload, priority, max_attempts,
              retry_policy, timeout_ms, start_within_ms, cost, concurrency_key, tags, metadata, workflow, state, paused_at,
              paused_by, pause_reason, paused_until, planned_to, next_fire_at, tzdb_version),
      UPDATE (name, description, version, updated_at, kind, expression, dialect, every_ms, anchor, time_zone,
              start_at, end_at, max_runs, exclusions, jitter_ms, misfire_policy, max_catch_up, catch_up_window_ms,
              overlap_policy, queue_bound, auto_pause_after, template, job_type, queue_id, payload, priority,
              max_attempts, retry_policy, timeout_ms, start_within_ms, cost, concurrency_key, tags, metadata, workflow, state,
              paused_at, paused_by, pause_reason, paused_until, disabled_reason, planned_to, next_fire_at,
              tzdb_version, failures_since),
      DELETE ON schedules TO ${api_role};
GRANT INSERT (schedule_id, range_from, range_to, overlap_policy, reprocess, priority, planned, requested_by)
   ON backfills TO ${api_role};
GRANT EXECUTE ON FUNCTION trigger_schedule(int, int, text, text, text),
  backfill_runs(int, timestamptz[], text), abort_backfill(int, int, int, text) TO ${api_role};
GRANT EXECUTE ON FUNCTION
  micros(timestamptz), ready_lane(int, bigint), ready_key(bigint, int, bigint),
  set_queue_limits(int, int, int, int, bigint, int), set_queue_ageing(int, bigint),
  pause_queue(int, text, text, timestamptz), resume_queue(int), assert_lease(bigint, bigint),
  redrive_jobs(int, bigint[], text[]), run_jobs_now(int, bigint[]), outcome_of_end(text, text, text),
  type_run_seconds(int, text[]), set_search_paths(int, text[]), search_term(text, text), payload_at(json, text)
   TO ${api_role};
GRANT EXECUTE ON FUNCTION cancel_jobs(int, bigint[], text, text), release_waiting(int, bigint[]) TO ${api_role};
-- Of workflows that run it writes nothing itself: surgery, gates and growth are functions.
GRANT SELECT ON workflow_signals, workflow_approvals TO ${api_role};
GRANT EXECUTE ON FUNCTION
  hold_workflow(int, int), rerun_members(int, int, bigint[]), end_member(int, int, bigint, text, text, text),
  edit_member(int, int, bigint, text, text), member_tag(bigint, smallint, int, json),
  pause_workflow(int, int, text, text), resume_workflow(int, int), cancel_workflow(int, int, text, text),
  send_signal(int, int, text, text, text), decide_approval(int, int, bigint, text, text, text),
  add_members(int, int, json, text[], bigint[], text[], text[], text)
   TO ${api_role};
GRANT EXECUTE ON FUNCTION connect_jobs(int, bigint[], bigint[], text[], bigint[]) TO ${api_role};
-- The audit log grows by its functions only; nobody changes or deletes a row of it.
GRANT SELECT ON audit_log TO ${api_role};
GRANT EXECUTE ON FUNCTION audit_action(int, text, text, jsonb), verify_audit(int, bigint, int),
                          make_external_user(text, text, text, text, text, text),
                          rename_external_user(bigint, text, text, text, text) TO ${api_role};
-- Of bulk actions it writes nothing itself.
GRANT SELECT ON bulk_actions, bulk_action_jobs TO ${api_role};
GRANT EXECUTE ON FUNCTION
  preview_bulk_action(int, jsonb, int[], int, int, int), submit_bulk_action(int, jsonb, int[], text, int),
  abort_bulk_action(int, bigint, int[]), undo_bulk_action(int, bigint, int[])
   TO ${api_role};
GRANT EXECUTE ON FUNCTION explain_job(int, bigint), serves(text[], text, text) TO ${api_role};

-- ---------------------------------------------------------------- worker-service
-- No right on any job row: claim and settle are its only doors.
GRANT SELECT (id, name) ON projects TO ${worker_role};
GRANT SELECT (id, project_id, name, weight, max_concurrency, per_key_concurrency, rate_limit,
              rate_period_ms, rate_burst, timeout_ms, paused_at)
   ON queues TO ${worker_role};
GRANT SELECT ON queue_heads TO ${worker_role};
GRANT EXECUTE ON FUNCTION
  claim(bigint, bigint, int[], int[], bigint[], bigint[]),
  first_ready(int[], bigint[], bigint[]), next_tokens(int[]), held_by(bigint), assert_lease(bigint, bigint),
  settle(bigint, bigint[], bigint[], int[], text[], text[], text[], text[], text[], text[], interval[], timestamptz[]),
  promote_jobs(bigint[]), release_pending(int, bigint[], boolean),
  note_attempts(bigint, bigint[], bigint[], double precision[], text[], int[], int[], int[], text[], text[],
                double precision[]),
  grow_workflow(bigint, bigint, bigint, json, text[], text[], text[]),
  parent_results(bigint, bigint, bigint, int, int),
  add_downstream(bigint, bigint, bigint, json, text[], text[], text[]),
  register_worker(bigint, text, bigint, text, text[], int, boolean), beat(bigint, int, boolean, bigint[]), stop_worker(bigint)
   TO ${worker_role};

-- ---------------------------------------------------------------- scheduler-service
GRANT SELECT, UPDATE ON leadership TO ${scheduler_role};
GRANT SELECT (id, name) ON projects TO ${scheduler_role};
GRANT SELECT (id, project_id, name) ON queues TO ${scheduler_role};
GRANT SELECT (id, project_id, queue_id, type, state, run_at, workflow_id, workflow_key) ON jobs TO ${scheduler_role};
GRANT SELECT ON workflows, workflow_members, dependencies, workers TO ${scheduler_role};
GRANT SELECT ON schedules, schedule_fires, backfills TO ${scheduler_role};
GRANT EXECUTE ON FUNCTION
  promote_due(int), mark_lost_workers(interval, interval), rescue_jobs(int, boolean), forget_workers(interval),
  release_pending(int, bigint[], boolean), sweep_blocked(bigint, int),
  plan_members(int), apply_plan(int, bigint[], int, int[], int[], boolean[], double precision[], int, int, double precision),
  finish_workflows(int, bigint[]), note_queue_heads(bigint[]), ensure_partitions(int), drop_expired_partition(date[]),
  ensure_log_partitions(int, int), drop_expired_logs(int), sweep_notes(int, int),
  leader_agenda(interval), due_ahead(interval, int), expire_jobs(int, bigint[]),
  resume_due_queues(), queues_to_rekey(), rekey_queue(int, int),
  roll_up_statistics(interval, interval, boolean), sample_queue_depths(), summarise_finished_jobs(), forget_statistics(int),
  seal_audit(int),
  promote_jobs(bigint[]), loop_candidates(text, int, bigint[]), queue_gauges(), tell_edges(bigint, int), delete_due_defaults(int), next_expired_partition(date[]),
  forget_workflows(int), forget_keys(int), note_first_failures(int), cancel_overdue(int), forget_edges(bigint, int),
  forget_search_terms(bigint, int), settle_search_paths()
   TO ${scheduler_role};
GRANT EXECUTE ON FUNCTION
  schedules_ahead(interval, int), take_due_schedules(int, int[]), take_stale_schedules(text, int, int),
  fire_schedules(int[], timestamptz[], timestamptz[], text, int[], timestamptz[], text[], text[], timestamptz[], int[],
                 int[], timestamptz[], timestamptz[], int[], text[]),
  start_queued_fires(int), disable_schedules(int[], int[], text[]), take_backfill(),
  fire_backfill(int, timestamptz[], text[], timestamptz), finish_backfills(), abort_backfill(int, int, int, text),
  expire_fires(interval, int)
   TO ${scheduler_role};

GRANT EXECUTE ON FUNCTION
  open_bulk_actions(bigint, int, bigint[]), step_bulk_action(bigint, int, int, int), pass_bulk_job(bigint, text),
  forget_bulk_actions(interval, int)
   TO ${scheduler_role};

-- ---------------------------------------------------------------- dashboard-service
-- Nothing but the version: its signals arrive by LISTEN, its data through the API.

-- ---------------------------------------------------------------- applications that enqueue by SQL
-- Roles of sql_clients that are there.
DO $$
BEGIN
  PERFORM jobs.grant_sql_contract(c.role_name)
    FROM (SELECT DISTINCT s.role_name FROM jobs.sql_clients s JOIN pg_roles r ON r.rolname = s.role_name) c;
END
$$;
