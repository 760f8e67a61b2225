-- compat: additive
--
-- Search in payloads by the paths that an admin declared for a queue.

ALTER TABLE queues
  -- looked up by an index; at most 5
  ADD COLUMN search_paths text[] COLLATE "C" NOT NULL DEFAULT '{}' CHECK (cardinality(search_paths) <= 5),
  -- for each path: jobs with this id or a larger one are in the index; the largest of all: not settled yet
  ADD COLUMN search_since bigint[] NOT NULL DEFAULT '{}' CHECK (cardinality(search_since) = cardinality(search_paths));

-- Each statement that inserts jobs asks whether there are any.
CREATE INDEX queues_searched ON queues (id) WHERE search_paths <> '{}';

-- What jobs of such queues hold there, live or ended. A hint: payloads are compared, so a row too many (a payload that
-- was changed, a job that is gone) finds nothing. No other job has rows here.
CREATE TABLE search_terms (
  queue_id int    NOT NULL,
  -- hash of path and value
  term     bigint NOT NULL,
  job_id   bigint NOT NULL,
  PRIMARY KEY (queue_id, term, job_id)
);
CREATE INDEX search_terms_job ON search_terms (job_id);

INSERT INTO schema_versions (version, compat) VALUES (14, 'additive');
