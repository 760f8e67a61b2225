-- compat: additive
--
-- The tables that a job, a workflow, a worker and the leader need. Access is by role (R__grants.sql);
-- jobs change only through the functions of R__2x_*.sql, so the rules stand in one place.

-- ---------------------------------------------------------------- versions, projects, people

CREATE TABLE schema_versions (
  version    int         PRIMARY KEY,
  compat     text        NOT NULL CHECK (compat IN ('additive', 'breaking')),
  applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE projects (
  id         int         GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name       text        COLLATE "C" NOT NULL UNIQUE CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$'),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE users (
  id             bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  email          text        NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
  name           text        NOT NULL DEFAULT '' CHECK (length(name) <= 200),
  password_hash  text        NOT NULL,
  platform_admin boolean     NOT NULL DEFAULT false,
  created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  disabled_at    timestamptz
);
CREATE UNIQUE INDEX users_email ON users (lower(email));

CREATE TABLE project_members (
  project_id      int         NOT NULL REFERENCES projects,
  user_id         bigint      NOT NULL REFERENCES users,
  role            text        NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
  payload_visible boolean     NOT NULL DEFAULT true,
  created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (project_id, user_id)
);
CREATE INDEX project_members_user ON project_members (user_id);

CREATE TABLE signing_keys (
  kid                   text        PRIMARY KEY,
  algorithm             text        NOT NULL,
  public_jwk            text        NOT NULL,
  private_key_encrypted bytea       NOT NULL,
  created_at            timestamptz NOT NULL DEFAULT clock_timestamp(),
  retired_at            timestamptz
);

-- ---------------------------------------------------------------- queues

CREATE TABLE queues (
  id              int         GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id      int         NOT NULL REFERENCES projects,
  name            text        COLLATE "C" NOT NULL CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$'),
  weight          int         NOT NULL DEFAULT 1 CHECK (weight BETWEEN 1 AND 1000),
  -- null: no limit; 0: nothing starts
  max_concurrency int         CHECK (max_concurrency >= 0),
  paused_at       timestamptz,
  pause_reason    text,
  -- days that a finished job is kept; null: for ever
  retain_finished_days int    DEFAULT 7  CHECK (retain_finished_days BETWEEN 0 AND 730),
  retain_dead_days     int    DEFAULT 30 CHECK (retain_dead_days BETWEEN 0 AND 730),
  created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (project_id, name)
);

-- The guard of the remembered heads: per queue and lane, the smallest key of a row that has been
-- ready for over a second. Written by the leader, read by every claimer with its poll.
CREATE TABLE queue_heads (
  queue_id      int         NOT NULL,
  dispatch_lane smallint    NOT NULL,
  dispatch_key  bigint      NOT NULL,
  job_id        bigint      NOT NULL,
  noted_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (queue_id, dispatch_lane)
);

-- ---------------------------------------------------------------- jobs

CREATE SEQUENCE job_id_seq AS bigint CACHE 1;
-- One sequence for all leases: a token is unique and grows over workers, table moves and redrives.
CREATE SEQUENCE lease_token_seq AS bigint CACHE 1;

-- Live jobs only. A job that ends leaves this table for finished_jobs in the statement that ends it.
-- Eight-byte columns first: no padding.
CREATE TABLE jobs (
  id               bigint      NOT NULL DEFAULT nextval('job_id_seq') PRIMARY KEY,
  -- order of dispatch inside (queue, lane): microseconds since the epoch, see docs/architecture.md
  dispatch_key     bigint      NOT NULL,
  lease_token      bigint,
  worker_id        bigint,
  -- number of the claim within its worker, so that a claim whose reply was lost is recognised
  claim_number     bigint,
  created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- scheduled, retrying: the instant at which it is due
  run_at           timestamptz,
  ready_at         timestamptz,
  started_at       timestamptz,
  project_id       int         NOT NULL,
  queue_id         int         NOT NULL,
  workflow_id      int,
  attempt          int         NOT NULL DEFAULT 0 CHECK (attempt >= 0),
  max_attempts     int         NOT NULL DEFAULT 20 CHECK (max_attempts BETWEEN 1 AND 1000),
  -- rows of this job in attempts: zero spares the look-up when it ends
  attempt_rows     int         NOT NULL DEFAULT 0,
  -- times that a claim was given back because its worker died before it started the job
  returned         smallint    NOT NULL DEFAULT 0,
  priority         smallint    NOT NULL DEFAULT 4 CHECK (priority BETWEEN 0 AND 9),
  -- the priority, or 0 in an ageing queue, where the priority is part of the key
  dispatch_lane    smallint    NOT NULL DEFAULT 4 CHECK (dispatch_lane BETWEEN 0 AND 9),
  has_dependencies boolean     NOT NULL DEFAULT false,
  has_dependents   boolean     NOT NULL DEFAULT false,
  state            text        NOT NULL CHECK (state IN ('scheduled', 'blocked', 'ready', 'running', 'retrying')),
  type             text        COLLATE "C" NOT NULL,
  state_reason     text,
  workflow_key     text        COLLATE "C",
  -- json, not jsonb: what was typed comes back digit for digit
  payload          json,
  retry_policy     json,
  CONSTRAINT jobs_lease CHECK ((state = 'running') = (lease_token IS NOT NULL)),
  CONSTRAINT jobs_worker CHECK ((state = 'running') = (worker_id IS NOT NULL)),
  CONSTRAINT jobs_due CHECK (state NOT IN ('scheduled', 'retrying') OR run_at IS NOT NULL)
) WITH (
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1
);

-- The claim's index: one range scan per (queue, lane), from the remembered head.
CREATE INDEX jobs_ready ON jobs (queue_id, dispatch_lane DESC, dispatch_key, id) WHERE state = 'ready';
-- Limits count by queue; a worker finds its own rows over its queues.
CREATE INDEX jobs_running ON jobs (queue_id, worker_id) WHERE state = 'running';
CREATE INDEX jobs_due ON jobs (run_at, id) WHERE state IN ('scheduled', 'retrying');
-- The leader's sweep walks blocked jobs in id order.
CREATE INDEX jobs_blocked ON jobs (id) WHERE state = 'blocked';
CREATE INDEX jobs_waiting ON jobs (queue_id, state) WHERE state IN ('scheduled', 'blocked', 'retrying');
CREATE INDEX jobs_workflow ON jobs (workflow_id) WHERE workflow_id IS NOT NULL;
-- Lists of a project, newest first.
CREATE INDEX jobs_project ON jobs (project_id, id);

-- Terminal jobs, one partition for each day on which a retention ends (see ensure_partitions).
CREATE TABLE finished_jobs (
  id               bigint      NOT NULL,
  lease_token      bigint,
  worker_id        bigint,
  created_at       timestamptz NOT NULL,
  run_at           timestamptz,
  ready_at         timestamptz,
  started_at       timestamptz,
  finished_at      timestamptz NOT NULL,
  retain_until     date        NOT NULL,
  project_id       int         NOT NULL,
  queue_id         int         NOT NULL,
  workflow_id      int,
  attempt          int         NOT NULL,
  max_attempts     int         NOT NULL,
  attempt_rows     int         NOT NULL,
  returned         smallint    NOT NULL,
  priority         smallint    NOT NULL,
  has_dependencies boolean     NOT NULL,
  has_dependents   boolean     NOT NULL,
  state            text        NOT NULL CHECK (state IN ('succeeded', 'dead', 'cancelled', 'skipped')),
  type             text        COLLATE "C" NOT NULL,
  state_reason     text,
  workflow_key     text        COLLATE "C",
  payload          json,
  retry_policy     json,
  result           json,
  error_kind       text,
  error_message    text,
  error_stack      text,
  PRIMARY KEY (id, retain_until)
) PARTITION BY LIST (retain_until);
CREATE INDEX finished_jobs_project_state ON finished_jobs (project_id, state, id);
CREATE INDEX finished_jobs_workflow ON finished_jobs (workflow_id, state) WHERE workflow_id IS NOT NULL;

-- Attempts that did not end the job; the attempt that ends it is the row in finished_jobs itself.
CREATE TABLE attempts (
  job_id        bigint      NOT NULL,
  lease_token   bigint      NOT NULL,
  worker_id     bigint,
  started_at    timestamptz,
  ended_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempt       int         NOT NULL,
  outcome       text        NOT NULL CHECK (outcome IN ('failed', 'lost', 'released', 'snoozed', 'timed_out', 'revoked')),
  error_kind    text,
  error_message text,
  error_stack   text,
  PRIMARY KEY (job_id, lease_token)
);

CREATE TABLE finished_attempts (
  job_id        bigint      NOT NULL,
  lease_token   bigint      NOT NULL,
  worker_id     bigint,
  started_at    timestamptz,
  ended_at      timestamptz NOT NULL,
  retain_until  date        NOT NULL,
  attempt       int         NOT NULL,
  outcome       text        NOT NULL,
  error_kind    text,
  error_message text,
  error_stack   text,
  PRIMARY KEY (job_id, lease_token, retain_until)
) PARTITION BY LIST (retain_until);

-- Normally empty: an insert finds a home even if the leader could not make partitions for weeks.
CREATE TABLE finished_jobs_default PARTITION OF finished_jobs DEFAULT;
CREATE TABLE finished_attempts_default PARTITION OF finished_attempts DEFAULT;

-- ---------------------------------------------------------------- workflows

CREATE TABLE workflows (
  id          int         GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id  int         NOT NULL REFERENCES projects,
  name        text        COLLATE "C" NOT NULL,
  on_failure  text        NOT NULL DEFAULT 'cancel' CHECK (on_failure IN ('cancel', 'hold')),
  created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  planned_at  timestamptz,
  -- set by the leader once the last member has ended; until then the state is derived from the members
  finished_at timestamptz,
  final_state text        CHECK (final_state IN ('succeeded', 'failed', 'cancelled')),
  job_count   int         NOT NULL,
  levels      int,
  clusters    int,
  critical_path_length double precision
);
CREATE INDEX workflows_project ON workflows (project_id, id);
CREATE INDEX workflows_unplanned ON workflows (id) WHERE planned_at IS NULL;
CREATE INDEX workflows_unfinished ON workflows (id) WHERE finished_at IS NULL;

-- One row per node; it stays in place while its job moves between the job tables.
CREATE TABLE workflow_members (
  workflow_id int      NOT NULL REFERENCES workflows ON DELETE CASCADE,
  job_id      bigint   NOT NULL,
  key         text     COLLATE "C" NOT NULL,
  level       int,
  cluster     int,
  critical    boolean,
  -- the plan's upward rank over the largest of the graph: 0 to 1
  rank        double precision,
  PRIMARY KEY (workflow_id, job_id),
  UNIQUE (workflow_id, key)
);

-- An edge keeps its parent's outcome, so the retention of a parent strands nobody.
-- No foreign key: parents and children move between tables.
CREATE TABLE dependencies (
  child_id    bigint NOT NULL,
  parent_id   bigint NOT NULL,
  workflow_id int,
  on_outcome  text   NOT NULL DEFAULT 'success' CHECK (on_outcome IN ('success', 'done', 'failure')),
  outcome     text   CHECK (outcome IN ('succeeded', 'dead', 'cancelled', 'skipped')),
  met         boolean NOT NULL GENERATED ALWAYS AS (
    CASE on_outcome
      WHEN 'success' THEN coalesce(outcome = 'succeeded', false)
      WHEN 'done'    THEN outcome IS NOT NULL
      ELSE coalesce(outcome IN ('dead', 'cancelled'), false)
    END) STORED,
  PRIMARY KEY (child_id, parent_id),
  CHECK (child_id <> parent_id)
);
CREATE INDEX dependencies_parent ON dependencies (parent_id);
CREATE INDEX dependencies_workflow ON dependencies (workflow_id);

-- Ended parents whose children are still to be told: wide fans are released in batches after the
-- settle has committed, and a skipped child passes its fate on from here.
CREATE TABLE pending_releases (
  parent_id bigint PRIMARY KEY,
  outcome   text   NOT NULL CHECK (outcome IN ('succeeded', 'dead', 'cancelled', 'skipped'))
);

-- ---------------------------------------------------------------- processes

CREATE TABLE workers (
  -- random for each process start; also the key of its session advisory lock
  id           bigint      PRIMARY KEY,
  host         text        NOT NULL,
  pid          bigint      NOT NULL,
  version      text        NOT NULL,
  queues       text[]      NOT NULL,
  slots        int         NOT NULL CHECK (slots >= 1),
  running      int         NOT NULL DEFAULT 0,
  draining     boolean     NOT NULL DEFAULT false,
  -- claimed and not yet started: given back if this worker dies
  unstarted    bigint[]    NOT NULL DEFAULT '{}',
  started_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  beat_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  lost_at      timestamptz,
  stopped_at   timestamptz
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);

-- One row. The epoch is the key, so that taking over waits for transactions that hold it FOR KEY
-- SHARE, and the renewal, which changes another column, does not.
CREATE TABLE leadership (
  epoch      bigint      PRIMARY KEY,
  holder     text        NOT NULL,
  pid        int         NOT NULL,
  taken_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  renewed_at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);
CREATE UNIQUE INDEX leadership_one_row ON leadership ((true));
INSERT INTO leadership (epoch, holder, pid, renewed_at) VALUES (0, '', 0, '-infinity');

INSERT INTO schema_versions (version, compat) VALUES (1, 'additive');
