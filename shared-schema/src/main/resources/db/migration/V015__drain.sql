-- compat: additive
--
-- Workers that somebody wants to claim nothing more. Not a column of workers: a transaction that holds such a row
-- would hold up the worker's beats.
CREATE TABLE worker_drains (
  worker_id bigint      PRIMARY KEY REFERENCES workers ON DELETE CASCADE,
  asked_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);

INSERT INTO schema_versions (version, compat) VALUES (15, 'additive');
