-- Handing in: unique keys, room in bounded queues, and what is forgotten after its time.

-- Takes unique keys for jobs that the same transaction inserts right after under the ids p_ids. Arrays are parallel.
--   p_untils       started | finished | window (p_windows_ms from now on)
--   p_on_conflict  return | reject | replace (the holder is cancelled as replaced if it waits, and stands outside
--                  any graph; else as reject). Against a job of this very call replace is as reject
-- Returns one row per key, n from 1: taken · duplicate · rejected, the latter two with the holder and its state
-- (null: it is one of this call, or its row is gone).
-- Keys are taken one by one in key order, so two calls never wait for each other in a circle. Raises 55P03 when
-- another transaction keeps a key undecided for over 2 s: nothing has happened.
CREATE OR REPLACE FUNCTION take_unique_keys(
  p_project int, p_keys text[], p_untils text[], p_windows_ms bigint[], p_on_conflict text[], p_ids bigint[])
RETURNS TABLE (n int, verdict text, job_id bigint, state text)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET lock_timeout = '2s'
AS $$
#variable_conflict use_column
DECLARE
  w record;
  h record;
  v_state text;
  v_held boolean;
  v_done boolean;
BEGIN
  PERFORM require_read_committed();
  FOR w IN
    SELECT u.n::int AS n, u.key, u.until, u.on_conflict, u.id,
           CASE u.until WHEN 'window' THEN clock_timestamp() + u.window_ms * interval '1 millisecond' END AS expires_at
      FROM unnest(p_keys, p_untils, p_windows_ms, p_on_conflict, p_ids)
             WITH ORDINALITY AS u (key, until, window_ms, on_conflict, id, n)
     ORDER BY u.key, u.n
  LOOP
    LOOP
      -- Waits for whoever is inserting the same key; if that commits, it is the holder.
      INSERT INTO unique_keys (project_id, key, job_id, until, expires_at)
      VALUES (p_project, w.key, w.id, w.until, w.expires_at)
      ON CONFLICT (project_id, key) DO NOTHING;
      IF FOUND THEN
        RETURN QUERY SELECT w.n, 'taken'::text, w.id, NULL::text;
        EXIT;
      END IF;
      -- The holder, in a statement of its own, whose snapshot is newer than the wait; and again from the start if
      -- it has vanished meanwhile.
      SELECT k.job_id, k.until, k.expires_at INTO h
        FROM unique_keys k WHERE k.project_id = p_project AND k.key = w.key FOR UPDATE;
      CONTINUE WHEN NOT FOUND;
      v_state := NULL;
      v_held := true;
      IF h.job_id <> ALL (p_ids) THEN
        -- Whether it binds, in a statement after the lock: a redrive that takes a key again holds it meanwhile.
        SELECT j.state, CASE h.until WHEN 'started' THEN j.lease_token IS NULL AND j.attempt = 0 ELSE true END
          INTO v_state, v_held
          FROM jobs j WHERE j.id = h.job_id;
        v_held := CASE h.until WHEN 'window' THEN h.expires_at > clock_timestamp() ELSE coalesce(v_held, false) END;
        v_done := NOT v_held;
        IF v_held AND w.on_conflict = 'replace' THEN
          -- Never waits for the job's row: one that a claim has locked starts.
          PERFORM 1 FROM jobs j
            WHERE j.id = h.job_id AND j.lease_token IS NULL AND j.workflow_id IS NULL AND NOT j.has_dependents
              FOR UPDATE SKIP LOCKED;
          v_done := FOUND;
        END IF;
        IF v_done THEN
          UPDATE unique_keys k
             SET job_id = w.id, until = w.until, expires_at = w.expires_at
           WHERE k.project_id = p_project AND k.key = w.key;
          IF v_held THEN
            PERFORM finish_jobs(ARRAY[h.job_id], 'cancelled', 'replaced');
          END IF;
          RETURN QUERY SELECT w.n, 'taken'::text, w.id, NULL::text;
          EXIT;
        END IF;
        IF v_state IS NULL THEN
          SELECT f.state INTO v_state FROM finished_jobs f WHERE f.id = h.job_id;
        END IF;
      END IF;
      RETURN QUERY SELECT w.n, CASE w.on_conflict WHEN 'return' THEN 'duplicate' ELSE 'rejected' END, h.job_id, v_state;
      EXIT;
    END LOOP;
  END LOOP;
