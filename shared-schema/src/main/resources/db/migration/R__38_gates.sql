-- Gates that somebody opens: by a signal to the workflow, or by approval. A gate is a member that no worker runs.
-- It opens (waits for its signal or decision) once its edges are met, and ends without an attempt.

-- Called by release_children, with the rows locked, for signal and approval gates whose edges are met: they are open
-- from here. An approval gate's time to expire runs from here, and a signal that has come already ends its gate at
-- once. Internal.
CREATE OR REPLACE FUNCTION gates_reached(p_gates bigint[]) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
DECLARE
  v_id bigint;
  v_payload text;
BEGIN
  UPDATE jobs j
     SET state_reason = CASE j.gate WHEN 'signal' THEN 'waiting-for-signal' ELSE 'waiting-for-approval' END,
         ready_at = clock_timestamp(),
         start_by = clock_timestamp() + gate_wait(j.payload ->> 'expiresInMs')
   WHERE j.id = ANY (p_gates) AND j.state = 'blocked' AND j.gate IN ('signal', 'approval') AND j.ready_at IS NULL;
  -- In a statement after the rows were locked: a signal is stored before its gates are looked for, under the same
  -- locks, so one of the two sees the other.
  FOR v_id, v_payload IN
    SELECT j.id, s.payload::text
      FROM jobs j
      JOIN workflow_signals s ON s.workflow_id = j.workflow_id AND s.name = j.payload ->> 'signal'
     WHERE j.id = ANY (p_gates) AND j.state = 'blocked' AND j.gate = 'signal' AND j.ready_at IS NOT NULL
     ORDER BY j.id
  LOOP
    -- Its children are told in a later transaction: no lock order spans two levels.
    INSERT INTO pending_releases (parent_id, outcome)
    SELECT m.id, m.state
      FROM move_to_finished(ARRAY[v_id], '{succeeded}', '{signalled}', ARRAY[v_payload], NULL, NULL, NULL, NULL) m
     WHERE m.has_dependents
    ON CONFLICT (parent_id) DO UPDATE SET outcome = excluded.outcome, benign = NULL;
  END LOOP;
END
$$;

