-- The audit log. Whoever changes something for a person or a key says so in the setting jobs.audit, local to the
-- transaction: {"kind", "id", "name", "action", "address", "request"}. Triggers on the tables that people edit then
-- write what changed; the API adds a row for what no trigger saw (jobs steered, workflows). A change by the API
-- without that setting is recorded too, of an unknown actor; one by the leader is not.
--
-- Advisory lock (6, 0): shared by writers until they commit, exclusive for the sealing.

-- Writes one row; several changes of one object in one transaction are one row. Internal.
CREATE OR REPLACE FUNCTION audit_write(p_project int, p_kind text, p_object text, p_changes jsonb, p_else text)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = jobs, pg_temp
AS $$
DECLARE
  v_by jsonb := nullif(current_setting('jobs.audit', true), '')::jsonb;
BEGIN
  -- Not committed yet, so not sealed: the lock is still held. The time too: after a restore into another cluster
  -- transactions are counted anew.
  UPDATE audit_log a
     SET changes = a.changes || (
           SELECT jsonb_object_agg(c.key, c.value || coalesce((a.changes -> c.key) - 'after', '{}'))
             FROM jsonb_each(p_changes) AS c)
   WHERE a.tx = pg_current_xact_id_if_assigned() AND a.at >= transaction_timestamp()
     AND a.project_id = p_project AND a.object_kind = p_kind AND a.object_id = p_object
     AND a.actor_id IS NOT DISTINCT FROM v_by ->> 'id' AND a.changes IS NOT NULL;
  IF FOUND THEN
    RETURN;
  END IF;
  -- Before the id is drawn, see audit_log.id.
  PERFORM pg_advisory_xact_lock_shared(6, 0);
  INSERT INTO audit_log (project_id, actor_kind, actor_id, actor, action, object_kind, object_id, changes, address,
                         request_id)
  VALUES (p_project, coalesce(v_by ->> 'kind', 'unknown'), v_by ->> 'id', coalesce(v_by ->> 'name', session_user),
          coalesce(v_by ->> 'action', p_else), p_kind, p_object, p_changes, v_by ->> 'address', v_by ->> 'request');
END
$$;