END
$$;

-- Takes the unique keys of ended jobs of a project again, in key order, before they are moved back; returns those
-- that another job holds meanwhile. A key taken for a job that then stays where it is binds nobody. Internal to
-- redrive_jobs.
CREATE OR REPLACE FUNCTION retake_unique_keys(p_project int, p_ids bigint[], p_states text[]) RETURNS bigint[]
LANGUAGE plpgsql VOLATILE
AS $$
#variable_conflict use_column
DECLARE
  f record;
  v_holder bigint;
  v_until text;
  v_expires timestamptz;
  v_held boolean;
  v_refused bigint[];
BEGIN
  FOR f IN
    SELECT f.id, f.unique_key AS key, f.unique_until AS until
      FROM finished_jobs f
     WHERE f.id = ANY (p_ids) AND f.project_id = p_project AND f.state = ANY (p_states) AND f.unique_key IS NOT NULL
     ORDER BY f.unique_key, f.id
  LOOP
    LOOP
      -- A window does not begin anew: it may be held by another, but is not taken.
      IF f.until <> 'window' THEN
        INSERT INTO unique_keys (project_id, key, job_id, until) VALUES (p_project, f.key, f.id, f.until)
        ON CONFLICT (project_id, key) DO NOTHING;
        EXIT WHEN FOUND;
      END IF;
      SELECT k.job_id, k.until, k.expires_at INTO v_holder, v_until, v_expires
        FROM unique_keys k WHERE k.project_id = p_project AND k.key = f.key FOR UPDATE;
      IF NOT FOUND THEN
        EXIT WHEN f.until = 'window';
        CONTINUE;
      END IF;
      EXIT WHEN v_holder = f.id;
      v_held := CASE v_until
        WHEN 'window' THEN v_expires > clock_timestamp()
        WHEN 'started' THEN EXISTS (SELECT 1 FROM jobs j
                                     WHERE j.id = v_holder AND j.lease_token IS NULL AND j.attempt = 0)
        -- Another one of this very call, or one that lives.
        ELSE v_holder = ANY (p_ids) OR EXISTS (SELECT 1 FROM jobs j WHERE j.id = v_holder) END;
      IF v_held THEN
        v_refused := v_refused || f.id;
      ELSIF f.until <> 'window' THEN
        UPDATE unique_keys k SET job_id = f.id, until = f.until, expires_at = NULL
         WHERE k.project_id = p_project AND k.key = f.key;
      END IF;
      EXIT;
    END LOOP;
  END LOOP;
  RETURN v_refused;
END
$$;

-- Asks for room for p_counts[i] more jobs in p_queues[i] of a project; returns the name of the first queue that has
-- none, or null. Queues without max_depth cost nothing beyond being looked up. The caller inserts in this
-- transaction, which keeps the queue's row until its end: enqueues into one bounded queue go one after the other,
-- and what waits never exceeds max_depth by them. (Jobs that come back from running, and those of schedules and
-- workflows, are counted but not refused.) Counting reads at most max_depth index entries; it happens when the room
-- last counted is used up, at most once a second for each queue.
CREATE OR REPLACE FUNCTION admit_jobs(p_project int, p_queues text[], p_counts int[]) RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET lock_timeout = '2s'
AS $$
#variable_conflict use_column
DECLARE
  q record;
  v_counted int;
  v_admitted int;
  v_at timestamptz;
