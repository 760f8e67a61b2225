-- compat: additive
--
-- Schedules, the record of their fires, and backfills. The leader fires (R__35_schedules.sql); the API
-- writes what people decide, and wakes the leader by NOTIFY schedules_due, 'microseconds since the epoch'
-- of the new next_fire_at (any number wakes it).

CREATE TABLE schedules (
  id              int         GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id      int         NOT NULL REFERENCES projects,
  name            text        COLLATE "C" NOT NULL CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$'),
  description     text        CHECK (length(description) <= 1000),
  -- grows with each change that a person makes, not with fires: the ETag
  version         int         NOT NULL DEFAULT 1,
  created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at      timestamptz NOT NULL DEFAULT clock_timestamp(),

  -- ---- when
  kind            text        NOT NULL CHECK (kind IN ('cron', 'interval')),
  -- cron: the text as typed, and how it is read
  expression      text        COLLATE "C" CHECK (length(expression) <= 255),
  dialect         text        CHECK (dialect IN ('unix', 'quartz')),
  -- interval: planned at anchor + k x every, elapsed time, k any whole number
  every_ms        bigint      CHECK (every_ms BETWEEN 1000 AND 316224000000),
  anchor          timestamptz,
  -- IANA id, UTC or a fixed offset; also of an interval: its exclusions and local times are told in it
  time_zone       text        COLLATE "C" NOT NULL DEFAULT 'UTC' CHECK (length(time_zone) <= 64),
  -- planned times lie in [start_at, end_at)
  start_at        timestamptz,
  end_at          timestamptz,
  -- regular runs (scheduled, catch_up) after which it is completed
  max_runs        int         CHECK (max_runs >= 1),
  -- local dates on which nothing is planned
  exclusions      date[]      NOT NULL DEFAULT '{}' CHECK (cardinality(exclusions) <= 1000),
  -- up to so much is added to a job's run_at, by a hash of (schedule, planned time); never to the planned time
  jitter_ms       bigint      NOT NULL DEFAULT 0 CHECK (jitter_ms BETWEEN 0 AND 3600000),

  -- ---- what if
  -- times planned over a minute ago when they are seen: the newest only; each; none
  misfire_policy  text        NOT NULL DEFAULT 'fire_once' CHECK (misfire_policy IN ('fire_once', 'fire_all', 'skip')),
  -- fire_all: the newest so many
  max_catch_up    int         NOT NULL DEFAULT 100 CHECK (max_catch_up BETWEEN 1 AND 1000),
  -- older misfires are counted, never run
  catch_up_window_ms bigint   NOT NULL DEFAULT 86400000 CHECK (catch_up_window_ms BETWEEN 0 AND 31536000000),
  -- what becomes of a fire while a job of this schedule lives
  overlap_policy  text        NOT NULL DEFAULT 'skip'
                  CHECK (overlap_policy IN ('skip', 'allow', 'queue_one', 'queue_all', 'cancel_previous')),
  -- queue_all: fires that wait at most; further ones are skipped
  queue_bound     int         NOT NULL DEFAULT 100 CHECK (queue_bound BETWEEN 1 AND 1000),
  -- paused when so many runs in a row have ended without success; null: never
  auto_pause_after int        CHECK (auto_pause_after BETWEEN 1 AND 1000),

  -- ---- the template of a job, or of a workflow
  template        text        NOT NULL CHECK (template IN ('job', 'workflow')),
  job_type        text        COLLATE "C",
  queue_id        int         REFERENCES queues,
  -- In payloads a string that is exactly one of these is replaced at each fire, keys are not:
  --   "{{plannedAt}}" the planned time, UTC; "{{plannedLocal}}" the same in time_zone with its offset
  --   "{{schedule}}" the name; "{{trigger}}" scheduled, catch_up, backfill or manual
  --   "{{sequence}}" number of the fire, from 1 (a JSON number); "{{missedCount}}" planned times that this
  --   run stands for and that were not run (a JSON number)
  payload         json,
  priority        smallint    NOT NULL DEFAULT 4 CHECK (priority BETWEEN 0 AND 9),
  -- null: the queue's or the platform's default
  max_attempts    int         CHECK (max_attempts BETWEEN 1 AND 1000),
  retry_policy    json,
  timeout_ms      bigint      CHECK (timeout_ms BETWEEN 1 AND 2592000000),
  -- the job's start_by is its run_at plus this
  start_within_ms bigint      CHECK (start_within_ms BETWEEN 1000 AND 31536000000),
  cost            smallint    NOT NULL DEFAULT 1 CHECK (cost BETWEEN 1 AND 1000),
  concurrency_key text        COLLATE "C" CHECK (length(concurrency_key) BETWEEN 1 AND 255),
  -- A submission that the API has checked (no cycle, queues known), in the form
  --   {"name", "onFailure": "cancel" | "hold",
  --    "jobs": [{"key", "type", "queueId", "payload", "priority", "maxAttempts", "retryPolicy", "timeoutMs",
  --              "cost", "concurrencyKey"}],
  --    "edges": [{"parent": key, "child": key, "on": "success" | "done" | "failure"}]}
  -- optional in jobs: payload, priority, maxAttempts, retryPolicy, timeoutMs, cost, concurrencyKey
  workflow        json,

  -- ---- where it stands
  -- completed: no time is planned any more; disabled: it cannot be reckoned, disabled_reason says why
  state           text        NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'paused', 'completed', 'disabled')),
  paused_at       timestamptz,
  paused_by       text        CHECK (length(paused_by) <= 254),
  pause_reason    text        CHECK (length(pause_reason) <= 1000),
  -- the leader resumes it then; null: until somebody does
  paused_until    timestamptz,
  disabled_reason text        CHECK (length(disabled_reason) <= 1000),
  -- Every planned time up to here is decided; the next is the first one after it. Now, when a schedule is made
  -- or resumed or its times are edited.
  planned_to      timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- active: the next planned time. Only an alarm: the leader reckons anew from planned_to when it rings.
  next_fire_at    timestamptz,
  -- when the leader has to look: see schedules_wake
  wake_at         timestamptz GENERATED ALWAYS AS (
    CASE state WHEN 'active' THEN next_fire_at WHEN 'paused' THEN paused_until END) STORED,
  -- the newest planned time that was decided one by one (fired, queued or skipped)
  last_planned_at timestamptz,
  -- version of the time-zone data by which next_fire_at was reckoned
  tzdb_version    text        COLLATE "C",
  -- number given to the newest fire that ran, whatever its trigger
  sequence        bigint      NOT NULL DEFAULT 0,
  -- regular runs so far, against max_runs
  run_count       int         NOT NULL DEFAULT 0,
  -- rows of schedule_fires with outcome queued
  queued          int         NOT NULL DEFAULT 0 CHECK (queued >= 0),
  -- runs in a row that ended without success, as of the newest fire; reckoned for auto_pause_after only
  consecutive_failures int    NOT NULL DEFAULT 0,
  -- jobs made before it do not count towards auto_pause_after: set when somebody resumes
  failures_since  timestamptz NOT NULL DEFAULT clock_timestamp(),

  UNIQUE (project_id, name),
  CONSTRAINT schedules_when CHECK (CASE kind
    WHEN 'cron' THEN num_nonnulls(expression, dialect) = 2 AND num_nonnulls(every_ms, anchor) = 0
    ELSE num_nonnulls(expression, dialect) = 0 AND num_nonnulls(every_ms, anchor) = 2 END),
  CONSTRAINT schedules_template CHECK (CASE template
    WHEN 'job' THEN num_nonnulls(job_type, queue_id) = 2 AND workflow IS NULL
    ELSE workflow IS NOT NULL AND num_nonnulls(job_type, queue_id, payload) = 0 END),
  CONSTRAINT schedules_span CHECK (start_at < end_at),
  CONSTRAINT schedules_next CHECK ((state = 'active') = (next_fire_at IS NOT NULL)),
  CONSTRAINT schedules_paused CHECK ((state = 'paused') = (paused_at IS NOT NULL)),
  CONSTRAINT schedules_disabled CHECK ((state = 'disabled') = (disabled_reason IS NOT NULL))
) WITH (
  fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1
);
-- The leader takes what is due in this order.
CREATE INDEX schedules_wake ON schedules (wake_at, id) WHERE wake_at IS NOT NULL;
CREATE INDEX schedules_queued ON schedules (id) WHERE queued > 0;
CREATE INDEX schedules_queue ON schedules (queue_id) WHERE queue_id IS NOT NULL;

