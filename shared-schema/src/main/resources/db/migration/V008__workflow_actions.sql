-- compat: additive
--
-- What people do to workflows after their submission: signals and approvals that open gates, and the end of a
-- workflow by hand.

ALTER TABLE workflows
  -- cancelled by hand: nothing is added to it any more, until members of it run again
  ADD COLUMN cancelled_at timestamptz;

-- Signals that a workflow has got, kept whether or not a gate waits for them: a gate of that name takes the newest
-- payload when it opens.
CREATE TABLE workflow_signals (
  workflow_id int         NOT NULL REFERENCES workflows ON DELETE CASCADE,
  name        text        COLLATE "C" NOT NULL CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$'),
  payload     json,
  sent_by     text        NOT NULL CHECK (length(sent_by) <= 254),
  sent_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (workflow_id, name)
);

-- Every decision on an approval gate, also when the gate is asked again after a retry.
CREATE TABLE workflow_approvals (
  id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workflow_id int         NOT NULL REFERENCES workflows ON DELETE CASCADE,
  job_id      bigint      NOT NULL,
  decision    text        NOT NULL CHECK (decision IN ('approve', 'reject')),
  decided_by  text        NOT NULL CHECK (length(decided_by) <= 254),
  comment     text        CHECK (length(comment) <= 1000),
  decided_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX workflow_approvals_workflow ON workflow_approvals (workflow_id, id);

INSERT INTO schema_versions (version, compat) VALUES (8, 'additive');
