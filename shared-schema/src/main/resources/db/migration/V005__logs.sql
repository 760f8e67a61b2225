-- compat: additive
--
-- What attempts write while they run: log lines. Apart from jobs, and by the day written (UTC), so that they go
-- with their partition however long their job is kept. Lines of an attempt count from 1: the smallest that is
-- there tells how many older ones are not.
CREATE TABLE job_logs (
  job_id      bigint      NOT NULL,
  lease_token bigint      NOT NULL,
  logged_at   timestamptz NOT NULL,
  line        int         NOT NULL CHECK (line >= 1),
  written_on  date        NOT NULL,
  level       text        NOT NULL CHECK (level IN ('debug', 'info', 'warn', 'error')),
  message     text        NOT NULL CHECK (length(message) <= 4096),
  PRIMARY KEY (job_id, lease_token, line, written_on)
) PARTITION BY LIST (written_on);

-- Normally empty: a line finds a home even if the leader could not make partitions for days.
CREATE TABLE job_logs_default PARTITION OF job_logs DEFAULT;

INSERT INTO schema_versions (version, compat) VALUES (5, 'additive');