-- What became of each planned time and of each trigger by hand. No foreign key: history outlives its schedule
-- until its retention ends, and its jobs move between tables.
CREATE TABLE schedule_fires (
  -- in the order in which they were decided
  id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  schedule_id  int         NOT NULL,
  -- null: a trigger by hand, or a missed range
  planned_at   timestamptz,
  -- the same in the schedule's zone then, with its offset
  planned_local text,
  -- 0: the regular one; a backfill that runs a time again counts up
  run          smallint    NOT NULL DEFAULT 0 CHECK (run >= 0),
  trigger      text        NOT NULL CHECK (trigger IN ('scheduled', 'catch_up', 'backfill', 'manual')),
  -- fired: the job or workflow was made. queued: it will be, when no other of the schedule lives.
  -- skipped: see reason. missed: one row for a range of planned times that were not run.
  outcome      text        NOT NULL CHECK (outcome IN ('fired', 'queued', 'skipped', 'missed')),
  -- skipped: overlap, queue-full, superseded (a later one of the same moment ran), aborted (it was queued).
  -- missed: misfire-policy, catch-up-limit, catch-up-window
  reason       text,
  sequence     bigint,
  job_id       bigint,
  workflow_id  int,
  backfill_id  int,
  -- missed: first and last planned time of the range
  missed_from  timestamptz,
  missed_to    timestamptz,
  -- missed: how many; otherwise the planned times that this run stands for besides its own
  missed_count int         NOT NULL DEFAULT 0 CHECK (missed_count >= 0),
  -- trigger by hand, backfill: who
  requested_by text        CHECK (length(requested_by) <= 254),
  decided_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- when the job was made; minus planned_at it is the lag
  fired_at     timestamptz,
  -- Exactly one fire per planned time (docs/architecture.md, I6): whoever decides it inserts this row in the
  -- transaction that makes the job.
  CONSTRAINT schedule_fires_once UNIQUE (schedule_id, planned_at, run),
  CONSTRAINT schedule_fires_planned CHECK (
    (planned_at IS NULL) = (trigger = 'manual' OR outcome = 'missed')),
  CONSTRAINT schedule_fires_made CHECK (
    (outcome = 'fired') = (num_nonnulls(job_id, workflow_id) = 1) AND (outcome = 'fired') = (fired_at IS NOT NULL)),
  CONSTRAINT schedule_fires_missed CHECK (
    (outcome = 'missed') = (num_nonnulls(missed_from, missed_to) = 2) AND num_nonnulls(missed_from, missed_to) <> 1),
  CONSTRAINT schedule_fires_why CHECK ((outcome IN ('skipped', 'missed')) = (reason IS NOT NULL))
) WITH (autovacuum_vacuum_cost_delay = 1);
-- History, newest first.
CREATE INDEX schedule_fires_history ON schedule_fires (schedule_id, id);
CREATE INDEX schedule_fires_queued ON schedule_fires (schedule_id, id) WHERE outcome = 'queued';
CREATE INDEX schedule_fires_backfill ON schedule_fires (backfill_id, id) WHERE backfill_id IS NOT NULL;

