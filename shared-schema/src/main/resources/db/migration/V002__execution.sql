-- compat: additive
--
-- What a complete execution engine keeps: per-key limits, rates, ageing, pauses; timeouts and expiry of
-- jobs; requests to cancel; progress; generations of attempts; fingerprints of errors.

-- ---------------------------------------------------------------- queues

ALTER TABLE queues
  -- jobs of one concurrency key that run at once; null: no limit
  ADD COLUMN per_key_concurrency int CHECK (per_key_concurrency >= 1),
  -- token bucket: rate_limit starts per rate_period_ms, at most rate_burst at once; null: no limit
  ADD COLUMN rate_limit int CHECK (rate_limit BETWEEN 1 AND 1000000),
  ADD COLUMN rate_period_ms bigint CHECK (rate_period_ms BETWEEN 1 AND 86400000),
  ADD COLUMN rate_burst int CHECK (rate_burst BETWEEN 1 AND 1000000),
  -- wait by which one step of priority is outweighed; null: the queue does not age
  ADD COLUMN ageing_ms bigint CHECK (ageing_ms BETWEEN 1 AND 86400000),
  ADD COLUMN max_depth int CHECK (max_depth >= 1),
  -- what a job gets that names none of its own
  ADD COLUMN retry_policy json,
  ADD COLUMN timeout_ms bigint CHECK (timeout_ms BETWEEN 1 AND 2592000000),
  ADD COLUMN paused_by text CHECK (length(paused_by) <= 254),
  -- a pause that ends by itself; null: until resumed
  ADD COLUMN resume_at timestamptz,
  ADD CONSTRAINT queues_rate CHECK (num_nonnulls(rate_limit, rate_period_ms, rate_burst) IN (0, 3));
CREATE INDEX queues_resume ON queues (resume_at) WHERE resume_at IS NOT NULL;

-- Fill of each rate-limited queue's bucket. Apart from queues: it changes with each claim.
CREATE TABLE rate_buckets (
  queue_id    int              PRIMARY KEY,
  tokens      double precision NOT NULL CHECK (tokens >= 0),
  refilled_at timestamptz      NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);

-- ---------------------------------------------------------------- jobs

ALTER TABLE jobs
  -- the attempt's run time after which it is ended; null: the queue's, or none
  ADD COLUMN timeout_ms bigint CHECK (timeout_ms BETWEEN 1 AND 2592000000),
  -- not started by then: cancelled as expired
  ADD COLUMN start_by timestamptz CHECK (isfinite(start_by)),
  -- the schedule's fire that made it
  ADD COLUMN planned_at timestamptz,
  ADD COLUMN schedule_id int,
  -- grows with each redrive; attempts count from 1 in each generation
  ADD COLUMN generation smallint NOT NULL DEFAULT 0 CHECK (generation >= 0),
  -- slots that it takes in its worker
  ADD COLUMN cost smallint NOT NULL DEFAULT 1 CHECK (cost BETWEEN 1 AND 1000),
  ADD COLUMN concurrency_key text COLLATE "C" CHECK (length(concurrency_key) BETWEEN 1 AND 255);
-- A full key is stepped over in one probe, however many of its jobs wait.
CREATE INDEX jobs_ready_key ON jobs (queue_id, concurrency_key, dispatch_lane DESC, dispatch_key, id)
  WHERE state = 'ready' AND concurrency_key IS NOT NULL;
CREATE INDEX jobs_running_key ON jobs (queue_id, concurrency_key)
  WHERE state = 'running' AND concurrency_key IS NOT NULL;
CREATE INDEX jobs_start_by ON jobs (start_by, id) WHERE start_by IS NOT NULL AND state <> 'running';
CREATE INDEX jobs_schedule ON jobs (schedule_id, id) WHERE schedule_id IS NOT NULL;

ALTER TABLE finished_jobs
  ADD COLUMN timeout_ms bigint,
  ADD COLUMN start_by timestamptz,
  ADD COLUMN planned_at timestamptz,
  ADD COLUMN schedule_id int,
  ADD COLUMN generation smallint NOT NULL DEFAULT 0,
  ADD COLUMN cost smallint NOT NULL DEFAULT 1,
  ADD COLUMN concurrency_key text COLLATE "C",
  -- hash of kind, normalised message and top frames: what failed for the same reason has the same
  ADD COLUMN error_fingerprint text COLLATE "C";
CREATE INDEX finished_jobs_fingerprint ON finished_jobs (project_id, error_fingerprint, id)
  WHERE state = 'dead' AND error_fingerprint IS NOT NULL;
CREATE INDEX finished_jobs_schedule ON finished_jobs (schedule_id, id) WHERE schedule_id IS NOT NULL;

-- succeeded, dead, cancelled: the attempt that had ended a job which was moved back
ALTER TABLE attempts
  DROP CONSTRAINT attempts_outcome_check,
  ADD CONSTRAINT attempts_outcome CHECK (outcome IN (
    'failed', 'lost', 'released', 'snoozed', 'timed_out', 'revoked', 'succeeded', 'dead', 'cancelled')),
  ADD COLUMN generation smallint NOT NULL DEFAULT 0,
  ADD COLUMN error_fingerprint text COLLATE "C";
ALTER TABLE finished_attempts
  ADD COLUMN generation smallint NOT NULL DEFAULT 0,
  ADD COLUMN error_fingerprint text COLLATE "C";

-- ---------------------------------------------------------------- beside the lease row

-- What changes while an attempt runs never touches the row that assert_lease locks.

-- Running jobs that somebody wants to end. The row goes when its job ends, whatever the outcome.
CREATE TABLE cancel_requests (
  job_id       bigint      PRIMARY KEY,
  worker_id    bigint      NOT NULL,
  requested_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  requested_by text        CHECK (length(requested_by) <= 254),
  reason       text        CHECK (length(reason) <= 1000)
);
CREATE INDEX cancel_requests_worker ON cancel_requests (worker_id);

-- The newest word of a running attempt; one row per job, overwritten, gone when the job ends.
CREATE TABLE job_progress (
  job_id      bigint      PRIMARY KEY,
  lease_token bigint      NOT NULL,
  -- 0 to 1
  fraction    double precision CHECK (fraction BETWEEN 0 AND 1),
  message     text        CHECK (length(message) <= 1000),
  updated_at  timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

INSERT INTO schema_versions (version, compat) VALUES (2, 'additive');