BEGIN
  PERFORM require_read_committed();
  FOR q IN
    SELECT q.id, q.name, q.max_depth, sum(u.count)::int AS count
      FROM unnest(p_queues, p_counts) AS u (name, count)
      JOIN queues q ON q.project_id = p_project AND q.name = u.name
     WHERE q.max_depth IS NOT NULL AND q.deleted_at IS NULL
     GROUP BY q.id ORDER BY q.id
  LOOP
    SELECT r.counted, r.admitted, r.counted_at INTO v_counted, v_admitted, v_at
      FROM queue_room r WHERE r.queue_id = q.id FOR UPDATE;
    IF NOT FOUND THEN
      INSERT INTO queue_room (queue_id) VALUES (q.id) ON CONFLICT (queue_id) DO NOTHING;
      SELECT r.counted, r.admitted, r.counted_at INTO v_counted, v_admitted, v_at
        FROM queue_room r WHERE r.queue_id = q.id FOR UPDATE;
    END IF;
    IF v_counted + v_admitted + q.count > q.max_depth AND clock_timestamp() - v_at > interval '1 second'
       OR v_at = '-infinity' THEN
      -- A statement after the lock: it sees all that was admitted.
      v_counted := waiting_jobs(q.id, q.max_depth + 1);
      v_admitted := 0;
      UPDATE queue_room r SET counted = v_counted, admitted = 0, counted_at = clock_timestamp()
       WHERE r.queue_id = q.id;
    END IF;
    IF v_counted + v_admitted + q.count > q.max_depth THEN
      RETURN q.name;
    END IF;
    UPDATE queue_room r SET admitted = r.admitted + q.count WHERE r.queue_id = q.id;
  END LOOP;
  RETURN NULL;
END
$$;

-- Jobs that wait in a queue, counted up to p_most: ready, scheduled, blocked, retrying.
CREATE OR REPLACE FUNCTION waiting_jobs(p_queue int, p_most int) RETURNS int
LANGUAGE sql STABLE
AS $$
  SELECT count(*)::int FROM (
    (SELECT 1 FROM jobs j WHERE j.queue_id = p_queue AND j.state = 'ready' LIMIT p_most)
    UNION ALL
    (SELECT 1 FROM jobs j WHERE j.queue_id = p_queue AND j.state IN ('scheduled', 'blocked', 'retrying') LIMIT p_most)
    LIMIT p_most) w
$$;

-- Deletes at most p_limit keys of each kind that have had their time; returns how many. Keys left behind by jobs that
-- have ended (their end did not wait for whoever held the row) bind nobody: a stretch of p_limit rows is looked
-- through from a random place on.
CREATE OR REPLACE FUNCTION forget_keys(p_limit int) RETURNS int
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
  v_gone int := 0;
  v_some int;
  v_low bigint;
  v_high bigint;
  v_jobs bigint[];
