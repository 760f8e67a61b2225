-- The SQL contract: applications that share the database hand in jobs inside their own transactions, so that a job
-- exists exactly if what it belongs to was committed. SECURITY DEFINER; who may call them for which project and
-- queues stands in sql_clients, by session_user, whatever role the session has set meanwhile.

-- Lets a database role enqueue into queues of a project (null: all); again: with these queues from now on. The
-- owner's alone.
CREATE OR REPLACE FUNCTION allow_sql_client(
  p_role name, p_project text, p_queues text[] DEFAULT NULL, p_max_payload int DEFAULT 262144) RETURNS void
LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
  v_project int;
BEGIN
  SELECT p.id INTO v_project FROM jobs.projects p WHERE p.name = p_project;
  IF v_project IS NULL THEN
    RAISE EXCEPTION 'there is no project %', p_project USING ERRCODE = '22023';
  END IF;
  INSERT INTO jobs.sql_clients (role_name, project_id, queue_names, max_payload)
  VALUES (p_role, v_project, p_queues, p_max_payload)
  ON CONFLICT (role_name, project_id)
  DO UPDATE SET queue_names = excluded.queue_names, max_payload = excluded.max_payload;
  PERFORM jobs.grant_sql_contract(p_role);
END
$$;

-- The rights that a role needs to call the contract: granted anew at each migration (R__90_grants.sql). Internal.
CREATE OR REPLACE FUNCTION grant_sql_contract(p_role name) RETURNS void
LANGUAGE plpgsql VOLATILE
AS $$
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA jobs TO %I', p_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION jobs.enqueue_job(text, text, json, text, int, timestamptz, text, boolean)'
                 ' TO %I', p_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION jobs.enqueue_jobs(text, text[], json[], text[], int[], timestamptz[],'
                 ' text[], boolean) TO %I', p_role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION jobs.assert_lease(bigint, bigint) TO %I', p_role);
END
$$;

-- Whether a JSON text names a member of one object twice: by the server's own check from 16 on, else by walking it.
DO $do$
BEGIN
  IF current_setting('server_version_num')::int >= 160000 THEN
    EXECUTE $f$
      CREATE OR REPLACE FUNCTION jobs.has_duplicate_names(p_json json) RETURNS boolean
      LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT p_json IS NOT JSON WITH UNIQUE KEYS $$
    $f$;
  ELSE
    EXECUTE $f$
      CREATE OR REPLACE FUNCTION jobs.has_duplicate_names(p_json json) RETURNS boolean
      LANGUAGE plpgsql IMMUTABLE STRICT AS $$
      BEGIN
        RETURN CASE json_typeof(p_json)
          WHEN 'object' THEN
            (SELECT count(*) > count(DISTINCT m.key COLLATE "C") OR coalesce(bool_or(jobs.has_duplicate_names(m.value)), false)
               FROM json_each(p_json) m)
          WHEN 'array' THEN
            (SELECT coalesce(bool_or(jobs.has_duplicate_names(e.value)), false) FROM json_array_elements(p_json) e)
          ELSE false END;
      END $$
    $f$;
  END IF;
END
$do$;

-- Why a payload cannot be given back unchanged on every surface, or null: the rules of HTTP (see docs/api.md). The
-- same cases are tried on both (payload-cases.tsv).
CREATE OR REPLACE FUNCTION payload_flaw(p_payload json, p_most_bytes int) RETURNS text
LANGUAGE plpgsql IMMUTABLE
SET search_path = jobs, pg_temp
AS $$
DECLARE
  v_text text := p_payload::text;
  v_bare text;
  v_number text;
  v_mantissa text;
  v_depth int := 0;
BEGIN
  IF p_payload IS NULL THEN
    RETURN NULL;
  ELSIF octet_length(v_text) > p_most_bytes THEN
    RETURN 'it has ' || octet_length(v_text) || ' bytes; at most ' || p_most_bytes || ' are accepted';
  END IF;
  -- Numbers and nesting with strings taken out. Before the cast to jsonb, which would reckon with the numbers.
  v_bare := regexp_replace(v_text, '"(?:[^"\\]|\\.)*"', '""', 'g');
  IF v_bare ~ '[0-9.]{101}|[eE][+-]?[0-9]{3}' THEN
    FOR v_number IN
      SELECT m[1] FROM regexp_matches(v_bare, '([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)', 'g') AS m
    LOOP
      IF ltrim(coalesce(substring(v_number FROM '[eE][+-]?([0-9]+)$'), ''), '0') !~ '^([0-9]{0,2}|[123][0-9]{2}|400)$' THEN
        RETURN 'the exponent of a number must lie within -400 and 400';
      END IF;
      v_mantissa := regexp_replace(v_number, '[eE].*$', '');
      IF length(ltrim(replace(v_mantissa, '.', ''), '0')) > 100 THEN
        RETURN 'a number may have at most 100 significant digits';
      ELSIF length(substring(v_mantissa FROM '^0+\.(0*)')) > 400 THEN
        RETURN 'the exponent of a number must lie within -400 and 400';
      END IF;
    END LOOP;
  END IF;
  v_bare := regexp_replace(v_bare, '[^][{}]', '', 'g');
  WHILE v_bare <> '' LOOP
    v_depth := v_depth + 1;
    IF v_depth > 64 THEN
      RETURN 'values may be nested at most 64 deep';
    END IF;
    v_bare := regexp_replace(v_bare, '\[\]|\{\}', '', 'g');
  END LOOP;
  BEGIN
    PERFORM v_text::jsonb;
  EXCEPTION WHEN untranslatable_character OR invalid_text_representation THEN
    RETURN 'a string must not contain U+0000 or half of a surrogate pair';
  END;
  IF has_duplicate_names(p_payload) THEN
    RETURN 'a name appears twice in one object';
  END IF;
  RETURN NULL;
END
$$;

-- Hands in jobs of one project, in the caller's transaction: all or none. Arrays are parallel; an array may be null
-- (the default for all), and so may its elements. Returns a row for each job, n from 1: its id, or with duplicate the
-- id of the live job that holds its unique key until it has finished: null when that is in a queue that this role may not
-- use. Of two with one key the first holds it.
-- Raises 42501 (this role, project or queue), 22023 (a value, named by its number), 53400 (no room in the queue;
-- try again later), 40P01 or 55P03 (a key is being decided by others: repeat the transaction).
-- p_notify: wakes workers at commit, by one NOTIFY for each queue and priority; without it they find the jobs within
-- their polling interval. A commit with a NOTIFY holds a lock of the whole database cluster until its log is flushed:
-- such commits go one after the other, no more of them per second than the disk flushes (measured: a fifth of what
-- 64 sessions commit without). Where many sessions hand in single jobs do without, or hand in more a call.
CREATE OR REPLACE FUNCTION enqueue_jobs(
  project text, types text[], payloads json[] DEFAULT NULL, queues text[] DEFAULT NULL, priorities int[] DEFAULT NULL,
  run_ats timestamptz[] DEFAULT NULL, unique_keys text[] DEFAULT NULL, notify boolean DEFAULT true)
RETURNS TABLE (n int, id bigint, duplicate boolean)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  c record;
  v record;
  v_count int := cardinality(enqueue_jobs.types);
  v_ids bigint[];
  v_holders bigint[];
  v_hidden boolean[] := '{}';
  v_full text;
BEGIN
  PERFORM require_read_committed();
  SELECT s.project_id, s.queue_names, s.max_payload INTO c
    FROM sql_clients s JOIN projects p ON p.id = s.project_id
   WHERE s.role_name = session_user AND p.name = enqueue_jobs.project;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'role % may not enqueue into project %', session_user, enqueue_jobs.project USING ERRCODE = '42501';
  END IF;
  IF coalesce(v_count, 0) = 0 THEN
    RETURN;
  ELSIF v_count > 100000 OR v_count <> ANY (ARRAY[
      coalesce(cardinality(enqueue_jobs.payloads), v_count), coalesce(cardinality(enqueue_jobs.queues), v_count),
      coalesce(cardinality(enqueue_jobs.priorities), v_count), coalesce(cardinality(enqueue_jobs.run_ats), v_count),
      coalesce(cardinality(enqueue_jobs.unique_keys), v_count)]) THEN
    RAISE EXCEPTION 'arrays must have the same length, 1 to 100000' USING ERRCODE = '22023';
  END IF;

  SELECT g.n, g.flaw INTO v
    FROM (
      SELECT u.n, CASE
          WHEN u.type IS NULL OR u.type !~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$' THEN 'type: not a name'
          WHEN u.priority NOT BETWEEN 0 AND 9 THEN 'priority: not 0 to 9'
          WHEN NOT isfinite(u.run_at) OR u.run_at NOT BETWEEN '1970-01-01 00:00Z' AND '9999-12-31 23:59:59Z'
            THEN 'run_at: not from 1970 to 9999'
          WHEN length(u.unique_key) NOT BETWEEN 1 AND 255 THEN 'unique_key: not 1 to 255 characters'
          WHEN q.id IS NULL THEN 'queue: the project has no queue ' || u.queue
          ELSE 'payload: ' || payload_flaw(u.payload, c.max_payload) END AS flaw
        FROM unnest(enqueue_jobs.types, enqueue_jobs.payloads, coalesce(enqueue_jobs.queues, array_fill('default'::text, ARRAY[v_count])),
                    enqueue_jobs.priorities, enqueue_jobs.run_ats, enqueue_jobs.unique_keys)
               WITH ORDINALITY AS u (type, payload, queue, priority, run_at, unique_key, n)
        LEFT JOIN jobs.queues q
          ON q.project_id = c.project_id AND q.name = coalesce(u.queue, 'default') AND q.deleted_at IS NULL) g
   WHERE g.flaw IS NOT NULL ORDER BY g.n LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'job %: %', v.n, v.flaw USING ERRCODE = '22023';
  END IF;
  IF c.queue_names IS NOT NULL THEN
    SELECT u.queue INTO v FROM unnest(coalesce(enqueue_jobs.queues, ARRAY['default'])) AS u (queue)
      WHERE coalesce(u.queue, 'default') <> ALL (c.queue_names) LIMIT 1;
    IF FOUND THEN
      RAISE EXCEPTION 'role % may not use queue %', session_user, coalesce(v.queue, 'default') USING ERRCODE = '42501';
    END IF;
  END IF;

  v_ids := ARRAY(SELECT nextval('job_id_seq') FROM generate_series(1, v_count));
  -- By number: the job that holds the key instead, or null.
  v_holders := array_fill(NULL::bigint, ARRAY[v_count]);
  IF enqueue_jobs.unique_keys IS NOT NULL THEN
    FOR v IN
      SELECT k.n, t.job_id
        FROM (SELECT array_agg(u.n ORDER BY u.n) AS ns, array_agg(u.key ORDER BY u.n) AS keys,
                     array_agg(v_ids[u.n] ORDER BY u.n) AS ids
                FROM unnest(enqueue_jobs.unique_keys) WITH ORDINALITY AS u (key, n) WHERE u.key IS NOT NULL) a
       CROSS JOIN LATERAL take_unique_keys(
               c.project_id, a.keys, array_fill('finished'::text, ARRAY[cardinality(a.keys)]), NULL,
               array_fill('return'::text, ARRAY[cardinality(a.keys)]), a.ids) t
       CROSS JOIN LATERAL (SELECT a.ns[t.n] AS n) k
       WHERE a.keys IS NOT NULL AND t.verdict = 'duplicate'
    LOOP
      v_holders[v.n] := v.job_id;
    END LOOP;
  END IF;
  SELECT admit_jobs(c.project_id, array_agg(g.queue), array_agg(g.count)) INTO v_full
    FROM (SELECT coalesce(u.queue, 'default') AS queue, count(*)::int AS count
            FROM unnest(coalesce(enqueue_jobs.queues, array_fill('default'::text, ARRAY[v_count]))) WITH ORDINALITY AS u (queue, n)
           WHERE v_holders[u.n] IS NULL GROUP BY 1) g;
  IF v_full IS NOT NULL THEN
    RAISE EXCEPTION 'queue % has as many jobs waiting as it may', v_full USING ERRCODE = '53400';
  END IF;

  FOR v IN
    WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS at), stored AS (
      INSERT INTO jobs AS j (id, project_id, queue_id, type, state, priority, dispatch_lane, dispatch_key, run_at,
          ready_at, payload, unique_key, unique_until)
      SELECT v_ids[u.n], c.project_id, q.id, u.type, CASE WHEN u.run_at > k.at THEN 'scheduled' ELSE 'ready' END,
             coalesce(u.priority, 4), ready_lane(coalesce(u.priority, 4), q.ageing_ms),
             ready_key(micros(greatest(u.run_at, k.at)), coalesce(u.priority, 4), q.ageing_ms), u.run_at,
             CASE WHEN u.run_at > k.at THEN NULL ELSE k.at END, u.payload, u.unique_key,
             CASE WHEN u.unique_key IS NOT NULL THEN 'finished' END
        FROM unnest(enqueue_jobs.types, enqueue_jobs.payloads, enqueue_jobs.queues, enqueue_jobs.priorities,
                    enqueue_jobs.run_ats, enqueue_jobs.unique_keys)
               WITH ORDINALITY AS u (type, payload, queue, priority, run_at, unique_key, n)
       CROSS JOIN clock k
        JOIN jobs.queues q
          ON q.project_id = c.project_id AND q.name = coalesce(u.queue, 'default') AND q.deleted_at IS NULL
       WHERE v_holders[u.n] IS NULL
       ORDER BY u.n
      RETURNING j.id, j.state, j.queue_id, j.dispatch_lane, j.dispatch_key, j.run_at)
    SELECT DISTINCT ON (s.state, s.queue_id, s.dispatch_lane)
           s.state, s.queue_id, s.dispatch_lane, s.dispatch_key, s.id, min(s.run_at) OVER (PARTITION BY s.state) AS due
      FROM stored s ORDER BY s.state, s.queue_id, s.dispatch_lane, s.dispatch_key, s.id
  LOOP
    -- As the services say it: the first place of each lane; for what is due soon, the first instant (Postgres sends
    -- equal ones once).
    IF enqueue_jobs.notify AND v.state = 'ready' THEN
      PERFORM pg_notify('jobs_ready', concat_ws(':', v.queue_id, v.dispatch_lane, v.dispatch_key, v.id));
    ELSIF enqueue_jobs.notify AND v.due < clock_timestamp() + interval '10 minutes' THEN
      PERFORM pg_notify('jobs_due', micros(v.due)::text);
    END IF;
  END LOOP;
  IF c.queue_names IS NOT NULL THEN
    -- Of a job elsewhere such a role learns that there is one. A probe by id for each duplicate.
    FOR v IN
      SELECT h.n FROM unnest(v_holders) WITH ORDINALITY AS h (id, n)
       WHERE h.id IS NOT NULL AND NOT EXISTS (
               SELECT 1 FROM all_jobs j JOIN jobs.queues q ON q.id = j.queue_id
                WHERE j.id = h.id AND q.name = ANY (c.queue_names) OFFSET 0)
    LOOP
      v_hidden[v.n] := true;
    END LOOP;
  END IF;
  RETURN QUERY
  SELECT i.n::int, CASE WHEN v_hidden[i.n] THEN NULL ELSE coalesce(v_holders[i.n], i.id) END,
         v_holders[i.n] IS NOT NULL
    FROM unnest(v_ids) WITH ORDINALITY AS i (id, n) ORDER BY i.n;
END
$$;

-- Hands in one job, see enqueue_jobs; returns its id, or that of the live job that holds its unique key, or null where
-- that is not to be told.
CREATE OR REPLACE FUNCTION enqueue_job(
  project text, type text, payload json DEFAULT NULL, queue text DEFAULT 'default', priority int DEFAULT 4,
  run_at timestamptz DEFAULT NULL, unique_key text DEFAULT NULL, notify boolean DEFAULT true) RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
  SELECT e.id
    FROM enqueue_jobs(project, ARRAY[type], ARRAY[payload], ARRAY[queue], ARRAY[priority], ARRAY[run_at],
                      CASE WHEN unique_key IS NOT NULL THEN ARRAY[unique_key] END, notify) e
$$;
