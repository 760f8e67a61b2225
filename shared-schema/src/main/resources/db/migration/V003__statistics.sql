-- compat: additive
--
-- Statistics of what ended: counts and histograms per project, queue, type and span of time, rolled up by the
-- leader from the finished rows (R__34_statistics.sql). And what the leader's loops must remember: the outcome of
-- workflow members whose rows are gone, when a workflow itself may go, and when a renewal was late.

-- One row per span in which something of that queue and type ended.
CREATE TABLE job_statistics (
  project_id      int         NOT NULL,
  -- length of the span in seconds: a minute, an hour, a day of UTC
  span            int         NOT NULL CHECK (span IN (60, 3600, 86400)),
  starts_at       timestamptz NOT NULL,
  queue_id        int         NOT NULL,
  type            text        COLLATE "C" NOT NULL,
  -- jobs by the state in which they ended; expired ones count as cancelled too
  succeeded       bigint      NOT NULL,
  dead            bigint      NOT NULL,
  cancelled       bigint      NOT NULL,
  skipped         bigint      NOT NULL,
  expired         bigint      NOT NULL,
  -- attempts that failed, the last ones of dead jobs included; and those that went with their worker
  failed_attempts bigint      NOT NULL,
  lost_attempts   bigint      NOT NULL,
  -- element i + 1 counts what fell into bucket i of histogram_bucket; trailing zeros are left out.
  -- Wait: from ready to the start of the attempt that ended the job. Run: of each attempt that ended.
  wait_histogram  bigint[]    NOT NULL,
  run_histogram   bigint[]    NOT NULL,
  PRIMARY KEY (project_id, span, starts_at, queue_id, type)
) WITH (fillfactor = 80);
CREATE INDEX job_statistics_age ON job_statistics (span, starts_at);

-- The most that waited and ran in a queue among a span's samples, one a minute; no row: nothing did.
CREATE TABLE queue_depths (
  project_id  int         NOT NULL,
  span        int         NOT NULL CHECK (span IN (60, 3600, 86400)),
  starts_at   timestamptz NOT NULL,
  queue_id    int         NOT NULL,
  -- counted up to 10,000
  ready       int         NOT NULL,
  running     int         NOT NULL,
  PRIMARY KEY (project_id, span, starts_at, queue_id)
) WITH (fillfactor = 80);
CREATE INDEX queue_depths_age ON queue_depths (span, starts_at);

-- One row: how far the roll-up has come. What ended before rolled_to is counted, once.
CREATE TABLE statistics_progress (
  rolled_to  timestamptz NOT NULL,
  -- every transaction that may still add a row which ended before horizon_at is older than this one
  horizon    xid8,
  horizon_at timestamptz,
  sampled_at timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX statistics_progress_one_row ON statistics_progress ((true));
INSERT INTO statistics_progress (rolled_to) VALUES (date_trunc('minute', clock_timestamp()));

-- Rows are appended as jobs end, so a few bytes per 32 pages find a minute's; a settle does not write them,
-- but while its page range is the newest that was summarised.
CREATE INDEX finished_jobs_finished_at ON finished_jobs USING brin (finished_at) WITH (pages_per_range = 32);
-- Paid for by attempts that did not end their job only.
CREATE INDEX attempts_ended ON attempts (ended_at);
CREATE INDEX finished_attempts_ended ON finished_attempts (ended_at);

ALTER TABLE workflows
  -- the worst end among members whose rows retention has dropped: the workflow must not end better than that
  ADD COLUMN dropped_outcome text CHECK (dropped_outcome IN ('failed', 'cancelled')),
  -- set with finished_at: the last day on which a member's row is kept
  ADD COLUMN retain_until date;
CREATE INDEX workflows_retain ON workflows (retain_until, id) WHERE retain_until IS NOT NULL;

-- When a renewal last came so late that the silence of workers proves nothing: the database was away, or its
-- clock was put forward.
ALTER TABLE leadership ADD COLUMN late_at timestamptz;

INSERT INTO schema_versions (version, compat) VALUES (3, 'additive');
