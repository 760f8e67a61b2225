-- Log lines and progress of running attempts, and the partitions of the lines.

-- Takes what the attempts of one worker have said since it was last called. Leases (p_ids, p_tokens) are parallel:
--   p_fractions, p_messages  the newest progress; both null: none to write
--   p_gone                   lines up to this one are too many and go; 0: none
-- Lines (p_leases: the position of their lease, from 1; p_ages: seconds since they were said) are parallel too. Fenced: nothing is written for a lease
-- that is not this worker's any more. A worker's own attempts may have ended a moment ago: their last lines are
-- taken as long as the worker is not lost or stopped, unless the attempt was taken from it. Repeating a call whose
-- reply was lost changes nothing. No row of jobs is locked: assert_lease and settle never meet this.
-- Returns the tokens for which nothing is taken any more.
CREATE OR REPLACE FUNCTION note_attempts(
  p_worker bigint, p_ids bigint[], p_tokens bigint[], p_fractions double precision[], p_messages text[],
  p_gone int[], p_leases int[], p_lines int[], p_levels text[], p_texts text[], p_ages double precision[])
RETURNS bigint[]
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
  v_running boolean[];
  v_taken boolean[];
BEGIN
  SELECT array_agg(l.running ORDER BY l.n), array_agg(l.running OR l.ended ORDER BY l.n)
    INTO v_running, v_taken
    FROM (
      SELECT s.n, w.id IS NOT NULL AND j.lease_token IS NOT DISTINCT FROM s.token AND j.worker_id = w.id AS running,
             w.id IS NOT NULL
               AND CASE WHEN j.id IS NULL THEN true
                        WHEN j.lease_token = s.token THEN false
                        ELSE EXISTS (SELECT 1 FROM attempts a
                                      WHERE a.job_id = s.id AND a.lease_token = s.token AND a.worker_id = w.id
                                        AND a.outcome NOT IN ('lost', 'timed_out', 'revoked'))
                   END AS ended
        FROM unnest(p_ids, p_tokens) WITH ORDINALITY AS s (id, token, n)
        LEFT JOIN workers w ON w.id = p_worker AND w.lost_at IS NULL AND w.stopped_at IS NULL
        LEFT JOIN jobs j ON j.id = s.id) l;

  INSERT INTO job_progress AS p (job_id, lease_token, fraction, message)
  SELECT s.id, s.token, s.fraction, s.message
    FROM unnest(p_ids, p_tokens, p_fractions, p_messages, v_running) AS s (id, token, fraction, message, running)
   WHERE s.running AND (s.fraction IS NOT NULL OR s.message IS NOT NULL)
   ORDER BY s.id
  ON CONFLICT (job_id) DO UPDATE
     SET lease_token = excluded.lease_token, fraction = excluded.fraction, message = excluded.message,
         updated_at = clock_timestamp()
   WHERE p.lease_token <= excluded.lease_token;

  IF cardinality(p_leases) > 0 THEN
    INSERT INTO job_logs (job_id, lease_token, logged_at, line, written_on, level, message)
    SELECT p_ids[l.lease], p_tokens[l.lease], clock_timestamp() - make_interval(secs => l.age), l.line,
           retention_today(), l.level, l.message
      FROM unnest(p_leases, p_lines, p_levels, p_texts, p_ages) AS l (lease, line, level, message, age)
     WHERE v_taken[l.lease]
    ON CONFLICT DO NOTHING;
  END IF;

  IF 0 < ANY (p_gone) THEN
    DELETE FROM job_logs l
     USING unnest(p_ids, p_tokens, p_gone, v_taken) AS s (id, token, gone, taken)
     WHERE s.gone > 0 AND s.taken AND l.job_id = s.id AND l.lease_token = s.token AND l.line <= s.gone;
  END IF;

  RETURN (SELECT array_agg(s.token) FROM unnest(p_tokens, v_taken) AS s (token, taken) WHERE NOT s.taken);
END
$$;

-- Makes the partitions of today and the next p_days days that are missing, at most p_limit, waiting at most 100 ms
-- for a lock. Returns how many it made. A day whose lines lie in the default partition already stays there.
CREATE OR REPLACE FUNCTION ensure_log_partitions(p_days int, p_limit int) RETURNS int
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET lock_timeout = '100ms'
AS $$
DECLARE
  v_day date;
  v_name text;
  v_made int := 0;
BEGIN
  FOR v_day IN SELECT retention_today() + d FROM generate_series(0, p_days) AS s (d) LOOP
    EXIT WHEN v_made >= p_limit;
    v_name := 'job_logs_' || to_char(v_day, 'YYYYMMDD');
    IF to_regclass('jobs.' || v_name) IS NULL THEN
      BEGIN
        EXECUTE format('CREATE TABLE jobs.%I PARTITION OF jobs.job_logs FOR VALUES IN (%L)', v_name, v_day);
        v_made := v_made + 1;
      EXCEPTION WHEN check_violation THEN
        CONTINUE;
      END;
    END IF;
  END LOOP;
  RETURN v_made;
END
$$;

-- Drops the oldest partition whose lines were written over p_days days ago, waiting at most 100 ms for a lock.
-- Returns its day, or null when there is none.
CREATE OR REPLACE FUNCTION drop_expired_logs(p_days int) RETURNS date
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET lock_timeout = '100ms'
AS $$
DECLARE
  v_suffix text;
BEGIN
  SELECT min(substring(c.relname FROM '^job_logs_(\d{8})$')) INTO v_suffix
    FROM pg_inherits i
    JOIN pg_class c ON c.oid = i.inhrelid
   WHERE i.inhparent = 'jobs.job_logs'::regclass;
  IF v_suffix IS NULL OR to_date(v_suffix, 'YYYYMMDD') >= retention_today() - p_days THEN
    RETURN NULL;
  END IF;
  EXECUTE format('DROP TABLE jobs.job_logs_%s', v_suffix);
  RETURN to_date(v_suffix, 'YYYYMMDD');
END
$$;

-- What no partition's end takes along: expired lines in the default partition, and the progress of attempts that
-- ended in the very moment it was written. At most p_limit of each; returns how many.
CREATE OR REPLACE FUNCTION sweep_notes(p_days int, p_limit int) RETURNS int
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET jit = off
AS $$
DECLARE
  v_lines int;
  v_words int;
BEGIN
  DELETE FROM job_logs_default l
   WHERE l.ctid = ANY (ARRAY(SELECT d.ctid FROM job_logs_default d
                              WHERE d.written_on < retention_today() - p_days LIMIT p_limit));
  GET DIAGNOSTICS v_lines = ROW_COUNT;
  DELETE FROM job_progress p
   WHERE p.job_id = ANY (ARRAY(
     SELECT o.job_id FROM job_progress o
      WHERE o.updated_at < clock_timestamp() - interval '1 hour'
        AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = o.job_id AND j.lease_token = o.lease_token)
      LIMIT p_limit))
     AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = p.job_id AND j.lease_token = p.lease_token);
  GET DIAGNOSTICS v_words = ROW_COUNT;
  RETURN v_lines + v_words;
END
$$;
