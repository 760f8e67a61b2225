-- Search in payloads: what is found by an index, and how it gets there.

-- What a payload holds at a path (members' names and elements' numbers, with dots between): a string as it is, all
-- else as it was typed; null when there is nothing.
CREATE OR REPLACE FUNCTION payload_at(p_payload json, p_path text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(p_payload #>> string_to_array(p_path, '.'), (p_payload #> string_to_array(p_path, '.'))::text)
$$;

CREATE OR REPLACE FUNCTION search_term(p_path text, p_value text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT hashtextextended(p_path || E'\n' || p_value, 0)
$$;

-- Runs once for each statement that inserts jobs, whoever runs it, in its transaction and after its ids were drawn:
-- settle_search_paths relies on that, and on a snapshot of the trigger's own. Jobs of queues without declared paths
-- cost a glance at queues_searched for all of the statement.
CREATE OR REPLACE FUNCTION keep_search_terms() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM queues q WHERE q.search_paths <> '{}') THEN
    RETURN NULL;
  END IF;
  PERFORM require_read_committed();
  INSERT INTO search_terms (queue_id, term, job_id)
  SELECT n.queue_id, search_term(p.path, payload_at(n.payload, p.path)), n.id
    FROM new_jobs n
    JOIN queues q ON q.id = n.queue_id AND q.search_paths <> '{}'
   CROSS JOIN unnest(q.search_paths) AS p (path)
   WHERE payload_at(n.payload, p.path) IS NOT NULL
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

-- The same for a statement that sets a payload, which only edits do.
CREATE OR REPLACE FUNCTION keep_edited_search_terms() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
BEGIN
  INSERT INTO search_terms (queue_id, term, job_id)
  SELECT NEW.queue_id, search_term(p.path, payload_at(NEW.payload, p.path)), NEW.id
    FROM queues q
   CROSS JOIN unnest(q.search_paths) AS p (path)
   WHERE q.id = NEW.queue_id AND payload_at(NEW.payload, p.path) IS NOT NULL
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

-- Made once, not at every migration: making them stops all writers of jobs for a moment.
DO $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_trigger t
                  WHERE t.tgrelid = 'jobs'::regclass AND t.tgname = 'keep_search_terms') THEN
    CREATE TRIGGER keep_search_terms AFTER INSERT ON jobs REFERENCING NEW TABLE AS new_jobs
      FOR EACH STATEMENT EXECUTE FUNCTION keep_search_terms();
    CREATE TRIGGER keep_edited_search_terms AFTER UPDATE OF payload ON jobs
      FOR EACH ROW EXECUTE FUNCTION keep_edited_search_terms();
  END IF;
END
$$;

-- Declares which paths of a queue's payloads are found by an index: of jobs that are handed in once that is settled
-- (settle_search_paths); until then a search looks at jobs one by one. Locks nothing but the queue's row. False:
-- nothing changed.
CREATE OR REPLACE FUNCTION set_search_paths(p_queue int, p_paths text[]) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
DECLARE
  v_old queues;
BEGIN
  PERFORM require_read_committed();
  SELECT q.* INTO v_old FROM queues q WHERE q.id = p_queue FOR NO KEY UPDATE;
  IF NOT FOUND OR v_old.search_paths = p_paths THEN
    RETURN false;
  END IF;
  UPDATE queues q
     SET search_paths = p_paths,
         search_since = ARRAY(
           SELECT coalesce(v_old.search_since[array_position(v_old.search_paths, p.path)], 9223372036854775807)
             FROM unnest(p_paths) WITH ORDINALITY AS p (path, n) ORDER BY p.n),
         updated_at = clock_timestamp()
   WHERE q.id = p_queue;
  RETURN true;
END
$$;

-- From which id on jobs are in the index, for declarations that have committed. A statement whose trigger did not see
-- one looked before that commit, and had drawn its ids: ids that are drawn after this function has seen it are of
-- statements whose triggers see it too. So the sequence is read after the rows, in a statement of its own. Passes over
-- queues that are being changed. Returns how many were settled.
CREATE OR REPLACE FUNCTION settle_search_paths() RETURNS int
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
DECLARE
  v_queues int[];
  v_next bigint;
BEGIN
  PERFORM require_read_committed();
  v_queues := ARRAY(SELECT q.id FROM queues q
                     WHERE q.search_paths <> '{}' AND 9223372036854775807 = ANY (q.search_since)
                     ORDER BY q.id FOR NO KEY UPDATE SKIP LOCKED);
  SELECT s.last_value + 1 INTO v_next FROM job_id_seq s;
  UPDATE queues q SET search_since = array_replace(q.search_since, 9223372036854775807, v_next)
   WHERE q.id = ANY (v_queues);
  RETURN cardinality(v_queues);
END
$$;

-- Looks at the terms of p_limit jobs or fewer, from the one after p_after, and deletes those whose job is gone.
-- walked_to: the last one looked at, null at the end.
CREATE OR REPLACE FUNCTION forget_search_terms(p_after bigint, p_limit int, OUT walked_to bigint, OUT gone int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
  v_jobs bigint[];
BEGIN
  SELECT array_agg(t.job_id) INTO v_jobs
    FROM (SELECT s.job_id FROM search_terms s
           WHERE s.job_id > p_after ORDER BY s.job_id LIMIT p_limit) t;
  gone := 0;
  IF v_jobs IS NOT NULL THEN
    -- One statement moves a job, and one snapshot looks at both of its tables.
    DELETE FROM search_terms s
     WHERE s.job_id = ANY (ARRAY(
       SELECT u.id FROM (SELECT DISTINCT c.id FROM unnest(v_jobs) AS c (id)) u
        WHERE NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = u.id OFFSET 0)
          AND NOT EXISTS (SELECT 1 FROM finished_jobs f WHERE f.id = u.id OFFSET 0)));
    GET DIAGNOSTICS gone = ROW_COUNT;
  END IF;
  walked_to := CASE WHEN cardinality(v_jobs) = p_limit THEN v_jobs[p_limit] END;
END
$$;