-- Planned times of the past to be run now. The leader works them in batches, oldest first.
CREATE TABLE backfills (
  id             int         GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  schedule_id    int         NOT NULL REFERENCES schedules ON DELETE CASCADE,
  -- [range_from, range_to), not after planned_to of the schedule; at most 1,000 planned times
  range_from     timestamptz NOT NULL,
  range_to       timestamptz NOT NULL,
  -- allow: all at once. queue_all: one after the other, each when no job of the schedule lives. skip: those
  -- decided while one lives are skipped.
  overlap_policy text        NOT NULL DEFAULT 'queue_all' CHECK (overlap_policy IN ('allow', 'queue_all', 'skip')),
  -- missing: times of which no run was made. failed: also those whose newest run ended without success.
  -- all: each. A time whose run still waits or lives is never run again.
  reprocess      text        NOT NULL DEFAULT 'missing' CHECK (reprocess IN ('missing', 'failed', 'all')),
  -- of its jobs; of a workflow's, all of them
  priority       smallint    NOT NULL DEFAULT 0 CHECK (priority BETWEEN 0 AND 9),
  state          text        NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'completed', 'aborted')),
  -- planned times up to here are decided
  cursor_at      timestamptz,
  -- decided so far: fired or queued, skipped by overlap, left alone by reprocess
  accepted       int         NOT NULL DEFAULT 0,
  skipped        int         NOT NULL DEFAULT 0,
  left_alone     int         NOT NULL DEFAULT 0,
  -- planned times in the range, as counted when it was asked for
  planned        int         NOT NULL CHECK (planned BETWEEN 0 AND 1000),
  requested_by   text        CHECK (length(requested_by) <= 254),
  created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  finished_at    timestamptz,
  -- why the leader gave it up
  error          text        CHECK (length(error) <= 1000),
  CONSTRAINT backfills_range CHECK (range_from < range_to),
  CONSTRAINT backfills_finished CHECK ((state = 'running') = (finished_at IS NULL))
);
CREATE INDEX backfills_schedule ON backfills (schedule_id, id);
CREATE INDEX backfills_running ON backfills (id) WHERE state = 'running';

INSERT INTO schema_versions (version, compat) VALUES (4, 'additive');
