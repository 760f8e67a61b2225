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

-- Internal: what the members in a partition that is about to go mean for workflows that have not ended. One
-- probe per such workflow, however large the partition is.
CREATE OR REPLACE FUNCTION note_dropped_outcomes(p_partition text) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
BEGIN
  EXECUTE format($q$
    UPDATE workflows w
       SET dropped_outcome = CASE WHEN l.failed THEN 'failed' ELSE 'cancelled' END
      FROM (SELECT u.id,
                   EXISTS (SELECT 1 FROM jobs.%1$I f
                            WHERE f.workflow_id = u.id
                              AND (f.state = 'dead' OR f.state_reason = 'dependency-failed')) AS failed,
                   EXISTS (SELECT 1 FROM jobs.%1$I f
                            WHERE f.workflow_id = u.id AND f.state = 'cancelled') AS cancelled
              FROM workflows u
             WHERE u.finished_at IS NULL AND u.dropped_outcome IS DISTINCT FROM 'failed'
             ORDER BY u.id FOR UPDATE) l
     WHERE w.id = l.id
       AND (l.failed OR (l.cancelled AND w.dropped_outcome IS NULL))$q$, p_partition);
END
$$;

-- The oldest day that has passed and still has its partition, but those of p_except; null when there is none.
CREATE OR REPLACE FUNCTION next_expired_partition(p_except date[]) RETURNS date
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
  SELECT min(d.day)
    FROM (SELECT to_date(substring(c.relname FROM '^finished_jobs_(\d{8})$'), 'YYYYMMDD') AS day
            FROM pg_inherits i
            JOIN pg_class c ON c.oid = i.inhrelid
           WHERE i.inhparent = 'jobs.finished_jobs'::regclass) d
   WHERE d.day < retention_today() AND d.day <> ALL (p_except)
$$;

DROP FUNCTION IF EXISTS drop_expired_partition();
-- Drops one partition pair whose day has passed, waiting at most 100 ms for a lock (a longer wait would
-- hold up inserts behind it). Days in p_except are left alone. Returns its day, or null when there is none.
CREATE OR REPLACE FUNCTION drop_expired_partition(p_except date[] DEFAULT '{}') RETURNS date
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET lock_timeout = '100ms'
AS $$
DECLARE
  v_suffix text;
BEGIN
  v_suffix := to_char(next_expired_partition(p_except), 'YYYYMMDD');
  IF v_suffix IS NULL THEN
    RETURN NULL;
  END IF;
  PERFORM note_dropped_outcomes('finished_jobs_' || v_suffix);
  EXECUTE format('DROP TABLE IF EXISTS jobs.finished_attempts_%s', v_suffix);
  EXECUTE format('DROP TABLE jobs.finished_jobs_%s', v_suffix);
  RETURN to_date(v_suffix, 'YYYYMMDD');
END
$$;

-- Deletes rows of the default partitions whose day has passed, at most p_limit of each. Returns the larger count.
-- The partitions are normally empty: a scan.
CREATE OR REPLACE FUNCTION delete_due_defaults(p_limit int) RETURNS int
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET jit = off
AS $$
DECLARE
  v_ids tid[];
  v_jobs int;
  v_attempts int;
BEGIN
  SELECT array_agg(d.ctid) INTO v_ids
    FROM (SELECT f.ctid FROM finished_jobs_default f
           WHERE f.retain_until < retention_today() LIMIT p_limit FOR UPDATE SKIP LOCKED) d;
  IF v_ids IS NOT NULL THEN
    UPDATE workflows w
       SET dropped_outcome = CASE WHEN l.failed THEN 'failed' ELSE coalesce(w.dropped_outcome, 'cancelled') END
      FROM (SELECT f.workflow_id, bool_or(f.state = 'dead' OR f.state_reason = 'dependency-failed') AS failed
              FROM finished_jobs_default f
             WHERE f.ctid = ANY (v_ids) AND f.workflow_id IS NOT NULL
               AND (f.state IN ('dead', 'cancelled') OR f.state_reason = 'dependency-failed')
             GROUP BY f.workflow_id) l
     WHERE w.id = l.workflow_id AND w.finished_at IS NULL;
    DELETE FROM finished_jobs_default f WHERE f.ctid = ANY (v_ids);
  END IF;
  v_jobs := coalesce(cardinality(v_ids), 0);
  DELETE FROM finished_attempts_default a WHERE a.ctid = ANY (ARRAY(
    SELECT d.ctid FROM finished_attempts_default d WHERE d.retain_until < retention_today() LIMIT p_limit));
  GET DIAGNOSTICS v_attempts = ROW_COUNT;
  RETURN greatest(v_jobs, v_attempts);
END
$$;

-- Forgets workflows whose last member's row has gone: edges and members first, then the workflow, at most
-- p_limit rows in all but one. Returns how many rows went.
CREATE OR REPLACE FUNCTION forget_workflows(p_limit int) RETURNS int
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
  v_left int := p_limit;
  v_gone int;
  v_id int;
BEGIN
  FOR v_id IN
    SELECT w.id FROM workflows w
     WHERE w.retain_until < retention_today() AND w.finished_at IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.workflow_id = w.id)
       AND NOT EXISTS (SELECT 1 FROM finished_jobs f WHERE f.workflow_id = w.id)
     ORDER BY w.retain_until, w.id LIMIT p_limit FOR UPDATE OF w SKIP LOCKED
  LOOP
    DELETE FROM dependencies d WHERE d.ctid = ANY (ARRAY(
      SELECT e.ctid FROM dependencies e WHERE e.workflow_id = v_id LIMIT v_left));
    GET DIAGNOSTICS v_gone = ROW_COUNT;
    v_left := v_left - v_gone;
    EXIT WHEN v_left <= 0;
    DELETE FROM workflow_members m WHERE m.ctid = ANY (ARRAY(
      SELECT e.ctid FROM workflow_members e WHERE e.workflow_id = v_id LIMIT v_left));
    GET DIAGNOSTICS v_gone = ROW_COUNT;
    v_left := v_left - v_gone;
    EXIT WHEN v_left <= 0;
    DELETE FROM workflows w WHERE w.id = v_id;
    v_left := v_left - 1;
    EXIT WHEN v_left <= 0;
  END LOOP;
  RETURN p_limit - v_left;
END
$$;

-- Edges of jobs outside workflows go once their child's row has gone: walks them by child after p_after, at most
-- p_limit. Returns the last child looked at (null: the end was reached) and how many edges went.
CREATE OR REPLACE FUNCTION forget_edges(p_after bigint, p_limit int, OUT walked_to bigint, OUT gone int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
  v_children bigint[];
BEGIN
  SELECT array_agg(d.child_id) INTO v_children
    FROM (SELECT e.child_id FROM dependencies e
           WHERE e.workflow_id IS NULL AND e.child_id > p_after ORDER BY e.child_id LIMIT p_limit) d;
  gone := 0;
  IF v_children IS NOT NULL THEN
    -- A child is never in neither table: one statement moves it, and one snapshot looks at both.
    DELETE FROM dependencies d
     WHERE d.workflow_id IS NULL
       AND d.child_id = ANY (ARRAY(
         SELECT u.id FROM (SELECT DISTINCT c.id FROM unnest(v_children) AS c (id)) u
          WHERE NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = u.id OFFSET 0)
            AND NOT EXISTS (SELECT 1 FROM finished_jobs f WHERE f.id = u.id OFFSET 0)));
    GET DIAGNOSTICS gone = ROW_COUNT;
  END IF;
  walked_to := CASE WHEN cardinality(v_children) = p_limit THEN v_children[p_limit] END;
END
$$;