BEGIN
  DELETE FROM idempotency_keys i
   WHERE i.ctid = ANY (ARRAY(
     SELECT e.ctid FROM idempotency_keys e WHERE e.expires_at <= statement_timestamp()
      ORDER BY e.expires_at LIMIT p_limit FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS v_some = ROW_COUNT;
  v_gone := v_gone + v_some;
  DELETE FROM unique_keys k
   WHERE k.ctid = ANY (ARRAY(
     SELECT e.ctid FROM unique_keys e WHERE e.expires_at <= statement_timestamp()
      ORDER BY e.expires_at LIMIT p_limit FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS v_some = ROW_COUNT;
  v_gone := v_gone + v_some;
  SELECT min(k.job_id), max(k.job_id) INTO v_low, v_high FROM unique_keys k;
  IF v_low IS NOT NULL THEN
    SELECT array_agg(o.job_id) INTO v_jobs
      FROM (SELECT k.job_id FROM unique_keys k
             WHERE k.job_id >= v_low + floor(random() * (v_high - v_low + 1))::bigint
             ORDER BY k.job_id LIMIT p_limit FOR UPDATE SKIP LOCKED) o;
    -- Judged in a statement after the locks: a key taken over meanwhile has a holder that the first one's snapshot
    -- did not see.
    DELETE FROM unique_keys k
     WHERE k.job_id = ANY (v_jobs) AND k.until <> 'window'
       AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = k.job_id);
    GET DIAGNOSTICS v_some = ROW_COUNT;
    v_gone := v_gone + v_some;
  END IF;
  RETURN v_gone;
END
$$;

-- Deletes a job of a project that has ended or waits, and everything that is kept of it. Returns a verdict and the
-- state it was in: deleted · running (it, or a claim in flight, holds it) · needed (it is part of a workflow, or
-- others depend on it) · gone. Logs go with their day.
CREATE OR REPLACE FUNCTION delete_job(p_project int, p_id bigint, OUT verdict text, OUT state text)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET lock_timeout = '2s'
AS $$
#variable_conflict use_column
DECLARE
  v_needed boolean;
  v_held boolean;
BEGIN
  PERFORM require_read_committed();
  -- A job moves between the tables in one statement: one that is in neither is looked for again in the next.
  FOR i IN 1 .. 3 LOOP
    SELECT j.state, j.workflow_id IS NOT NULL OR j.has_dependents, j.lease_token IS NOT NULL
      INTO state, v_needed, v_held
      FROM jobs j WHERE j.id = p_id AND j.project_id = p_project;
    IF FOUND THEN
      IF v_held OR v_needed THEN
        verdict := CASE WHEN v_held THEN 'running' ELSE 'needed' END;
        RETURN;
      END IF;
      -- Never waits: what a claim has locked starts.
      PERFORM 1 FROM jobs j
        WHERE j.id = p_id AND j.lease_token IS NULL AND NOT j.has_dependents FOR UPDATE SKIP LOCKED;
      IF FOUND THEN
        -- Who adds an edge holds the parent, as we do, but need not have been able to set has_dependents.
        IF EXISTS (SELECT 1 FROM dependencies d WHERE d.parent_id = p_id AND d.outcome IS NULL) THEN
          verdict := 'needed';
          RETURN;
        END IF;
        DELETE FROM dependencies d WHERE d.child_id = p_id;
        DELETE FROM attempts a WHERE a.job_id = p_id;
        DELETE FROM job_progress p WHERE p.job_id = p_id;
        DELETE FROM unique_keys k
         WHERE k.job_id = ANY (ARRAY(
           SELECT l.job_id FROM unique_keys l WHERE l.job_id = p_id FOR UPDATE SKIP LOCKED));
        DELETE FROM jobs j WHERE j.id = p_id;
        verdict := 'deleted';
        RETURN;
      END IF;
      verdict := 'running';
    ELSE
      SELECT f.state, f.workflow_id IS NOT NULL OR f.has_dependents INTO state, v_needed
        FROM finished_jobs f WHERE f.id = p_id AND f.project_id = p_project;
      IF FOUND THEN
        IF v_needed THEN
          verdict := 'needed';
          RETURN;
        END IF;
        PERFORM 1 FROM finished_jobs f
          WHERE f.id = p_id AND f.project_id = p_project AND NOT f.has_dependents FOR UPDATE;
        IF FOUND THEN
          -- As above; and nobody has told them of its end yet.
          IF EXISTS (SELECT 1 FROM dependencies d WHERE d.parent_id = p_id AND d.outcome IS NULL) THEN
            verdict := 'needed';
            RETURN;
          END IF;
          DELETE FROM finished_jobs f WHERE f.id = p_id;
          DELETE FROM finished_attempts a WHERE a.job_id = p_id;
          DELETE FROM dependencies d WHERE d.child_id = p_id;
          verdict := 'deleted';
          RETURN;
        END IF;
      ELSE
        verdict := 'gone';
      END IF;
    END IF;
  END LOOP;
END
$$;

-- Edits a job of a project that waits: each part where its flag says so (p_priority and p_run_at where not null;
-- p_due_now: at once instead of its time). p_versions: the row versions that the caller accepts; null: any. A new
-- priority gives the job its new place; a workflow's job keeps the instant that its plan gave it. Where the caller
-- says who changes it (jobs.audit), what it was and becomes is recorded, of a payload its hash. Returns a verdict:
-- edited, with where it waits now · state (it runs or has ended) · stale · locked (a claim has it; look again) ·
-- gate (what it waits for is its plan's) · member (a member's payload is edited with its workflow: edit_member) · gone.
CREATE OR REPLACE FUNCTION edit_job(
  p_project int, p_id bigint, p_versions text[], p_priority int, p_set_payload boolean, p_payload text,
  p_set_run_at boolean, p_run_at timestamptz, p_set_tags boolean, p_tags text[])
RETURNS TABLE (verdict text, state text, queue_id int, dispatch_lane smallint, dispatch_key bigint, run_at timestamptz)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET lock_timeout = '2s'
AS $$
#variable_conflict use_column
DECLARE
  j record;
  v_state text;
  v_now timestamptz;
  v_changes jsonb;
BEGIN
  PERFORM require_read_committed();
  -- Never waits for a claim or an assert_lease.
  SELECT w.state, w.xmin::text AS version, w.run_at, w.ready_at, w.workflow_id, w.gate,
         w.priority, w.payload, w.tags
    INTO j
    FROM jobs w WHERE w.id = p_id AND w.project_id = p_project AND w.lease_token IS NULL FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    SELECT a.state INTO v_state FROM all_jobs a WHERE a.id = p_id AND a.project_id = p_project;
    RETURN QUERY SELECT CASE WHEN v_state IS NULL THEN 'gone'
                             WHEN v_state IN ('ready', 'scheduled', 'blocked', 'retrying') THEN 'locked'
                             ELSE 'state' END, v_state, 0, 0::smallint, 0::bigint, NULL::timestamptz;
    RETURN;
  END IF;
  IF j.gate IS NOT NULL OR p_set_payload AND j.workflow_id IS NOT NULL THEN
    RETURN QUERY SELECT CASE WHEN j.gate IS NOT NULL THEN 'gate' ELSE 'member' END, j.state, 0, 0::smallint, 0::bigint,
                        NULL::timestamptz;
    RETURN;
  END IF;
  IF p_versions IS NOT NULL AND j.version <> ALL (p_versions) THEN
    RETURN QUERY SELECT 'stale'::text, j.state, 0, 0::smallint, 0::bigint, NULL::timestamptz;
    RETURN;
  END IF;
  IF p_set_run_at AND j.state NOT IN ('scheduled', 'ready') THEN
    RETURN QUERY SELECT 'state'::text, j.state, 0, 0::smallint, 0::bigint, NULL::timestamptz;
    RETURN;
  END IF;
  IF coalesce(current_setting('jobs.audit', true), '') <> '' THEN
    SELECT jsonb_object_agg(c.name, jsonb_build_object('before', c.before, 'after', c.after)) INTO v_changes
      FROM (VALUES
             ('priority', p_priority IS NOT NULL, to_jsonb(j.priority), to_jsonb(p_priority)),
             ('payload', p_set_payload, to_jsonb('sha256:' || encode(sha256(convert_to(j.payload::text, 'UTF8')), 'hex')),
                                        to_jsonb('sha256:' || encode(sha256(convert_to(p_payload, 'UTF8')), 'hex'))),
             ('runAt', p_set_run_at, to_jsonb(j.run_at), to_jsonb(p_run_at)),
             ('tags', p_set_tags, to_jsonb(j.tags), to_jsonb(p_tags))) AS c (name, given, before, after)
     WHERE c.given AND c.before IS DISTINCT FROM c.after;
    IF v_changes IS NOT NULL THEN
      PERFORM audit_write(p_project, 'job', p_id::text, v_changes, 'editJob');
    END IF;
  END IF;
  v_now := clock_timestamp();
  v_state := CASE WHEN NOT p_set_run_at THEN j.state WHEN p_run_at > v_now THEN 'scheduled' ELSE 'ready' END;
  RETURN QUERY
  UPDATE jobs w
     SET priority = coalesce(p_priority, w.priority),
         payload = CASE WHEN p_set_payload THEN p_payload::json ELSE w.payload END,
         tags = CASE WHEN p_set_tags THEN p_tags ELSE w.tags END,
         state = v_state,
         run_at = CASE WHEN p_set_run_at THEN p_run_at ELSE w.run_at END,
         ready_at = CASE WHEN v_state <> 'ready' THEN NULL WHEN j.state = 'ready' THEN w.ready_at ELSE v_now END,
         (dispatch_lane, dispatch_key) = (
           SELECT ready_lane(coalesce(p_priority, w.priority), q.ageing_ms),
                  ready_key(coalesce(planned_micros(w.workflow_id, w.id),
                                     micros(CASE WHEN v_state = 'ready' AND j.state = 'ready' THEN w.ready_at
                                                 WHEN v_state = 'scheduled' AND p_set_run_at THEN p_run_at
                                                 WHEN v_state = 'ready' THEN v_now
                                                 ELSE coalesce(w.run_at, w.created_at) END)),
                            coalesce(p_priority, w.priority), q.ageing_ms)
             FROM queues q WHERE q.id = w.queue_id)
   WHERE w.id = p_id
  RETURNING 'edited'::text, w.state, w.queue_id, w.dispatch_lane, w.dispatch_key, w.run_at;
END
$$;
