-- compat: additive
--
-- What people and keys have changed, and the chain of hashes over it. Rows are written by R__42_audit.sql only, in
-- the transaction of the change; nothing updates or deletes them.

CREATE TABLE audit_log (
  -- drawn under the shared audit lock, so that the leader, who takes it alone, sees every smaller one
  id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at          timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- 0: belongs to no project (users). No foreign key: the record outlives what it tells of.
  project_id  int         NOT NULL,
  -- unknown: the API changed something without saying for whom; a fault of ours, but recorded
  actor_kind  text        NOT NULL CHECK (actor_kind IN ('user', 'api_key', 'unknown')),
  actor_id    text        COLLATE "C",
  -- the user's address or the key's name, as it was then
  actor       text        COLLATE "C" NOT NULL,
  -- the operation, as the API's description names it
  action      text        COLLATE "C" NOT NULL,
  object_kind text        COLLATE "C" NOT NULL,
  object_id   text        COLLATE "C" NOT NULL,
  -- {"field": {"before": …, "after": …}}; of payloads the hashes, of secrets that they changed
  changes     jsonb,
  address     text,
  request_id  text,
  -- whose row this is: several changes of one object in one transaction are one row. Not part of the chain.
  tx          xid8        NOT NULL DEFAULT pg_current_xact_id()
);
-- The list, newest first, and its filters.
CREATE INDEX audit_log_project ON audit_log (project_id, id);
CREATE INDEX audit_log_actor ON audit_log (project_id, actor, id);
CREATE INDEX audit_log_action ON audit_log (project_id, action, id);
CREATE INDEX audit_log_object ON audit_log (project_id, object_kind, object_id, id);
-- What this transaction has written.
CREATE INDEX audit_log_tx ON audit_log (tx);

-- One link per sealed row: hash = SHA-256 (hash of the link before || the row). In rows of their own, so that a
-- row that is removed leaves its link behind.
CREATE TABLE audit_seals (
  project_id  int         NOT NULL,
  position    bigint      NOT NULL,
  audit_id    bigint      NOT NULL UNIQUE,
  hash        bytea       NOT NULL,
  PRIMARY KEY (project_id, position)
);

-- The end of each project's chain.
CREATE TABLE audit_chains (
  project_id  int         PRIMARY KEY,
  position    bigint      NOT NULL,
  audit_id    bigint      NOT NULL,
  hash        bytea       NOT NULL,
  sealed_at   timestamptz NOT NULL
);

-- Every row up to here is sealed, in whichever project.
CREATE TABLE audit_progress (
  only_row    boolean     PRIMARY KEY DEFAULT true CHECK (only_row),
  sealed_to   bigint      NOT NULL DEFAULT 0
);
INSERT INTO audit_progress DEFAULT VALUES;

INSERT INTO schema_versions (version, compat) VALUES (11, 'additive');
