-- Statistics: the leader rolls finished rows up into counts and histograms, each row once.
--
-- A slice of time is counted only when it is closed: no transaction that could still add a row to it runs.
-- A row's finished_at is read from the clock by a transaction that has locked the job, so it has its id by
-- then. Whoever wrote a time before horizon_at, the start of the transaction that noted the horizon, has an
-- id below that transaction's own, the horizon; once no older one runs, the slice is closed, however long a
-- settle took. (The snapshot's xmax would not do: younger ids may run already.) Counts are added and the
-- watermark moves in one transaction, so a slice counts once whatever fails.

-- The bucket of a duration: 0 below 1 ms, then two for each doubling: bucket i ends at 2^(i/2) ms; 63 is open.
CREATE OR REPLACE FUNCTION histogram_bucket(p_duration interval) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN p_duration IS NULL THEN NULL
    WHEN extract(epoch FROM p_duration) < 0.001 THEN 0
    ELSE least(63, 1 + floor(2 * log(2.0, least(extract(epoch FROM p_duration), 10000000000) * 1000))::int)
  END
$$;

CREATE OR REPLACE FUNCTION add_histograms(p_a bigint[], p_b bigint[]) RETURNS bigint[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(array_agg(coalesce(p_a[i], 0) + coalesce(p_b[i], 0) ORDER BY i), '{}')
    FROM generate_series(1, greatest(cardinality(p_a), cardinality(p_b))) AS s (i)
$$;

-- The start of the span of p_seconds that holds p_at; days are of UTC.
CREATE OR REPLACE FUNCTION span_start(p_at timestamptz, p_seconds int) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT to_timestamp(floor(extract(epoch FROM p_at) / p_seconds) * p_seconds)
$$;

-- Internal to roll_up_statistics: adds what ended from p_from to before p_to, both within one minute.
-- Returns how many rows it touched.
CREATE OR REPLACE FUNCTION add_statistics(p_from timestamptz, p_to timestamptz) RETURNS int
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
  v_touched int;
BEGIN
  WITH ended AS MATERIALIZED (
    -- By the BRIN index of each partition.
    SELECT f.project_id, f.queue_id, f.type, f.state, f.state_reason IS NOT DISTINCT FROM 'expired' AS expired,
           f.lease_token IS NOT NULL AND f.state_reason IS DISTINCT FROM 'expired' AS ran, f.error_kind IS NOT DISTINCT FROM 'worker-lost' AS lost,
           histogram_bucket(f.started_at - f.ready_at) AS wait_bucket,
           histogram_bucket(f.finished_at - f.started_at) AS run_bucket,
           count(*) AS n
      FROM finished_jobs f
     WHERE f.finished_at >= p_from AND f.finished_at < p_to
     GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9
  ), attempted AS MATERIALIZED (
    -- The other attempts, each with its job by primary key and, once that has ended, in its one partition.
    -- Those that had ended a job which was moved back since are told by their outcome.
    SELECT a.project_id, a.queue_id, a.type, a.outcome, a.error_kind IS NOT DISTINCT FROM 'worker-lost' AS lost,
           histogram_bucket(a.ended_at - a.started_at) AS run_bucket, count(*) AS n
      FROM (SELECT j.project_id, j.queue_id, j.type, a.outcome, a.error_kind, a.started_at, a.ended_at
              FROM attempts a
             CROSS JOIN LATERAL (SELECT l.project_id, l.queue_id, l.type FROM jobs l WHERE l.id = a.job_id LIMIT 1) j
             WHERE a.ended_at >= p_from AND a.ended_at < p_to
             UNION ALL
            SELECT j.project_id, j.queue_id, j.type, a.outcome, a.error_kind, a.started_at, a.ended_at
              FROM finished_attempts a
             CROSS JOIN LATERAL (SELECT f.project_id, f.queue_id, f.type FROM finished_jobs f
                                  WHERE f.id = a.job_id AND f.retain_until = a.retain_until LIMIT 1) j
             WHERE a.ended_at >= p_from AND a.ended_at < p_to) a
     WHERE a.outcome IN ('failed', 'timed_out', 'lost', 'succeeded', 'dead', 'cancelled')
     GROUP BY 1, 2, 3, 4, 5, 6
  ), counts AS (
    SELECT c.project_id, c.queue_id, c.type, sum(c.succeeded) AS succeeded, sum(c.dead) AS dead,
           sum(c.cancelled) AS cancelled, sum(c.skipped) AS skipped, sum(c.expired) AS expired,
           sum(c.failed) AS failed, sum(c.lost) AS lost
      FROM (
        SELECT e.project_id, e.queue_id, e.type,
               CASE e.state WHEN 'succeeded' THEN e.n ELSE 0 END AS succeeded,
               CASE e.state WHEN 'dead' THEN e.n ELSE 0 END AS dead,
               CASE e.state WHEN 'cancelled' THEN e.n ELSE 0 END AS cancelled,
               CASE e.state WHEN 'skipped' THEN e.n ELSE 0 END AS skipped,
               CASE WHEN e.expired THEN e.n ELSE 0 END AS expired,
               CASE WHEN e.state = 'dead' AND e.ran AND NOT e.lost THEN e.n ELSE 0 END AS failed,
               CASE WHEN e.state = 'dead' AND e.lost THEN e.n ELSE 0 END AS lost
          FROM ended e
        UNION ALL
        SELECT a.project_id, a.queue_id, a.type, CASE a.outcome WHEN 'succeeded' THEN a.n ELSE 0 END,
               CASE a.outcome WHEN 'dead' THEN a.n ELSE 0 END, CASE a.outcome WHEN 'cancelled' THEN a.n ELSE 0 END,
               0, 0,
               CASE WHEN a.outcome IN ('failed', 'timed_out', 'dead') AND NOT a.lost THEN a.n ELSE 0 END,
               CASE WHEN a.lost OR a.outcome = 'lost' THEN a.n ELSE 0 END
          FROM attempted a) c
     GROUP BY 1, 2, 3
  ), cells AS MATERIALIZED (
    SELECT e.project_id, e.queue_id, e.type, 'wait' AS what, e.wait_bucket AS bucket, sum(e.n)::bigint AS n
      FROM ended e WHERE e.ran AND e.wait_bucket IS NOT NULL GROUP BY 1, 2, 3, 5
    UNION ALL
    SELECT r.project_id, r.queue_id, r.type, 'run', r.run_bucket, sum(r.n)::bigint
      FROM (SELECT e.project_id, e.queue_id, e.type, e.run_bucket, e.n FROM ended e WHERE e.ran
            UNION ALL
            SELECT a.project_id, a.queue_id, a.type, a.run_bucket, a.n FROM attempted a) r
     WHERE r.run_bucket IS NOT NULL
     GROUP BY 1, 2, 3, 5
  ), histograms AS MATERIALIZED (
    SELECT l.project_id, l.queue_id, l.type, l.what, array_agg(coalesce(c.n, 0) ORDER BY i.bucket) AS histogram
      FROM (SELECT c.project_id, c.queue_id, c.type, c.what, max(c.bucket) AS longest
              FROM cells c GROUP BY 1, 2, 3, 4) l
     CROSS JOIN LATERAL generate_series(0, l.longest) AS i (bucket)
      LEFT JOIN cells c ON c.project_id = l.project_id AND c.queue_id = l.queue_id AND c.type = l.type
                       AND c.what = l.what AND c.bucket = i.bucket
     GROUP BY 1, 2, 3, 4
  )
  INSERT INTO job_statistics AS s (project_id, span, starts_at, queue_id, type, succeeded, dead, cancelled, skipped,
      expired, failed_attempts, lost_attempts, wait_histogram, run_histogram)
  SELECT c.project_id, p.span, span_start(p_from, p.span), c.queue_id, c.type, c.succeeded, c.dead, c.cancelled,
         c.skipped, c.expired, c.failed, c.lost, coalesce(w.histogram, '{}'), coalesce(r.histogram, '{}')
    FROM counts c
   CROSS JOIN (VALUES (60), (3600), (86400)) AS p (span)
    LEFT JOIN histograms w ON w.what = 'wait' AND w.project_id = c.project_id AND w.queue_id = c.queue_id
                          AND w.type = c.type
    LEFT JOIN histograms r ON r.what = 'run' AND r.project_id = c.project_id AND r.queue_id = c.queue_id
                          AND r.type = c.type
  ON CONFLICT (project_id, span, starts_at, queue_id, type) DO UPDATE
     SET succeeded = s.succeeded + excluded.succeeded, dead = s.dead + excluded.dead,
         cancelled = s.cancelled + excluded.cancelled, skipped = s.skipped + excluded.skipped,
         expired = s.expired + excluded.expired, failed_attempts = s.failed_attempts + excluded.failed_attempts,
         lost_attempts = s.lost_attempts + excluded.lost_attempts,
         wait_histogram = add_histograms(s.wait_histogram, excluded.wait_histogram),
         run_histogram = add_histograms(s.run_histogram, excluded.run_histogram);
  GET DIAGNOSTICS v_touched = ROW_COUNT;
  RETURN v_touched;
END
$$;

-- Counts the next slice, at most p_slice long and within one minute, if it is closed. A transaction that has
-- run for p_patience is not waited for: none of ours does, and a foreign one ends no job. No row: no minute is
-- over. Else the time up to which all is counted, and how many rows that touched; -1: the slice is not closed.
-- p_skip leaves the slice out: it cannot be counted.
CREATE OR REPLACE FUNCTION roll_up_statistics(p_slice interval, p_patience interval, p_skip boolean)
RETURNS TABLE (rolled_to timestamptz, touched int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_from timestamptz;
  v_minute timestamptz;
  v_end timestamptz;
  v_horizon xid8;
  v_horizon_at timestamptz;
  v_touched int := -1;
BEGIN
  PERFORM require_read_committed();
  SELECT p.rolled_to, p.horizon, p.horizon_at INTO v_from, v_horizon, v_horizon_at
    FROM statistics_progress p FOR UPDATE;
  v_minute := span_start(v_from, 60) + interval '1 minute';
  -- now() is the start of this transaction, before its id was given.
  IF now() < v_minute THEN
    RETURN;
  END IF;
  IF v_horizon_at IS NULL OR v_horizon_at < v_minute THEN
    v_horizon := pg_current_xact_id();
    v_horizon_at := now();
    UPDATE statistics_progress SET horizon = v_horizon, horizon_at = v_horizon_at;
  END IF;
  v_end := least(v_from + p_slice, v_minute);
  IF pg_snapshot_xmin(pg_current_snapshot()) >= v_horizon OR v_end <= clock_timestamp() - p_patience THEN
    v_touched := CASE WHEN p_skip THEN 0 ELSE add_statistics(v_from, v_end) END;
    UPDATE statistics_progress SET rolled_to = v_end;
  ELSE
    v_end := v_from;
  END IF;
  RETURN QUERY SELECT v_end, v_touched;
END
$$;

-- Once a minute: how many jobs wait and run in each queue, counted up to 10,000. Returns the rows that it
-- touched; a queue in which nothing does has none.
CREATE OR REPLACE FUNCTION sample_queue_depths() RETURNS int
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
  v_minute timestamptz := span_start(clock_timestamp(), 60);
  v_touched int;
BEGIN
  UPDATE statistics_progress SET sampled_at = v_minute WHERE sampled_at < v_minute;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  INSERT INTO queue_depths AS d (project_id, span, starts_at, queue_id, ready, running)
  SELECT c.project_id, p.span, span_start(v_minute, p.span), c.queue_id, c.ready, c.running
    FROM (SELECT q.project_id, q.id AS queue_id,
                 (SELECT count(*) FROM (SELECT 1 FROM jobs j
                                         WHERE j.queue_id = q.id AND j.state = 'ready' LIMIT 10000) r) AS ready,
                 (SELECT count(*) FROM (SELECT 1 FROM jobs j
                                         WHERE j.queue_id = q.id AND j.state = 'running' LIMIT 10000) r) AS running
            FROM queues q) c
   CROSS JOIN (VALUES (60), (3600), (86400)) AS p (span)
   WHERE c.ready > 0 OR c.running > 0
  ON CONFLICT (project_id, span, starts_at, queue_id) DO UPDATE
     SET ready = greatest(d.ready, excluded.ready), running = greatest(d.running, excluded.running);
  GET DIAGNOSTICS v_touched = ROW_COUNT;
  RETURN v_touched;
END
$$;

-- Lets the BRIN indexes know the pages that have been filled since: a minute's read would go through all of
-- them otherwise. Waits 100 ms at most for a partition that is being vacuumed, or dropped: vacuum does it too.
CREATE OR REPLACE FUNCTION summarise_finished_jobs() RETURNS int
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET lock_timeout = '100ms'
AS $$
DECLARE
  v_index regclass;
  v_ranges int := 0;
BEGIN
  FOR v_index IN
    SELECT i.inhrelid::regclass FROM pg_inherits i
     WHERE i.inhparent = 'jobs.finished_jobs_finished_at'::regclass ORDER BY 1
  LOOP
    BEGIN
      v_ranges := v_ranges + brin_summarize_new_values(v_index);
    EXCEPTION WHEN lock_not_available OR undefined_table OR undefined_object THEN
      CONTINUE;
    END;
  END LOOP;
  RETURN v_ranges;
END
$$;

-- Drops what is too old to keep: minutes after 48 h, hours after 90 days, days after 730. At most p_limit rows
-- of each table; returns how many.
CREATE OR REPLACE FUNCTION forget_statistics(p_limit int) RETURNS int
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
  v_statistics int;
  v_depths int;
BEGIN
  DELETE FROM job_statistics s WHERE s.ctid = ANY (ARRAY(
    SELECT o.ctid FROM (VALUES (60, interval '48 hours'), (3600, interval '90 days'), (86400, interval '730 days'))
                         AS k (span, kept)
     CROSS JOIN LATERAL (SELECT o.ctid FROM job_statistics o
                          WHERE o.span = k.span AND o.starts_at < now() - k.kept
                          ORDER BY o.starts_at LIMIT p_limit) o
     LIMIT p_limit));
  GET DIAGNOSTICS v_statistics = ROW_COUNT;
  DELETE FROM queue_depths s WHERE s.ctid = ANY (ARRAY(
    SELECT o.ctid FROM (VALUES (60, interval '48 hours'), (3600, interval '90 days'), (86400, interval '730 days'))
                         AS k (span, kept)
     CROSS JOIN LATERAL (SELECT o.ctid FROM queue_depths o
                          WHERE o.span = k.span AND o.starts_at < now() - k.kept
                          ORDER BY o.starts_at LIMIT p_limit) o
     LIMIT p_limit));
  GET DIAGNOSTICS v_depths = ROW_COUNT;
  RETURN greatest(v_statistics, v_depths);
END
$$;
