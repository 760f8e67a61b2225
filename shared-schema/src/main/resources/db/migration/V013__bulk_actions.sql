-- compat: additive
--
-- Bulk actions: what an operator asked to be done with many jobs at once, which jobs that are, and what became of
-- each. Carried out by the leader (R__43_bulk_actions.sql). Jobs themselves get no column and no index.

CREATE TABLE bulk_actions (
  id              bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id      int         NOT NULL REFERENCES projects,
  action          text        NOT NULL CHECK (action IN ('retry', 'cancel', 'delete', 'discard')),
  -- see bulk_may_become
  state           text        NOT NULL DEFAULT 'pending' CHECK (state IN (
    'pending', 'running', 'canary', 'completed', 'stopped', 'aborted', 'undoing', 'undone')),
  state_reason    text,
  requested_by    text        NOT NULL CHECK (length(requested_by) <= 254),
  reason          text        CHECK (length(reason) <= 1000),
  created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at        timestamptz,

  -- Which jobs: the filter as it was asked for, and as bulk_fits reads it (null: any).
  filter          json        NOT NULL,
  states          text[]      NOT NULL CHECK (cardinality(states) >= 1),
  -- of a key that is for some queues: those
  queue_ids       int[],
  type            text        COLLATE "C",
  tag             text        COLLATE "C",
  workflow_id     int,
  schedule_id     int,
  worker_id       bigint,
  error           text        COLLATE "C",
  created_after   timestamptz,
  created_before  timestamptz,
  -- ascending
  job_ids         bigint[]    CHECK (cardinality(job_ids) <= 1000),
  -- what was made, or came into its state, later is not touched
  snapshot_at     timestamptz NOT NULL,
  last_job_id     bigint      NOT NULL,
  -- more than so many: nothing is done
  max_jobs        int         CHECK (max_jobs >= 0),

  -- How: so many first, whose ends are waited for; jobs per second; the ratio of retried jobs that fail again.
  canary          int         CHECK (canary >= 1),
  rate_per_second double precision CHECK (rate_per_second > 0),
  stop_ratio      double precision CHECK (stop_ratio BETWEEN 0 AND 1),
  tokens          double precision NOT NULL DEFAULT 0,
  refilled_at     timestamptz,
  canary_ended_at timestamptz,

  -- Where it stands: the walk over the filter (phase and id), over the jobs found, over those that are watched, and
  -- over those that are taken back.
  phase           int         NOT NULL DEFAULT 0,
  collected_to    bigint      NOT NULL DEFAULT 0,
  collected_at    timestamptz,
  done_to         bigint      NOT NULL DEFAULT 0,
  judged_to       bigint      NOT NULL DEFAULT 0,
  undone_to       bigint      NOT NULL DEFAULT 0,

  -- Jobs: found; done; of those, running ones that were asked to end; not done for a fault; passed over, by reason;
  -- retried ones that have succeeded, and failed, since (where that is watched); taken back; not, by reason.
  matched         bigint      NOT NULL DEFAULT 0,
  done            bigint      NOT NULL DEFAULT 0,
  requested       bigint      NOT NULL DEFAULT 0,
  failed          bigint      NOT NULL DEFAULT 0,
  skipped         jsonb       NOT NULL DEFAULT '{}',
  succeeded_since bigint      NOT NULL DEFAULT 0,
  failed_since    bigint      NOT NULL DEFAULT 0,
  undone          bigint      NOT NULL DEFAULT 0,
  kept            jsonb       NOT NULL DEFAULT '{}'
) WITH (fillfactor = 70);
CREATE INDEX bulk_actions_project ON bulk_actions (project_id, id);
CREATE INDEX bulk_actions_open ON bulk_actions (id) WHERE state IN ('pending', 'running', 'canary', 'undoing');
CREATE INDEX bulk_actions_ended ON bulk_actions (ended_at) WHERE ended_at IS NOT NULL;

-- The jobs of an action, each once. No foreign keys: rows go in batches, and jobs before their record.
CREATE TABLE bulk_action_jobs (
  action_id  bigint   NOT NULL,
  job_id     bigint   NOT NULL,
  -- of the job once it was retried: another one means that somebody has done so again
  generation smallint,
  -- null: still to be done
  outcome    text     CHECK (outcome IN ('retried', 'cancelled', 'cancel_requested', 'deleted', 'skipped', 'failed')),
  -- why skipped or failed
  reason     text,
  -- the job's before that
  state      text,
  -- of retried jobs that are watched
  verdict    text     CHECK (verdict IN ('open', 'succeeded', 'failed', 'unknown')),
  -- what an undo needs and the job's row does not have any more
  former     jsonb,
  -- null: nobody asked; undone; or why not
  undo       text,
  PRIMARY KEY (action_id, job_id)
) WITH (fillfactor = 80);
-- What is still to be done: a batch begins at the cursor, and the last pass meets only what others had locked.
CREATE INDEX bulk_action_jobs_open ON bulk_action_jobs (action_id, job_id) WHERE outcome IS NULL;
CREATE INDEX bulk_action_jobs_watched ON bulk_action_jobs (action_id, job_id) WHERE verdict = 'open';

INSERT INTO schema_versions (version, compat) VALUES (13, 'additive');
