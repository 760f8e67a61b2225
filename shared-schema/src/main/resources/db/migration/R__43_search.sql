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

-- Runs for jobs of queues with declared paths only, see set_search_paths; in the transaction that inserts the job or
-- changes its payload, whoever does that.
CREATE OR REPLACE FUNCTION keep_search_terms() RETURNS trigger
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

-- Declares which paths of a queue's payloads are found by an index: of jobs that are handed in from now on. False:
-- nothing changed. The trigger's condition names the queues, so that jobs of others cost one comparison with a
-- constant, and nothing before the first path of all is declared. Waits at most 100 ms for writers of jobs, since others queue
-- behind; raises 55P03 then: nothing has happened, call again.
CREATE OR REPLACE FUNCTION set_search_paths(p_queue int, p_paths text[]) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET lock_timeout = '100ms'
AS $$
DECLARE
  v_old queues;
  v_next bigint;
BEGIN
  PERFORM require_read_committed();
  SELECT q.* INTO v_old FROM queues q WHERE q.id = p_queue FOR NO KEY UPDATE;
  IF NOT FOUND OR v_old.search_paths = p_paths THEN
    RETURN false;
  END IF;
  -- Whoever inserts after this commits fires the trigger, also under an id drawn before; later ids are all in.
  LOCK TABLE jobs IN SHARE ROW EXCLUSIVE MODE;
  SELECT s.last_value + 1 INTO v_next FROM job_id_seq s;
  UPDATE queues q
     SET search_paths = p_paths,
         search_since = ARRAY(
           SELECT coalesce(v_old.search_since[array_position(v_old.search_paths, p.path)], v_next)
             FROM unnest(p_paths) WITH ORDINALITY AS p (path, n) ORDER BY p.n),
         updated_at = clock_timestamp()
   WHERE q.id = p_queue;
  -- The queues are read after the lock: two calls never miss each other's.
  EXECUTE format(
    'CREATE OR REPLACE TRIGGER keep_search_terms AFTER INSERT OR UPDATE OF payload ON jobs.jobs FOR EACH ROW
       WHEN (NEW.queue_id = ANY (%L::int[])) EXECUTE FUNCTION jobs.keep_search_terms()',
    ARRAY(SELECT q.id FROM queues q WHERE q.search_paths <> '{}' ORDER BY q.id));
  RETURN true;
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