DROP FUNCTION IF EXISTS audit_action(int, text, text);
-- For the API, at the end of a transaction: the row of what no trigger has noted in it. p_changes as in audit_log.
CREATE OR REPLACE FUNCTION audit_action(p_project int, p_kind text, p_object text, p_changes jsonb DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
DECLARE
  v_by jsonb := nullif(current_setting('jobs.audit', true), '')::jsonb;
BEGIN
  IF NOT EXISTS (
       SELECT 1 FROM audit_log a
        WHERE a.tx = pg_current_xact_id_if_assigned() AND a.at >= transaction_timestamp()
          AND a.actor_id IS NOT DISTINCT FROM v_by ->> 'id'
          AND a.action = coalesce(v_by ->> 'action', a.action)) THEN
    PERFORM audit_write(p_project, p_kind, p_object, p_changes, 'unknown');
  END IF;
END
$$;

-- A column's name as JSON has it.
CREATE OR REPLACE FUNCTION camel_case(p_name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT string_agg(CASE WHEN w.n = 1 THEN w.word ELSE initcap(w.word) END, '' ORDER BY w.n)
    FROM unnest(string_to_array(p_name, '_')) WITH ORDINALITY AS w (word, n)
$$;

-- After a row of a table that people edit has changed. Arguments: the object's kind, the column that names it, the
-- column of its project ('' for none), columns to pass over, columns of which only a hash is shown, and columns of
-- which nothing is.
CREATE OR REPLACE FUNCTION audit_change() RETURNS trigger
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
DECLARE
  v_old jsonb := CASE WHEN TG_OP = 'INSERT' THEN '{}' ELSE to_jsonb(OLD) END;
  v_new jsonb := CASE WHEN TG_OP = 'DELETE' THEN '{}' ELSE to_jsonb(NEW) END;
  v_row jsonb := v_old || v_new;
  v_changes jsonb;
BEGIN
  WITH fields AS (
    SELECT c.name, nullif(v_old -> c.name, 'null') AS before, nullif(v_new -> c.name, 'null') AS after
      FROM jsonb_object_keys(v_row) AS c (name)
     WHERE c.name <> ALL (string_to_array(TG_ARGV[3], ','))
  ), shown AS (
    SELECT f.name,
           CASE WHEN f.name = ANY (string_to_array(TG_ARGV[4], ','))
                THEN jsonb_build_object(
                       'before', 'sha256:' || encode(sha256(convert_to(f.before::text, 'UTF8')), 'hex'),
                       'after', 'sha256:' || encode(sha256(convert_to(f.after::text, 'UTF8')), 'hex'))
                WHEN f.name = ANY (string_to_array(TG_ARGV[5], ','))
                THEN jsonb_build_object('changed', true)
                ELSE jsonb_build_object('before', f.before, 'after', f.after)
           END AS change
      FROM fields f
     WHERE f.before IS DISTINCT FROM f.after
  )
  SELECT jsonb_object_agg(camel_case(s.name),
                          CASE TG_OP WHEN 'INSERT' THEN s.change - 'before' WHEN 'DELETE' THEN s.change - 'after'
                                     ELSE s.change END)
    INTO v_changes FROM shown s;
  IF v_changes IS NOT NULL THEN
    PERFORM audit_write(
      CASE TG_ARGV[2] WHEN '' THEN 0 ELSE (v_row ->> TG_ARGV[2])::int END,
      TG_ARGV[0], v_row ->> TG_ARGV[1], v_changes, lower(TG_OP) || ' ' || TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;

-- The condition is evaluated for each row, the function called only where somebody has to answer for it: a fire of
-- the leader writes its schedule's row and pays for one comparison.
CREATE OR REPLACE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON projects FOR EACH ROW
  WHEN (current_setting('jobs.audit', true) <> '' OR session_user = '${api_role}')
  EXECUTE FUNCTION audit_change('project', 'name', 'id', 'id,created_at', '', '');
CREATE OR REPLACE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON users FOR EACH ROW
  WHEN (current_setting('jobs.audit', true) <> '' OR session_user = '${api_role}')
  EXECUTE FUNCTION audit_change('user', 'id', '', 'id,created_at', '', 'password_hash');
CREATE OR REPLACE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON project_members FOR EACH ROW
  WHEN (current_setting('jobs.audit', true) <> '' OR session_user = '${api_role}')
  EXECUTE FUNCTION audit_change('member', 'user_id', 'project_id', 'project_id,created_at', '', '');
CREATE OR REPLACE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON queues FOR EACH ROW
  WHEN (current_setting('jobs.audit', true) <> '' OR session_user = '${api_role}')
  EXECUTE FUNCTION audit_change('queue', 'name', 'project_id',
    'id,project_id,created_at,updated_at,rekey_after,rekey_until,search_since', '', '');
CREATE OR REPLACE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON schedules FOR EACH ROW
  WHEN (current_setting('jobs.audit', true) <> '' OR session_user = '${api_role}')
  EXECUTE FUNCTION audit_change('schedule', 'name', 'project_id',
    'id,project_id,created_at,updated_at,version,planned_to,next_fire_at,wake_at,last_planned_at,tzdb_version,'
    'sequence,run_count,queued,consecutive_failures,failures_since', 'payload,workflow', '');
CREATE OR REPLACE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON api_keys FOR EACH ROW
  WHEN (current_setting('jobs.audit', true) <> '' OR session_user = '${api_role}')
  EXECUTE FUNCTION audit_change('api-key', 'id', 'project_id', 'id,project_id,created_at,created_by,last_used_at', '',
    'key_hash');
-- Of a bulk action: what was asked for and in which state it is; how far it has come is not for the record.
CREATE OR REPLACE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON bulk_actions FOR EACH ROW
  WHEN (current_setting('jobs.audit', true) <> '' OR session_user = '${api_role}')
  EXECUTE FUNCTION audit_change('bulk-action', 'id', 'project_id',
    'id,project_id,created_at,ended_at,requested_by,states,queue_ids,type,tag,workflow_id,schedule_id,worker_id,error,'
    'created_after,created_before,job_ids,last_job_id,tokens,refilled_at,canary_ended_at,phase,collected_to,'
    'collected_at,done_to,judged_to,undone_to,matched,done,requested,failed,skipped,succeeded_since,failed_since,'
    'undone,kept', '', '');

-- What a link of the chain says: the row's content, canonical, after the link before it.
CREATE OR REPLACE FUNCTION audit_hash(p_before bytea, a audit_log) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = jobs, pg_temp
AS $$
  SELECT sha256(coalesce(p_before, ''::bytea) || convert_to(jsonb_build_array(
           a.id, micros(a.at), a.project_id, a.actor_kind, a.actor_id, a.actor, a.action, a.object_kind, a.object_id,
           a.changes, a.address, a.request_id)::text, 'UTF8'))
$$;

-- Writes where a project's chain ends now. Internal.
CREATE OR REPLACE FUNCTION end_chain(p_end audit_chains) RETURNS void
LANGUAGE sql VOLATILE
SET search_path = jobs, pg_temp
AS $$
  INSERT INTO audit_chains AS c (project_id, position, audit_id, hash, sealed_at)
  SELECT p_end.project_id, p_end.position, p_end.audit_id, p_end.hash, clock_timestamp()
   WHERE p_end.project_id IS NOT NULL
  ON CONFLICT (project_id) DO UPDATE
     SET position = excluded.position, audit_id = excluded.audit_id, hash = excluded.hash,
         sealed_at = excluded.sealed_at
$$;

-- Seals the oldest rows that are not, at most p_limit; returns how many. 0 also when a writer held the lock for
-- longer than is waited: the next round comes.
CREATE OR REPLACE FUNCTION seal_audit(p_limit int) RETURNS int
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET lock_timeout = '200ms'
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
  v_row audit_log;
  v_chain audit_chains;
  v_sealed int := 0;
  v_to bigint := 0;
BEGIN
  PERFORM require_read_committed();
  -- With the lock alone, everybody who drew a smaller id has ended; the next statement sees what they left.
  PERFORM pg_advisory_xact_lock(6, 0);
  -- Project by project, so that each end is written once: each version of a row that one transaction writes again
  -- makes the next one dearer.
  FOR v_row IN
    SELECT b.* FROM (
      SELECT a.* FROM audit_log a
       WHERE a.id > (SELECT p.sealed_to FROM audit_progress p) ORDER BY a.id LIMIT p_limit) b
     ORDER BY b.project_id, b.id
  LOOP
    IF v_chain.project_id IS DISTINCT FROM v_row.project_id THEN
      PERFORM end_chain(v_chain);
      SELECT c.* INTO v_chain FROM audit_chains c WHERE c.project_id = v_row.project_id;
      v_chain.project_id := v_row.project_id;
    END IF;
    v_chain.position := coalesce(v_chain.position, 0) + 1;
    v_chain.audit_id := v_row.id;
    v_chain.hash := audit_hash(v_chain.hash, v_row);
    INSERT INTO audit_seals (project_id, position, audit_id, hash)
    VALUES (v_row.project_id, v_chain.position, v_row.id, v_chain.hash);
    v_to := greatest(v_to, v_row.id);
    v_sealed := v_sealed + 1;
  END LOOP;
  IF v_sealed > 0 THEN
    PERFORM end_chain(v_chain);
    UPDATE audit_progress SET sealed_to = v_to;
  END IF;
  RETURN v_sealed;
EXCEPTION WHEN lock_not_available THEN
  RETURN 0;
END
$$;

DROP FUNCTION IF EXISTS verify_audit(int);
DROP FUNCTION IF EXISTS verify_audit(int, bigint, int);
-- Reckons a part of a project's chain anew, in one snapshot: the links behind the first p_after ones, at most p_limit.
-- How much is sealed in all; how many links were checked, the hash of the last one (of link p_after when there was
-- none) and whether there are more; the first row at which the part, or the chain's end, is broken (null: none) and
-- why; and how many rows, up to 10,000, are not sealed yet.
--   row-missing   its link is there, the row is not       row-changed   row, link or order are not what was sealed
--   link-missing  links before it are gone                row-inserted  no link, although later rows have theirs
--   end-missing   the chain was longer
-- One hash for each link, and memory for p_limit of them, however long the log is: no plan that reads all of it.
CREATE FUNCTION verify_audit(p_project int, p_after bigint DEFAULT 0, p_limit int DEFAULT 100000)
RETURNS TABLE (
  sealed bigint, head text, sealed_at timestamptz, checked bigint, checked_head text, more boolean, broken_id bigint,
  broken_why text, unsealed bigint, unsealed_since timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
AS $$
  WITH before AS MATERIALIZED (
    -- Was checked with the part before this one.
    SELECT s.position, s.audit_id, s.hash FROM audit_seals s WHERE s.project_id = p_project AND s.position = p_after
  ), links AS MATERIALIZED (
    SELECT s.position, s.audit_id, s.hash,
           coalesce(lag(s.position) OVER w, (SELECT b.position FROM before b), 0) AS position_before,
           coalesce(lag(s.hash) OVER w, (SELECT b.hash FROM before b)) AS hash_before
      FROM (SELECT t.position, t.audit_id, t.hash FROM audit_seals t
             WHERE t.project_id = p_project AND t.position > p_after ORDER BY t.position LIMIT p_limit) s
    WINDOW w AS (ORDER BY s.position)
  ), part AS MATERIALIZED (
    SELECT count(*) AS links, max(l.audit_id) AS last_id,
           coalesce((SELECT b.audit_id FROM before b), -9223372036854775808) AS before_id,
           coalesce((SELECT e.hash FROM links e ORDER BY e.position DESC LIMIT 1), (SELECT b.hash FROM before b)) AS hash,
           EXISTS (SELECT 1 FROM audit_seals s
                    WHERE s.project_id = p_project AND s.position > coalesce(max(l.position), p_after)) AS more
      FROM links l
  ), faults AS (
    SELECT l.audit_id AS id,
           CASE WHEN a.id IS NULL THEN 'row-missing'
                WHEN l.position <> l.position_before + 1 THEN 'link-missing'
                WHEN l.hash <> audit_hash(l.hash_before, a) THEN 'row-changed' END AS why
      FROM links l
      LEFT JOIN audit_log a ON a.id = l.audit_id AND a.project_id = p_project
    UNION ALL
    -- In a part that is whole there are as many rows as links: one more shows whether there is another.
    SELECT r.id, 'row-inserted'
      FROM (SELECT a.id FROM audit_log a, part o
             WHERE a.project_id = p_project AND a.id > o.before_id
               AND a.id <= CASE WHEN o.more THEN o.last_id ELSE (SELECT p.sealed_to FROM audit_progress p) END
             ORDER BY a.id LIMIT (SELECT o.links + 1 FROM part o)) r
     WHERE NOT EXISTS (SELECT 1 FROM audit_seals s WHERE s.audit_id = r.id AND s.project_id = p_project)
    UNION ALL
    SELECT c.audit_id, 'end-missing'
      FROM audit_chains c
     WHERE c.project_id = p_project
       AND NOT EXISTS (SELECT 1 FROM audit_seals s
                        WHERE s.project_id = p_project AND s.position = c.position AND s.audit_id = c.audit_id
                          AND s.hash = c.hash)
    UNION ALL
    (SELECT s.audit_id, 'row-inserted'
       FROM audit_seals s
      WHERE s.project_id = p_project
        AND s.position > coalesce((SELECT c.position FROM audit_chains c WHERE c.project_id = p_project), 0)
      ORDER BY s.position LIMIT 1)
  ), first AS (
    SELECT f.id, f.why FROM faults f WHERE f.why IS NOT NULL ORDER BY f.id LIMIT 1
  ), tail AS (
    SELECT count(*) AS unsealed, min(r.at) AS since
      FROM (SELECT a.at FROM audit_log a
             WHERE a.project_id = p_project AND a.id > (SELECT p.sealed_to FROM audit_progress p)
             ORDER BY a.id LIMIT 10000) r
  )
  SELECT coalesce(c.position, 0), encode(c.hash, 'hex'), c.sealed_at, o.links, encode(o.hash, 'hex'), o.more,
         f.id, f.why, t.unsealed, t.since
    FROM tail t
   CROSS JOIN part o
    LEFT JOIN audit_chains c ON c.project_id = p_project
    LEFT JOIN first f ON true
$$;
