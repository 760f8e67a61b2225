-- compat: additive
--
-- What a workflow needs beyond edges that ask for success: joins, gates, deadlines, pauses, callbacks.
-- Ordinary jobs pay nothing: their new columns are null, and no index of theirs is new.

-- ---------------------------------------------------------------- jobs

ALTER TABLE jobs
  -- when the edges count as met; null: when each of them is (all_success, by its on_outcome).
  --   all_done: all parents have ended · any_success: one has succeeded · none_failed: all have ended, none of
  --   them dead or cancelled. release_children reckons it and waives what is left of the edges.
  ADD COLUMN join_mode text CHECK (join_mode IN ('all_done', 'any_success', 'none_failed')),
  -- a node that no worker runs; null: an ordinary job. It is blocked until its edges are met, then
  --   join: ends as succeeded at once
  --   time: scheduled until run_at (or, where that is null, for payload.waitMs milliseconds), then succeeded
  --   signal, approval: stays blocked, waiting-for-signal or waiting-for-approval, until somebody decides
  ADD COLUMN gate text CHECK (gate IN ('join', 'time', 'signal', 'approval')),
  ADD CONSTRAINT jobs_gate CHECK (gate IS NULL OR state IN ('blocked', 'scheduled'));
ALTER TABLE finished_jobs
  ADD COLUMN join_mode text,
  ADD COLUMN gate text;

-- With the state: counts of a workflow, and whether any of it can move, without a look at its rows.
DROP INDEX jobs_workflow;
CREATE INDEX jobs_workflow ON jobs (workflow_id, state) WHERE workflow_id IS NOT NULL;

-- ---------------------------------------------------------------- edges

ALTER TABLE dependencies
  -- its child's join is decided without it
  ADD COLUMN waived boolean NOT NULL DEFAULT false,
  -- outcome is skipped: with no failure behind it (a branch not taken, or somebody's decision)
  ADD COLUMN benign boolean,
  DROP COLUMN met;
ALTER TABLE dependencies
  ADD COLUMN met boolean NOT NULL GENERATED ALWAYS AS (
    waived OR CASE on_outcome
      WHEN 'success' THEN coalesce(outcome = 'succeeded', false)
      WHEN 'done'    THEN outcome IS NOT NULL
      ELSE coalesce(outcome IN ('dead', 'cancelled'), false)
    END) STORED;
-- What still stands between a child and its start: empty or not, and decided or not, in one probe. Without it
-- each end of one of 10,000 parents would read the edges of all that ended before.
CREATE INDEX dependencies_unmet ON dependencies (child_id, outcome) WHERE NOT met;
-- Edges of jobs outside workflows go when their child has gone, see forget_edges.
CREATE INDEX dependencies_loose ON dependencies (child_id) WHERE workflow_id IS NULL;

ALTER TABLE pending_releases
  ADD COLUMN benign boolean;

-- ---------------------------------------------------------------- workflows

ALTER TABLE workflows
  -- batch: jobs without edges among them
  ADD COLUMN kind text NOT NULL DEFAULT 'workflow' CHECK (kind IN ('workflow', 'batch')),
  -- what has not ended by then is cancelled, and the workflow fails
  ADD COLUMN deadline_at timestamptz CHECK (isfinite(deadline_at)),
  -- the deadline found something to cancel, and has cancelled it
  ADD COLUMN deadline_passed_at timestamptz,
  -- nothing of it becomes ready
  ADD COLUMN paused_at timestamptz,
  ADD COLUMN paused_by text CHECK (length(paused_by) <= 254),
  ADD COLUMN pause_reason text CHECK (length(pause_reason) <= 1000);
CREATE INDEX workflows_deadline ON workflows (deadline_at, id)
  WHERE deadline_at IS NOT NULL AND deadline_passed_at IS NULL AND finished_at IS NULL;

ALTER TABLE workflow_members
  -- as handed in: what the planner reckons with where it is given
  ADD COLUMN expected_ms bigint CHECK (expected_ms >= 0);

-- Jobs to be made, once each, when something happens to a workflow: in the transaction that notes it.
CREATE TABLE workflow_callbacks (
  workflow_id int         NOT NULL REFERENCES workflows ON DELETE CASCADE,
  -- success: it has ended so · first_failure: the first member has ended dead, cancelled or skipped for a
  -- failure · completion: it has ended, in whatever state
  on_event    text        NOT NULL CHECK (on_event IN ('success', 'first_failure', 'completion')),
  -- {"type", "queueId", "payload", "priority", "maxAttempts", "retryPolicy", "timeoutMs", "cost",
  --  "concurrencyKey"}, all but the first two optional. In the payload a string that is exactly one of these is
  -- replaced: "{{workflowId}}", "{{workflow}}" (its name), "{{workflowState}}", "{{workflowEvent}}"
  job         json        NOT NULL,
  fired_at    timestamptz,
  job_id      bigint,
  PRIMARY KEY (workflow_id, on_event)
);

-- Members that ended badly while a first_failure is to be told: written without a lock by whoever ends them,
-- any number per workflow, and read by the leader.
CREATE TABLE failure_notes (
  workflow_id int NOT NULL
);
CREATE INDEX failure_notes_workflow ON failure_notes (workflow_id);

INSERT INTO schema_versions (version, compat) VALUES (7, 'additive');