-- Sends a signal to a workflow: it is kept, in place of an earlier one of that name, and ends every open gate that
-- waits for it; one that opens later takes it then. Returns stored (or absent, finished), one row ended per gate and
-- child_ready per job that became ready.
CREATE OR REPLACE FUNCTION send_signal(p_project int, p_workflow int, p_name text, p_payload text, p_by text)
RETURNS TABLE (verdict text, id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET lock_timeout = '2s'
AS $$
#variable_conflict use_column
DECLARE
  v_held text := hold_workflow(p_project, p_workflow);
  v_gates bigint[];
  v_parents bigint[];
  n int;
BEGIN
  IF v_held <> 'live' THEN
    RETURN QUERY SELECT v_held, NULL::bigint, 0, 0::smallint, 0::bigint;
    RETURN;
  END IF;
  INSERT INTO workflow_signals AS s (workflow_id, name, payload, sent_by)
  VALUES (p_workflow, p_name, p_payload::json, left(p_by, 254))
  ON CONFLICT (workflow_id, name) DO UPDATE
     SET payload = excluded.payload, sent_by = excluded.sent_by, sent_at = clock_timestamp();
  -- Gates of that name, open or not: whoever opens one holds its row and, after us, sees the signal.
  SELECT array_agg(l.id) INTO v_gates
    FROM (SELECT j.id FROM jobs j
           WHERE j.workflow_id = p_workflow AND j.state = 'blocked' AND j.gate = 'signal' AND j.payload ->> 'signal' = p_name
           ORDER BY j.id FOR UPDATE) l;
  SELECT array_agg(j.id ORDER BY j.id) INTO v_gates
    FROM jobs j WHERE j.id = ANY (v_gates) AND j.ready_at IS NOT NULL;
  RETURN QUERY SELECT 'stored'::text, NULL::bigint, 0, 0::smallint, 0::bigint;
  IF v_gates IS NOT NULL THEN
    n := cardinality(v_gates);
    SELECT array_agg(m.id) FILTER (WHERE m.has_dependents) INTO v_parents
      FROM move_to_finished(v_gates, array_fill('succeeded'::text, ARRAY[n]), array_fill('signalled'::text, ARRAY[n]),
                            array_fill(p_payload, ARRAY[n]), NULL, NULL, NULL, NULL) m;
    RETURN QUERY SELECT 'ended'::text, g.id, 0, 0::smallint, 0::bigint FROM unnest(v_gates) AS g (id);
    IF v_parents IS NOT NULL THEN
      RETURN QUERY
      SELECT 'child_ready'::text, c.id, c.queue_id, c.dispatch_lane, c.dispatch_key
        FROM tell_dependents(v_parents, array_fill('succeeded'::text, ARRAY[cardinality(v_parents)])) c;
    END IF;
  END IF;
END
$$;

-- Decides an open approval gate: approve ends it as succeeded, with who, when and why as its result; reject as
-- cancelled (rejected), and its children by their edges. Verdicts: decided, and child_ready per job that became
-- ready; absent; not-gate (no approval gate); ended; not-open (its edges are not met); expired.
CREATE OR REPLACE FUNCTION decide_approval(
  p_project int, p_workflow int, p_job bigint, p_decision text, p_by text, p_comment text)
RETURNS TABLE (verdict text, id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET lock_timeout = '2s'
AS $$
#variable_conflict use_column
DECLARE
  v_held text := hold_workflow(p_project, p_workflow);
  v_gate jobs;
  v_verdict text;
  v_state text;
  v_parents bigint[];
BEGIN
  IF v_held <> 'absent' THEN
    SELECT j.* INTO v_gate FROM jobs j WHERE j.id = p_job AND j.workflow_id = p_workflow AND j.gate = 'approval' FOR UPDATE;
    v_verdict := CASE
      WHEN v_gate.id IS NOT NULL THEN
        CASE WHEN v_gate.ready_at IS NULL THEN 'not-open'
             WHEN v_gate.start_by <= clock_timestamp() THEN 'expired'
             ELSE 'decided' END
      ELSE (SELECT CASE WHEN a.gate IS DISTINCT FROM 'approval' THEN 'not-gate' ELSE 'ended' END
              FROM all_jobs a WHERE a.id = p_job AND a.workflow_id = p_workflow) END;
  END IF;
  RETURN QUERY SELECT coalesce(v_verdict, 'absent'), p_job, 0, 0::smallint, 0::bigint;
  IF v_verdict IS DISTINCT FROM 'decided' THEN
    RETURN;
  END IF;
  INSERT INTO workflow_approvals (workflow_id, job_id, decision, decided_by, comment)
  VALUES (p_workflow, p_job, p_decision, left(p_by, 254), left(p_comment, 1000));
  v_state := CASE p_decision WHEN 'approve' THEN 'succeeded' ELSE 'cancelled' END;
  SELECT array_agg(m.id) FILTER (WHERE m.has_dependents) INTO v_parents
    FROM move_to_finished(
           ARRAY[p_job], ARRAY[v_state], ARRAY[CASE p_decision WHEN 'approve' THEN 'approved' ELSE 'rejected' END],
           CASE p_decision WHEN 'approve' THEN ARRAY[json_build_object(
             'decision', 'approve', 'by', p_by, 'comment', p_comment,
             'at', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text] END,
           CASE p_decision WHEN 'reject' THEN '{rejected}'::text[] END,
           CASE p_decision WHEN 'reject'
                THEN ARRAY[concat_ws(': ', 'rejected by ' || left(p_by, 254), left(p_comment, 1000))] END,
           NULL, NULL) m;
  IF v_parents IS NOT NULL THEN
    RETURN QUERY SELECT 'child_ready'::text, c.id, c.queue_id, c.dispatch_lane, c.dispatch_key
                   FROM tell_dependents(v_parents, ARRAY[v_state]) c;
  END IF;
END
$$;
