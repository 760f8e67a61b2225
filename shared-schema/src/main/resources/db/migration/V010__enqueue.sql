-- compat: additive
--
-- What handing in a job may carry and promise: labels, a trace, a unique key, an answer that is given again, a
-- bound on a queue's depth; and who may enqueue by SQL.

-- ---------------------------------------------------------------- jobs

-- Null in most jobs, and then without a byte of storage or log.
ALTER TABLE jobs
  ADD COLUMN tags text[] CHECK (cardinality(tags) BETWEEN 1 AND 20),
  -- json, like the payload: what was typed comes back
  ADD COLUMN metadata json,
  -- W3C trace context of the request that handed it in
  ADD COLUMN traceparent text CHECK (length(traceparent) = 55),
  -- what it holds, or held, in unique_keys: kept, so that a redrive takes it again
  ADD COLUMN unique_key text COLLATE "C" CHECK (length(unique_key) BETWEEN 1 AND 255),
  ADD COLUMN unique_until text CHECK (unique_until IN ('started', 'finished', 'window')),
  ADD CONSTRAINT jobs_unique CHECK ((unique_key IS NULL) = (unique_until IS NULL));

ALTER TABLE finished_jobs
  ADD COLUMN tags text[],
  ADD COLUMN metadata json,
  ADD COLUMN traceparent text,
  ADD COLUMN unique_key text COLLATE "C",
  ADD COLUMN unique_until text;

-- ---------------------------------------------------------------- keys

-- Who holds a key. A row binds only as its holder lives (until started: waits unstarted; until finished: has not
-- ended; until window: expires_at ahead): take_unique_keys judges that under the row's lock, so a row that was left
-- behind blocks nobody. The end of a job deletes its row where that needs no waiting.
CREATE TABLE unique_keys (
  project_id int         NOT NULL,
  key        text        COLLATE "C" NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  job_id     bigint      NOT NULL,
  until      text        NOT NULL CHECK (until IN ('started', 'finished', 'window')),
  expires_at timestamptz,
  PRIMARY KEY (project_id, key),
  CONSTRAINT unique_keys_window CHECK ((until = 'window') = (expires_at IS NOT NULL))
);
CREATE INDEX unique_keys_job ON unique_keys (job_id);
CREATE INDEX unique_keys_expires ON unique_keys (expires_at) WHERE expires_at IS NOT NULL;

-- Answers that a repeated request gets again. Written in the transaction that did what was asked for.
CREATE TABLE idempotency_keys (
  -- 0: the request named no project; then the key is its user's own
  project_id   int         NOT NULL,
  -- 0: any member of the project may repeat it
  user_id      bigint      NOT NULL,
  key          text        COLLATE "C" NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  expires_at   timestamptz NOT NULL,
  -- SHA-256 over method, path and body
  request_hash bytea       NOT NULL CHECK (length(request_hash) = 32),
  status       smallint    NOT NULL CHECK (status BETWEEN 200 AND 299),
  location     text,
  answer       text,
  PRIMARY KEY (project_id, user_id, key)
);
CREATE INDEX idempotency_keys_expires ON idempotency_keys (expires_at);

-- ---------------------------------------------------------------- depth

-- Of queues with a max_depth only: jobs that waited when they were counted, and admitted since. Whoever admits holds
-- the row until its jobs have committed, so a count made under the lock misses none.
CREATE TABLE queue_room (
  queue_id   int         PRIMARY KEY,
  counted    int         NOT NULL DEFAULT 0,
  admitted   int         NOT NULL DEFAULT 0,
  counted_at timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);

-- ---------------------------------------------------------------- SQL contract

-- Database roles that may enqueue into a project by SQL (allow_sql_client), judged by session_user.
CREATE TABLE sql_clients (
  role_name   name        NOT NULL,
  project_id  int         NOT NULL REFERENCES projects ON DELETE CASCADE,
  -- null: every queue of the project
  queue_names text[],
  -- largest payload, as jobs.limits.payload-size says for HTTP
  max_payload int         NOT NULL DEFAULT 262144 CHECK (max_payload BETWEEN 1 AND 4194304),
  created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (role_name, project_id)
);

INSERT INTO schema_versions (version, compat) VALUES (10, 'additive');
