-- Cancels jobs of one project. Returns one row per job that exists there:
--   cancelled         it waited and has ended; final
--   cancel_requested  it runs: the request stands in cancel_requests until the job ends; a success that settles
--                     with a valid lease stands, any other outcome becomes cancelled. worker_id runs it: a NOTIFY
--                     jobs_control with that id makes it prompt, its beat learns of it otherwise
--   ended             it had ended before, in that state
-- Children of what was cancelled are decided here; those that became ready are found by the workers' polls.
-- May raise 40P01 or 55P03: nothing has happened, call again.
CREATE OR REPLACE FUNCTION cancel_jobs(p_project int, p_ids bigint[], p_by text, p_reason text)
RETURNS TABLE (id bigint, verdict text, state text, worker_id bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
SET lock_timeout = '2s'
AS $$
#variable_conflict use_column
DECLARE
  v_open bigint[];
  v_some bigint[];
  v_flows int[];
  v_waiting bigint[] := '{}';
  v_running bigint[] := '{}';
  v_workers bigint[] := '{}';
  v_held bigint[];
  v_parents bigint[];
  v_states text[];
  v_deadline timestamptz := clock_timestamp() + interval '2 seconds';
  v_text text := left(p_reason, 1000);
BEGIN
  PERFORM require_read_committed();
  SELECT array_agg(DISTINCT u.id) INTO v_open FROM unnest(p_ids) AS u (id) WHERE u.id IS NOT NULL;

  -- Workflow locks first, exclusive and in id order: a settle that tells one of these jobs' children meets none
  -- of our row locks, whichever comes first. Its try-lock fails meanwhile, and it tries again.
  SELECT array_agg(DISTINCT j.workflow_id) INTO v_flows
    FROM jobs j
   WHERE j.id = ANY (v_open) AND j.project_id = p_project AND j.workflow_id IS NOT NULL;
  PERFORM pg_advisory_xact_lock(2, f.flow) FROM (SELECT unnest(v_flows) AS flow ORDER BY 1) f;

  WHILE v_open IS NOT NULL LOOP
    -- Waiting jobs. SKIP LOCKED, and looked at again: what a claim in flight has locked may run in a moment, and
    -- what runs may be share-locked for long by an assert_lease.
    SELECT array_agg(l.id) INTO v_some
      FROM (SELECT j.id FROM jobs j
             WHERE j.id = ANY (v_open) AND j.project_id = p_project AND j.lease_token IS NULL
             ORDER BY j.id FOR UPDATE SKIP LOCKED) l;
    v_waiting := v_waiting || coalesce(v_some, '{}');
    -- Running ones. FOR KEY SHARE goes with an assert_lease and the claim's own lock, and holds off settle and
    -- reaper: until this commits the job does not end, so its request cannot be left behind.
    SELECT array_agg(l.id), array_agg(l.worker_id) INTO v_some, v_held
      FROM (SELECT j.id, j.worker_id FROM jobs j
             WHERE j.id = ANY (v_open) AND j.project_id = p_project AND j.lease_token IS NOT NULL
             ORDER BY j.id FOR KEY SHARE SKIP LOCKED) l;
    v_running := v_running || coalesce(v_some, '{}');
    v_workers := v_workers || coalesce(v_held, '{}');
    -- The rest by one snapshot: in jobs, so look again; or ended; or not of this project. A job is never in
    -- neither table, since one statement moves it.
    SELECT array_agg(o.id) FILTER (WHERE j.id IS NOT NULL),
           array_agg(f.id) FILTER (WHERE j.id IS NULL AND f.id IS NOT NULL),
           array_agg(f.state) FILTER (WHERE j.id IS NULL AND f.id IS NOT NULL)
      INTO v_open, v_some, v_states
      FROM unnest(v_open) AS o (id)
      LEFT JOIN jobs j ON j.id = o.id AND j.project_id = p_project
      LEFT JOIN finished_jobs f ON f.id = o.id AND f.project_id = p_project
     WHERE o.id <> ALL (v_waiting) AND o.id <> ALL (v_running);
    RETURN QUERY SELECT e.id, 'ended'::text, e.state, NULL::bigint FROM unnest(v_some, v_states) AS e (id, state);
    IF v_open IS NOT NULL THEN
      IF clock_timestamp() > v_deadline THEN
        RAISE EXCEPTION 'jobs % are locked by another', v_open USING ERRCODE = '55P03';
      END IF;
      PERFORM pg_sleep(0.002);
    END IF;
  END LOOP;

  IF v_running <> '{}' THEN
    INSERT INTO cancel_requests (job_id, worker_id, requested_by, reason)
    SELECT r.id, r.worker, left(p_by, 254), v_text FROM unnest(v_running, v_workers) AS r (id, worker)
    ON CONFLICT (job_id) DO NOTHING;
    RETURN QUERY
    SELECT r.id, 'cancel_requested'::text, 'running'::text, r.worker
      FROM unnest(v_running, v_workers) AS r (id, worker);
  END IF;

  IF v_waiting <> '{}' THEN
    SELECT array_agg(m.id) FILTER (WHERE m.has_dependents), array_agg(m.state) FILTER (WHERE m.has_dependents)
      INTO v_parents, v_states
      FROM move_to_finished(
             v_waiting, array_fill('cancelled'::text, ARRAY[cardinality(v_waiting)]),
             array_fill('cancel-requested'::text, ARRAY[cardinality(v_waiting)]), NULL,
             array_fill('cancelled'::text, ARRAY[cardinality(v_waiting)]),
             array_fill(concat_ws(': ', 'cancelled by ' || left(p_by, 254), v_text), ARRAY[cardinality(v_waiting)]),
             NULL, NULL) m;
    RETURN QUERY SELECT w.id, 'cancelled'::text, 'cancelled'::text, NULL::bigint FROM unnest(v_waiting) AS w (id);
    IF v_parents IS NOT NULL THEN
      PERFORM tell_dependents(v_parents, v_states);
    END IF;
  END IF;
END
$$;
