-- Days for which a partition should exist: see retention_bound.
CREATE OR REPLACE FUNCTION wanted_partitions(p_today date) RETURNS TABLE (bound date)
LANGUAGE sql IMMUTABLE AS $$
  SELECT p_today + d FROM generate_series(0, 31) AS s (d)
  UNION
  -- Tomorrow's too: a row that midnight sends to the default partition keeps its day's from being made.
  SELECT retention_bound(p_today + t, d) FROM generate_series(31, 730) AS s (d), generate_series(0, 1) AS s2 (t)
  UNION
  SELECT 'infinity'::date
$$;

DROP FUNCTION IF EXISTS ensure_partitions();
-- Makes the partitions that are missing, nearest first and at most p_limit, waiting at most 100 ms for a lock.
-- Returns how many it made. A day whose rows lie in the default partition already (nobody made partitions for
-- weeks) stays there.
CREATE OR REPLACE FUNCTION ensure_partitions(p_limit int DEFAULT 1000) RETURNS int
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET lock_timeout = '100ms'
AS $$
DECLARE
  v_bound date;
  v_parent text;
  v_name text;
  v_made int := 0;
BEGIN
  FOR v_bound, v_parent IN
    SELECT w.bound, p.name
      FROM wanted_partitions(retention_today()) w, unnest('{finished_jobs,finished_attempts}'::text[]) AS p (name)
     ORDER BY w.bound, p.name
  LOOP
    EXIT WHEN v_made >= p_limit;
    v_name := v_parent || '_' || CASE WHEN v_bound = 'infinity' THEN 'forever' ELSE to_char(v_bound, 'YYYYMMDD') END;
    IF to_regclass('jobs.' || v_name) IS NULL THEN
      BEGIN
        EXECUTE format('CREATE TABLE jobs.%I PARTITION OF jobs.%I FOR VALUES IN (%L)', v_name, v_parent, v_bound);
        v_made := v_made + 1;
      EXCEPTION WHEN check_violation THEN
        CONTINUE;
      END;
    END IF;
  END LOOP;
  RETURN v_made;
END
$$;

-- Drops one partition pair whose day has passed, waiting at most 100 ms for a lock (a longer wait would
-- hold up inserts behind it). Returns its day, or null when there is none.
CREATE OR REPLACE FUNCTION drop_expired_partition() RETURNS date
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET lock_timeout = '100ms'
AS $$
DECLARE
  v_suffix text;
BEGIN
  SELECT min(substring(c.relname FROM '^finished_jobs_(\d{8})$')) INTO v_suffix
    FROM pg_inherits i
    JOIN pg_class c ON c.oid = i.inhrelid
   WHERE i.inhparent = 'jobs.finished_jobs'::regclass;
  IF v_suffix IS NULL OR to_date(v_suffix, 'YYYYMMDD') >= retention_today() THEN
    RETURN NULL;
  END IF;
  EXECUTE format('DROP TABLE IF EXISTS jobs.finished_attempts_%s', v_suffix);
  EXECUTE format('DROP TABLE jobs.finished_jobs_%s', v_suffix);
  RETURN to_date(v_suffix, 'YYYYMMDD');
END
$$;
