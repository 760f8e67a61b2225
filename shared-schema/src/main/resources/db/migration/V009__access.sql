-- compat: additive
--
-- Who calls: sessions of a login, API keys, people whom another issuer vouches for, and how often a login failed.

-- Someone of another issuer is known by (issuer, subject) and has no password here. An address says nothing about
-- who that is, so it is unique among our own users only and never joins the two.
ALTER TABLE users
  ALTER COLUMN password_hash DROP NOT NULL,
  ADD COLUMN issuer  text COLLATE "C" CHECK (length(issuer) <= 500),
  ADD COLUMN subject text COLLATE "C" CHECK (length(subject) <= 255),
  ADD CONSTRAINT users_identity CHECK ((issuer IS NULL) = (subject IS NULL)),
  ADD CONSTRAINT users_password CHECK ((issuer IS NULL) = (password_hash IS NOT NULL));
DROP INDEX users_email;
CREATE UNIQUE INDEX users_email ON users (lower(email)) WHERE issuer IS NULL;
CREATE UNIQUE INDEX users_subject ON users (issuer, subject) WHERE issuer IS NOT NULL;

-- The name of a deleted project is not given again: no key, worker pattern or log line may mean two of them.
ALTER TABLE projects
  ADD COLUMN description text NOT NULL DEFAULT '' CHECK (length(description) <= 500),
  ADD COLUMN deleted_at  timestamptz;

-- One login: a family of refresh tokens, of which one is good. Revoking is deleting.
CREATE TABLE sessions (
  id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id    bigint      NOT NULL REFERENCES users,
  -- random; part of every token of the family
  handle     bytea       NOT NULL UNIQUE CHECK (length(handle) = 16),
  -- of the token that is good now
  generation int         NOT NULL DEFAULT 0,
  token_hash bytea       NOT NULL CHECK (length(token_hash) = 32),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  rotated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id, id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE api_keys (
  id              bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id      int         NOT NULL REFERENCES projects,
  name            text        NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  -- how the key begins, to recognise it by
  hint            text        NOT NULL,
  key_hash        bytea       NOT NULL UNIQUE CHECK (length(key_hash) = 32),
  scopes          text[]      NOT NULL CHECK (scopes <@ ARRAY['enqueue', 'read', 'operate', 'lease'] AND scopes <> '{}'),
  -- patterns with * for any characters; null: every queue
  queues          text[]      CHECK (queues <> '{}'),
  payload_visible boolean     NOT NULL,
  created_by      text        NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at      timestamptz,
  last_used_at    timestamptz
);
CREATE INDEX api_keys_project ON api_keys (project_id, id);

-- Failed logins of late. A row is worth nothing once full_at has passed, and then goes with the next attempts.
CREATE TABLE login_attempts (
  kind    text        NOT NULL CHECK (kind IN ('account', 'address')),
  -- a hash, so that the table names nobody
  subject bytea       NOT NULL CHECK (length(subject) = 32),
  -- when all its tries are there again
  full_at timestamptz NOT NULL,
  PRIMARY KEY (kind, subject)
);
CREATE INDEX login_attempts_full ON login_attempts (full_at);

-- A key is published before it signs; what it signed is verified for as long as such a token can live.
ALTER TABLE signing_keys ADD COLUMN signs_from timestamptz NOT NULL DEFAULT clock_timestamp();

INSERT INTO schema_versions (version, compat) VALUES (9, 'additive');
