-- Claim, lease and settle: the one implementation, called by workers and by whatever leases later.
--
-- All run as the owner (SECURITY DEFINER) with a pinned search_path, so a service needs EXECUTE on
-- what it may do and no right on the rows. They are VOLATILE: under READ COMMITTED each statement
-- inside has a snapshot of its own, which the protocols below depend on; another isolation level is
-- refused. Sequential scans are switched off inside: no statement here is meant to read a whole
-- table, whatever the statistics were when its plan was made.
--
-- Advisory locks, two-key space (io.jobscheduler.schema.names.AdvisoryLocks):
--   1 queue id · 2 workflow id · 3 claim gate · 4 leadership · 5 migration

-- ---------------------------------------------------------------- small ones

-- Microseconds since the epoch: the unit of dispatch_key.
CREATE OR REPLACE FUNCTION micros(p_at timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT (extract(epoch FROM p_at) * 1000000)::bigint
$$;

CREATE OR REPLACE FUNCTION require_read_committed() RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'claim and settle need READ COMMITTED, not %', current_setting('transaction_isolation')
      USING ERRCODE = '25000';
  END IF;
END
$$;

-- The day by which retention is reckoned. In UTC, whatever a session's time zone: a day of the writer's
-- own would need other partitions than those that the leader made.
CREATE OR REPLACE FUNCTION retention_today() RETURNS date
LANGUAGE sql STABLE AS $$
  SELECT (now() AT TIME ZONE 'UTC')::date
$$;

-- The day on which a job's retention ends, rounded up to a day that has a partition: days up to 30
-- ahead, Sundays up to 180, the last day of a month beyond; null days: never.
CREATE OR REPLACE FUNCTION retention_bound(p_from date, p_days int) RETURNS date
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN p_days IS NULL THEN 'infinity'::date
    WHEN p_days <= 30 THEN p_from + p_days
    WHEN p_days <= 180 THEN p_from + p_days + ((7 - extract(isodow FROM p_from + p_days)::int) % 7)
    ELSE (date_trunc('month', (p_from + p_days)::timestamp) + interval '1 month - 1 day')::date
  END
$$;

-- Delay before the next attempt, given the number of the attempt that failed (1 = first).
-- Policy: {strategy, baseSeconds, factor, capSeconds, delaySeconds: [], jitter: full|none}; null is
-- exponential, base 10 s, factor 2, cap 1 h, full jitter. Capped before exponentiation: no overflow.
-- A policy that cannot be reckoned counts as null, and no delay is longer than a year: one row that raised here
-- would keep each settle and rescue that it is part of from ending anything.
CREATE OR REPLACE FUNCTION retry_delay(p_policy json, p_attempt int) RETURNS interval
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_strategy text;
  v_base double precision;
  v_factor double precision;
  v_cap double precision;
  v_seconds double precision;
  v_length int;
BEGIN
  v_strategy := coalesce(p_policy ->> 'strategy', 'exponential');
  v_base := greatest(coalesce((p_policy ->> 'baseSeconds')::double precision, 10), 0);
  v_factor := greatest(coalesce((p_policy ->> 'factor')::double precision, 2), 1);
  v_cap := greatest(coalesce((p_policy ->> 'capSeconds')::double precision, 3600), 0);
  IF v_strategy = 'exponential' THEN
    IF v_base = 0 THEN
      v_seconds := 0;
    ELSIF v_base >= v_cap OR (p_attempt - 1) * ln(v_factor) >= ln(v_cap / v_base) THEN
      v_seconds := v_cap;
    ELSE
      v_seconds := v_base * power(v_factor, p_attempt - 1);
    END IF;
  ELSIF v_strategy = 'linear' THEN
    v_seconds := least(v_base * p_attempt, v_cap);
  ELSIF v_strategy = 'list' AND json_typeof(p_policy -> 'delaySeconds') = 'array' THEN
    v_length := json_array_length(p_policy -> 'delaySeconds');
    v_seconds := coalesce((p_policy -> 'delaySeconds' ->> least(p_attempt, v_length) - 1)::double precision, v_base);
  ELSE
    v_seconds := least(v_base, v_cap);
  END IF;
  IF coalesce(p_policy ->> 'jitter', CASE v_strategy WHEN 'exponential' THEN 'full' ELSE 'none' END) = 'full' THEN
    v_seconds := v_seconds * random();
  END IF;
  -- NaN sorts above every number, so least ends it too.
  RETURN make_interval(secs => least(greatest(v_seconds, 0), 31536000));
EXCEPTION WHEN OTHERS THEN
  RETURN retry_delay(NULL, p_attempt);
END
$$;

-- ---------------------------------------------------------------- claim

DROP FUNCTION IF EXISTS claim(bigint, bigint, int[], int[], bigint[], bigint[]);
-- Claims up to p_wanted[i] jobs of queue p_queues[i] for a worker: in lane order 9 to 0 and, in each
-- lane, from the remembered head (p_head_keys[i][lane], p_head_ids[i][lane]), columns 1 to 10 standing
-- for lanes 9 to 0. A head key of 9223372036854775807 leaves the lane out. An attempt is counted here.
CREATE FUNCTION claim(
  p_worker bigint, p_claim_number bigint,
  p_queues int[], p_wanted int[], p_head_keys bigint[], p_head_ids bigint[])
RETURNS TABLE (
  id bigint, lease_token bigint, dispatch_key bigint, dispatch_lane smallint, queue_id int, project_id int,
  workflow_id int, attempt int, max_attempts int, priority smallint, type text, payload text,
  created_at timestamptz, ready_at timestamptz, started_at timestamptz)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_bitmapscan = off
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  v_locked int[];
BEGIN
  PERFORM require_read_committed();
  -- Statement 1. The gate, shared: who gives a queue its first limit holds it exclusively, so that no
  -- claim which still sees the queue unlimited is in flight. Then the limited queues, by try-lock: a
  -- queue not obtained waits for the next round, and nobody waits for anybody.
  IF NOT pg_try_advisory_xact_lock_shared(3, 0) THEN
    RETURN;
  END IF;
  SELECT array_agg(l.id) INTO v_locked
    FROM (SELECT q.id FROM queues q
           WHERE q.id = ANY (p_queues) AND q.max_concurrency IS NOT NULL
           ORDER BY q.id) l
   WHERE pg_try_advisory_xact_lock(1, l.id);

  -- Statement 2, with a snapshot newer than the locks: limits, count and claim.
  RETURN QUERY
  WITH wanted AS MATERIALIZED (
    SELECT w.queue_id, w.n AS i,
           CASE WHEN q.max_concurrency IS NULL THEN w.wanted
                ELSE least(w.wanted, q.max_concurrency - (
                  SELECT count(*) FROM jobs r WHERE r.queue_id = q.id AND r.state = 'running'))
           END AS take
      FROM unnest(p_queues, p_wanted) WITH ORDINALITY AS w (queue_id, wanted, n)
      JOIN queues q ON q.id = w.queue_id
     WHERE q.paused_at IS NULL
       -- A limited queue named twice would get its room twice.
       AND (q.max_concurrency IS NULL
            OR (q.id = ANY (v_locked) AND array_position(p_queues, w.queue_id) = w.n))
  ), picked AS MATERIALIZED (
    -- One range scan of jobs_ready per lane, pulled row by row: the inner LIMIT bounds a lane, the
    -- outer one the queue, and no row beyond it is locked. OF j: an edge is read, never locked, so
    -- two jobs with a parent in common do not block each other's claims.
    SELECT p.id
      FROM wanted w
     CROSS JOIN LATERAL (
       SELECT l.id
         FROM unnest(p_head_keys[w.i:w.i], p_head_ids[w.i:w.i]) WITH ORDINALITY AS h (key, job_id, n)
        CROSS JOIN LATERAL (
          SELECT j.id
            FROM jobs j
           WHERE j.queue_id = w.queue_id
             AND j.dispatch_lane = (10 - h.n)::smallint
             AND j.state = 'ready'
             AND (j.dispatch_key, j.id) >= (h.key, h.job_id)
             AND (NOT j.has_dependencies OR NOT EXISTS (
                   SELECT 1 FROM dependencies d WHERE d.child_id = j.id AND NOT d.met))
           ORDER BY j.dispatch_key, j.id
           LIMIT greatest(w.take, 0)
             FOR UPDATE OF j SKIP LOCKED) l
        WHERE h.key < 9223372036854775807
        LIMIT greatest(w.take, 0)) p
  )
  UPDATE jobs j
     SET state = 'running',
         lease_token = nextval('lease_token_seq'),
         worker_id = p_worker,
         claim_number = p_claim_number,
         attempt = j.attempt + 1,
         started_at = clock_timestamp(),
         state_reason = NULL
   -- The picked ids as one array: an IN-subquery could be planned as a loop that runs the pick again
   -- and exceeds LIMIT (PostgreSQL bug #15715).
   WHERE j.id = ANY (ARRAY(SELECT picked.id FROM picked))
  RETURNING j.id, j.lease_token, j.dispatch_key, j.dispatch_lane, j.queue_id, j.project_id,
            j.workflow_id, j.attempt, j.max_attempts, j.priority, j.type, j.payload::text,
            j.created_at, j.ready_at, j.started_at;
END
$$;

-- Where work waits: per queue and lane the first ready row at or after the head given (as for claim).
-- Nothing is locked and no limit is looked at; one index probe per lane.
CREATE OR REPLACE FUNCTION first_ready(p_queues int[], p_head_keys bigint[], p_head_ids bigint[])
RETURNS TABLE (queue_id int, dispatch_lane smallint, dispatch_key bigint, job_id bigint)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET enable_bitmapscan = off
SET jit = off
AS $$
  SELECT w.queue_id, (10 - h.n)::smallint, f.dispatch_key, f.id
    FROM unnest(p_queues) WITH ORDINALITY AS w (queue_id, n)
   CROSS JOIN LATERAL unnest(p_head_keys[w.n:w.n], p_head_ids[w.n:w.n]) WITH ORDINALITY AS h (key, job_id, n)
   CROSS JOIN LATERAL (
     SELECT j.dispatch_key, j.id
       FROM jobs j
      WHERE j.queue_id = w.queue_id
        AND j.dispatch_lane = (10 - h.n)::smallint
        AND j.state = 'ready'
        AND (j.dispatch_key, j.id) >= (h.key, h.job_id)
      ORDER BY j.dispatch_key, j.id
      LIMIT 1) f
   WHERE h.key < 9223372036854775807
$$;

-- What a worker holds by the record: compared with its memory after an error and every few seconds.
CREATE OR REPLACE FUNCTION held_by(p_worker bigint)
RETURNS TABLE (id bigint, lease_token bigint, claim_number bigint, workflow_id int)
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
AS $$
  SELECT j.id, j.lease_token, j.claim_number, j.workflow_id
    FROM jobs j
   WHERE j.state = 'running'
     AND j.queue_id = ANY (ARRAY(SELECT q.id FROM queues q))
     AND j.worker_id = p_worker
$$;

-- Inside the caller's own transaction: holds the lease row FOR SHARE until that transaction ends, so
-- the lease cannot end before it. Raises JS001 when the lease is not (or no longer) held.
CREATE OR REPLACE FUNCTION assert_lease(p_job_id bigint, p_lease_token bigint) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
BEGIN
  PERFORM 1 FROM jobs j
    WHERE j.id = p_job_id AND j.lease_token = p_lease_token FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'lease % of job % is lost', p_lease_token, p_job_id USING ERRCODE = 'JS001';
  END IF;
END
$$;

-- ---------------------------------------------------------------- release of dependents

-- Decides children whose edges changed: ready (or scheduled) when none is unmet; skipped when one can
-- no longer be met and the workflow's policy is cancel. Returns those that became ready.
-- Internal: the caller has written the edges.
CREATE OR REPLACE FUNCTION release_children(p_children bigint[])
RETURNS TABLE (id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint, project_id int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_locked bigint[];
  v_doomed bigint[];
BEGIN
  -- Children in id order, waiting: two parents that end together meet here, and the second one's next
  -- statement sees what the first has committed.
  SELECT array_agg(l.id) INTO v_locked
    FROM (SELECT j.id FROM jobs j
           WHERE j.id = ANY (p_children) AND j.state = 'blocked'
           ORDER BY j.id FOR UPDATE) l;
  IF v_locked IS NULL THEN
    RETURN;
  END IF;

  SELECT array_agg(j.id) INTO v_doomed
    FROM jobs j
   WHERE j.id = ANY (v_locked)
     AND EXISTS (SELECT 1 FROM dependencies d
                  WHERE d.child_id = j.id AND d.outcome IS NOT NULL AND NOT d.met)
     AND coalesce((SELECT w.on_failure FROM workflows w WHERE w.id = j.workflow_id), 'cancel') = 'cancel';
  IF v_doomed IS NOT NULL THEN
    WITH gone AS (
      DELETE FROM jobs j WHERE j.id = ANY (v_doomed)
      RETURNING j.id, j.workflow_id, j.created_at, j.run_at, j.ready_at, j.project_id, j.queue_id, j.attempt,
                j.max_attempts, j.attempt_rows, j.returned, j.priority, j.has_dependencies, j.has_dependents,
                j.type, j.workflow_key, j.payload, j.retry_policy
    ), kept AS (
      INSERT INTO finished_jobs (id, workflow_id, created_at, run_at, ready_at, finished_at, retain_until,
          project_id, queue_id, attempt, max_attempts, attempt_rows, returned, priority, has_dependencies,
          has_dependents, state, type, state_reason, workflow_key, payload, retry_policy)
      SELECT g.id, g.workflow_id, g.created_at, g.run_at, g.ready_at, clock_timestamp(),
             retention_bound(retention_today(), q.retain_finished_days), g.project_id, g.queue_id, g.attempt,
             g.max_attempts, g.attempt_rows, g.returned, g.priority, g.has_dependencies, g.has_dependents,
             'skipped', g.type, 'dependency-failed', g.workflow_key, g.payload, g.retry_policy
        FROM gone g
        JOIN queues q ON q.id = g.queue_id
    )
    -- Their own children are told in a later transaction, so that no lock order spans two levels.
    INSERT INTO pending_releases (parent_id, outcome)
    SELECT g.id, 'skipped' FROM gone g WHERE g.has_dependents
    ON CONFLICT DO NOTHING;
  END IF;

  RETURN QUERY
  UPDATE jobs j
     SET state = CASE WHEN j.run_at > clock_timestamp() THEN 'scheduled' ELSE 'ready' END,
         ready_at = CASE WHEN j.run_at > clock_timestamp() THEN NULL ELSE clock_timestamp() END,
         dispatch_key = CASE WHEN j.workflow_id IS NULL THEN micros(clock_timestamp()) ELSE j.dispatch_key END,
         state_reason = NULL
   WHERE j.id = ANY (v_locked)
     AND j.state = 'blocked'
     AND NOT EXISTS (SELECT 1 FROM dependencies d WHERE d.child_id = j.id AND NOT d.met)
  RETURNING j.id, j.queue_id, j.dispatch_lane, j.dispatch_key, j.project_id;
END
$$;

DROP FUNCTION IF EXISTS release_pending(int);
-- Tells the children of ended parents that still wait to be told, about p_limit edges a call. Returns the
-- jobs that became ready (kind child_ready) and, unless there was nothing to do, a last row of kind more.
CREATE FUNCTION release_pending(p_limit int)
RETURNS TABLE (
  kind text, id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint, project_id int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_parents bigint[];
  v_outcomes text[];
  v_children bigint[];
BEGIN
  PERFORM require_read_committed();
  SELECT array_agg(l.parent_id), array_agg(l.outcome) INTO v_parents, v_outcomes
    FROM (SELECT p.parent_id, p.outcome FROM pending_releases p
           ORDER BY p.parent_id LIMIT 100 FOR UPDATE SKIP LOCKED) l;
  IF v_parents IS NOT NULL THEN
    WITH untold AS MATERIALIZED (
      SELECT d.child_id, d.parent_id FROM dependencies d
       WHERE d.parent_id = ANY (v_parents) AND d.outcome IS NULL
       ORDER BY d.parent_id, d.child_id LIMIT p_limit
    ), told AS (
      UPDATE dependencies d
         SET outcome = v_outcomes[array_position(v_parents, d.parent_id)]
       WHERE d.child_id = ANY (ARRAY(SELECT untold.child_id FROM untold))
         AND d.parent_id = ANY (v_parents) AND d.outcome IS NULL
      RETURNING d.child_id
    )
    SELECT array_agg(DISTINCT told.child_id) INTO v_children FROM told;
    RETURN QUERY SELECT 'child_ready'::text, c.id, c.queue_id, c.dispatch_lane, c.dispatch_key, c.project_id
                   FROM release_children(v_children) c;
    DELETE FROM pending_releases p
     WHERE p.parent_id = ANY (v_parents)
       AND NOT EXISTS (SELECT 1 FROM dependencies d WHERE d.parent_id = p.parent_id AND d.outcome IS NULL);
    RETURN QUERY SELECT 'more'::text, NULL::bigint, NULL::int, NULL::smallint, NULL::bigint, NULL::int;
  END IF;
END
$$;

-- ---------------------------------------------------------------- settle

DROP FUNCTION IF EXISTS end_attempts(bigint, bigint[], bigint[], int[], text[], text[], text[], text[], text[], interval[]);
-- Ends attempts by the lease tokens that they hold. Arrays are parallel, one element per job:
--   p_outcomes  succeeded · failed (retried after p_delays or the job's policy, dead when it was the last
--               attempt) · dead · cancelled · released (given back unstarted: the attempt does not count) ·
--               lost, returned (the reaper's: the worker died with it; returned = it had not started it)
--   p_workflows the job's workflow, or null
-- p_worker restricts to one worker's leases; null is the reaper's.
-- Returns per job a verdict: settled (also when this very settle had been done before and its reply was
-- lost) · lease_lost · busy (locked by another or its workflow is being operated on: try again), with the
-- state that followed; and per child that became ready a row with verdict child_ready.
CREATE FUNCTION end_attempts(
  p_worker bigint, p_ids bigint[], p_tokens bigint[], p_workflows int[], p_outcomes text[],
  p_results text[], p_error_kinds text[], p_error_messages text[], p_error_stacks text[], p_delays interval[])
RETURNS TABLE (
  id bigint, verdict text, state text, run_at timestamptz, queue_id int, dispatch_lane smallint,
  dispatch_key bigint, project_id int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_flows int[];
  v_locked bigint[];
  v_ended bigint[];
  v_back bigint[];
  v_rows bigint[];
  v_rows_until date[];
  v_parents bigint[];
  v_parent_states text[];
  v_children bigint[];
BEGIN
  PERFORM require_read_committed();
  IF cardinality(p_tokens) <> (SELECT count(DISTINCT u.token) FROM unnest(p_tokens) AS u (token)) THEN
    RAISE EXCEPTION 'a lease is named twice' USING ERRCODE = '22023';
  END IF;
  -- Workflow locks first, shared, by try-lock in id order; row locks after.
  SELECT array_agg(l.flow) INTO v_flows
    FROM (SELECT DISTINCT u.flow FROM unnest(p_workflows) AS u (flow) WHERE u.flow IS NOT NULL ORDER BY u.flow) l
   WHERE pg_try_advisory_xact_lock_shared(2, l.flow);

  -- SKIP LOCKED: an assert_lease in a user's long transaction must not hold up the other rows.
  -- A batch may name two leases of one job (the first one's reply was lost, and it was claimed again): from here
  -- on each outcome is found by id and token, never by id alone.
  SELECT array_agg(l.token),
         array_agg(l.id) FILTER (WHERE l.ends),
         array_agg(l.id) FILTER (WHERE NOT l.ends)
    INTO v_locked, v_ended, v_back
    FROM (
      SELECT j.id, s.token,
             s.outcome IN ('succeeded', 'dead', 'cancelled')
               OR (s.outcome IN ('failed', 'lost') AND j.attempt >= j.max_attempts) AS ends
        FROM (
          SELECT j.id, j.lease_token, j.attempt, j.max_attempts
            FROM jobs j
           -- A token means running (constraint jobs_lease). The state is not named, lest the planner take the
           -- partial index jobs_running, which was empty when it looked, and read every lease and dead entry.
           WHERE j.id = ANY (p_ids)
             AND j.lease_token = ANY (p_tokens)
             AND (p_worker IS NULL OR j.worker_id = p_worker)
             AND (j.workflow_id IS NULL OR j.workflow_id = ANY (v_flows))
           ORDER BY j.id
             FOR UPDATE SKIP LOCKED) j
        JOIN unnest(p_ids, p_tokens, p_outcomes) AS s (id, token, outcome)
          ON s.id = j.id AND s.token = j.lease_token) l;

  IF v_ended IS NOT NULL THEN
    -- One statement takes the row from here and appends it there.
    WITH gone AS (
      DELETE FROM jobs j WHERE j.id = ANY (v_ended)
      RETURNING j.id, j.lease_token, j.worker_id, j.workflow_id, j.created_at, j.run_at, j.ready_at, j.started_at,
                j.project_id, j.queue_id, j.attempt, j.max_attempts, j.attempt_rows, j.returned, j.priority,
                j.has_dependencies, j.has_dependents, j.type, j.workflow_key, j.payload, j.retry_policy
    ), kept AS (
    INSERT INTO finished_jobs (id, lease_token, worker_id, workflow_id, created_at, run_at, ready_at, started_at,
        finished_at, retain_until, project_id, queue_id, attempt, max_attempts, attempt_rows, returned, priority,
        has_dependencies, has_dependents, state, type, workflow_key, payload, retry_policy, result, error_kind,
        error_message, error_stack)
    SELECT g.id, g.lease_token, g.worker_id, g.workflow_id, g.created_at, g.run_at, g.ready_at, g.started_at,
           clock_timestamp(),
           retention_bound(retention_today(),
             CASE WHEN s.outcome IN ('succeeded', 'cancelled') THEN q.retain_finished_days ELSE q.retain_dead_days END),
           g.project_id, g.queue_id, g.attempt, g.max_attempts, g.attempt_rows, g.returned, g.priority,
           g.has_dependencies, g.has_dependents,
           CASE WHEN s.outcome IN ('succeeded', 'cancelled') THEN s.outcome ELSE 'dead' END,
           g.type, g.workflow_key, g.payload, g.retry_policy, s.result::json, s.kind, s.message, s.stack
      FROM gone g
      JOIN unnest(p_ids, p_tokens, p_outcomes, p_results, p_error_kinds, p_error_messages, p_error_stacks)
             AS s (id, token, outcome, result, kind, message, stack) ON s.id = g.id AND s.token = g.lease_token
      JOIN queues q ON q.id = g.queue_id
      RETURNING id, state, retain_until, attempt_rows, has_dependents
    )
    SELECT array_agg(k.id) FILTER (WHERE k.attempt_rows > 0),
           array_agg(k.retain_until) FILTER (WHERE k.attempt_rows > 0),
           array_agg(k.id) FILTER (WHERE k.has_dependents),
           array_agg(k.state) FILTER (WHERE k.has_dependents)
      INTO v_rows, v_rows_until, v_parents, v_parent_states
      FROM kept k;

    IF v_rows IS NOT NULL THEN
      WITH gone AS (
        DELETE FROM attempts a WHERE a.job_id = ANY (v_rows)
        RETURNING a.job_id, a.lease_token, a.worker_id, a.started_at, a.ended_at, a.attempt, a.outcome,
                  a.error_kind, a.error_message, a.error_stack
      )
      INSERT INTO finished_attempts (job_id, lease_token, worker_id, started_at, ended_at, retain_until, attempt,
          outcome, error_kind, error_message, error_stack)
      SELECT g.job_id, g.lease_token, g.worker_id, g.started_at, g.ended_at,
             v_rows_until[array_position(v_rows, g.job_id)], g.attempt,
             g.outcome, g.error_kind, g.error_message, g.error_stack
        FROM gone g;
    END IF;
  END IF;

  IF v_back IS NOT NULL THEN
    -- Attempts that count and did not end the job get their row; a released one leaves no trace.
    INSERT INTO attempts (job_id, lease_token, worker_id, started_at, attempt, outcome, error_kind, error_message,
        error_stack)
    SELECT j.id, j.lease_token, j.worker_id, j.started_at, j.attempt,
           CASE s.outcome WHEN 'returned' THEN 'released' ELSE s.outcome END, s.kind, s.message, s.stack
      FROM jobs j
      JOIN unnest(p_ids, p_tokens, p_outcomes, p_error_kinds, p_error_messages, p_error_stacks)
             AS s (id, token, outcome, kind, message, stack) ON s.id = j.id AND s.token = j.lease_token
     WHERE j.id = ANY (v_back) AND s.outcome <> 'released';

    UPDATE jobs j
       SET state = CASE WHEN b.delay IS NULL THEN 'ready' ELSE 'retrying' END,
           state_reason = CASE b.outcome WHEN 'failed' THEN 'failed'
                                         WHEN 'lost' THEN 'worker-lost' END,
           attempt = j.attempt - CASE WHEN b.outcome IN ('released', 'returned') THEN 1 ELSE 0 END,
           attempt_rows = j.attempt_rows + CASE WHEN b.outcome = 'released' THEN 0 ELSE 1 END,
           returned = j.returned + CASE WHEN b.outcome = 'returned' THEN 1 ELSE 0 END,
           run_at = CASE WHEN b.delay IS NULL THEN j.run_at ELSE clock_timestamp() + b.delay END,
           -- A job given back keeps its place; a lost one too.
           ready_at = CASE WHEN b.delay IS NULL THEN clock_timestamp() END,
           lease_token = NULL, worker_id = NULL, claim_number = NULL, started_at = NULL
      FROM (
        SELECT j.id, s.outcome,
               CASE s.outcome
                 WHEN 'failed' THEN least(coalesce(s.delay, retry_delay(j.retry_policy, j.attempt)), interval '365 days')
                 -- The first loss of a job goes back without backoff; a job that kills its workers waits.
                 WHEN 'lost' THEN CASE WHEN (SELECT count(*) FROM attempts a
                                              WHERE a.job_id = j.id AND a.outcome = 'lost') > 1
                                       THEN retry_delay(j.retry_policy, j.attempt) END
               END AS delay
          FROM jobs j
          JOIN unnest(p_ids, p_tokens, p_outcomes, p_delays) AS s (id, token, outcome, delay)
            ON s.id = j.id AND s.token = j.lease_token
         WHERE j.id = ANY (v_back)) b
     WHERE j.id = ANY (v_back) AND j.id = b.id;
  END IF;

  -- Dependents: the edges keep the outcome; wide fans go out in batches after this commit.
  IF v_parents IS NOT NULL THEN
    IF (SELECT count(*) FROM (SELECT 1 FROM dependencies d WHERE d.parent_id = ANY (v_parents) LIMIT 501) f) > 500 THEN
      INSERT INTO pending_releases (parent_id, outcome)
      SELECT p.id, p.state FROM unnest(v_parents, v_parent_states) AS p (id, state)
      ON CONFLICT DO NOTHING;
    ELSE
      WITH told AS (
        UPDATE dependencies d
           SET outcome = v_parent_states[array_position(v_parents, d.parent_id)]
         WHERE d.parent_id = ANY (v_parents) AND d.outcome IS NULL
        RETURNING d.child_id
      )
      SELECT array_agg(DISTINCT told.child_id) INTO v_children FROM told;
      IF v_children IS NOT NULL THEN
        RETURN QUERY SELECT c.id, 'child_ready'::text, 'ready'::text, NULL::timestamptz, c.queue_id, c.dispatch_lane,
                            c.dispatch_key, c.project_id
                       FROM release_children(v_children) c;
      END IF;
    END IF;
  END IF;

  IF v_ended IS NOT NULL THEN
    RETURN QUERY
    SELECT e.id, 'settled'::text,
           CASE WHEN s.outcome IN ('succeeded', 'cancelled') THEN s.outcome ELSE 'dead' END,
           NULL::timestamptz, 0, 0::smallint, 0::bigint, 0
      FROM unnest(v_ended) AS e (id)
      JOIN unnest(p_ids, p_tokens, p_outcomes) AS s (id, token, outcome)
        ON s.id = e.id AND s.token = ANY (v_locked);
  END IF;
  IF v_back IS NOT NULL THEN
    RETURN QUERY
    SELECT j.id, 'settled'::text, j.state, j.run_at, j.queue_id, j.dispatch_lane, j.dispatch_key, j.project_id
      FROM jobs j WHERE j.id = ANY (v_back);
  END IF;

  -- What was not obtained: done before by this very settle, busy, or lost.
  IF coalesce(cardinality(v_locked), 0) < cardinality(p_ids) THEN
    RETURN QUERY
    SELECT s.id,
           CASE
             WHEN EXISTS (
               SELECT 1 FROM finished_jobs f
                WHERE f.id = s.id AND f.lease_token = s.token AND f.worker_id = p_worker
                  AND f.error_kind IS DISTINCT FROM 'worker-lost'
                  AND f.state = CASE WHEN s.outcome = 'failed' THEN 'dead' ELSE s.outcome END)
               OR EXISTS (
               SELECT 1 FROM attempts a
                WHERE a.job_id = s.id AND a.lease_token = s.token AND a.worker_id = p_worker
                  AND a.outcome = s.outcome)
               OR EXISTS (
               SELECT 1 FROM finished_attempts a
                WHERE a.job_id = s.id AND a.lease_token = s.token AND a.worker_id = p_worker
                  AND a.outcome = s.outcome) THEN 'settled'
             WHEN EXISTS (
               SELECT 1 FROM jobs j
                WHERE j.id = s.id AND j.lease_token = s.token
                  AND (p_worker IS NULL OR j.worker_id = p_worker)) THEN 'busy'
             ELSE 'lease_lost'
           END,
           w.state, w.run_at, coalesce(w.queue_id, 0), coalesce(w.dispatch_lane, 0::smallint),
           coalesce(w.dispatch_key, 0), coalesce(w.project_id, 0)
      FROM unnest(p_ids, p_tokens, p_outcomes) AS s (id, token, outcome)
      -- A retry that waits is told again, so that whoever lost the first reply promotes it in time.
      LEFT JOIN jobs w ON w.id = s.id AND w.state = 'retrying'
     WHERE s.token <> ALL (coalesce(v_locked, '{}'));
  END IF;
END
$$;

DROP FUNCTION IF EXISTS settle(bigint, bigint[], bigint[], int[], text[], text[], text[], text[], text[], interval[]);
-- A worker's (or lease holder's) door to end_attempts: its own leases, and only outcomes that are its own.
CREATE FUNCTION settle(
  p_worker bigint, p_ids bigint[], p_tokens bigint[], p_workflows int[], p_outcomes text[],
  p_results text[], p_error_kinds text[], p_error_messages text[], p_error_stacks text[], p_delays interval[])
RETURNS TABLE (
  id bigint, verdict text, state text, run_at timestamptz, queue_id int, dispatch_lane smallint,
  dispatch_key bigint, project_id int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
BEGIN
  IF p_worker IS NULL THEN
    RAISE EXCEPTION 'settle needs the holder of the leases' USING ERRCODE = '22004';
  END IF;
  IF NOT p_outcomes <@ ARRAY['succeeded', 'failed', 'dead', 'cancelled', 'released'] THEN
    RAISE EXCEPTION 'unknown outcome in %', p_outcomes USING ERRCODE = '22023';
  END IF;
  RETURN QUERY SELECT * FROM end_attempts(p_worker, p_ids, p_tokens, p_workflows, p_outcomes,
    p_results, p_error_kinds, p_error_messages, p_error_stacks, p_delays);
END
$$;

-- ---------------------------------------------------------------- promotion

-- Due jobs become ready, oldest first, at most p_limit. Idempotent; many may call it at once.
CREATE OR REPLACE FUNCTION promote_due(p_limit int)
RETURNS TABLE (id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint, project_id int)
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
  WITH picked AS MATERIALIZED (
    SELECT j.id FROM jobs j
     -- Not clock_timestamp(): volatile, it could not bound the index scan, which would read on through every
     -- job that is not yet due.
     WHERE j.state IN ('scheduled', 'retrying') AND j.run_at <= statement_timestamp()
     ORDER BY j.run_at, j.id LIMIT p_limit
       FOR UPDATE OF j SKIP LOCKED
  )
  UPDATE jobs j
     SET state = 'ready', ready_at = clock_timestamp(), state_reason = NULL,
         dispatch_key = CASE WHEN j.workflow_id IS NULL THEN micros(clock_timestamp()) ELSE j.dispatch_key END
   WHERE j.id = ANY (ARRAY(SELECT picked.id FROM picked))
  RETURNING j.id, j.queue_id, j.dispatch_lane, j.dispatch_key, j.project_id
$$;

-- What is due within p_ahead: the database's clock and the distinct instants, in microseconds since the
-- epoch and ascending, of the first p_limit such jobs; seen says how many jobs that were.
CREATE OR REPLACE FUNCTION due_ahead(p_ahead interval, p_limit int)
RETURNS TABLE (now_micros bigint, due_micros bigint[], seen int)
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
  SELECT micros(clock_timestamp()), coalesce(array_agg(DISTINCT micros(d.run_at)), '{}'), count(*)::int
    FROM (SELECT j.run_at FROM jobs j
           WHERE j.state IN ('scheduled', 'retrying') AND j.run_at <= statement_timestamp() + p_ahead
           ORDER BY j.run_at, j.id LIMIT p_limit) d
$$;

-- The same for jobs known by id: a worker's own retries, so that they go on without a leader.
CREATE OR REPLACE FUNCTION promote_jobs(p_ids bigint[])
RETURNS TABLE (id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint, project_id int)
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
  WITH picked AS MATERIALIZED (
    SELECT j.id FROM jobs j
     -- By primary key only: the states are spelled so that the partial index jobs_due does not match.
     WHERE j.id = ANY (p_ids) AND ARRAY['scheduled', 'retrying'] @> ARRAY[j.state] AND j.run_at <= clock_timestamp()
     ORDER BY j.id
       FOR UPDATE OF j SKIP LOCKED
  )
  UPDATE jobs j
     SET state = 'ready', ready_at = clock_timestamp(), state_reason = NULL,
         dispatch_key = CASE WHEN j.workflow_id IS NULL THEN micros(clock_timestamp()) ELSE j.dispatch_key END
   WHERE j.id = ANY (ARRAY(SELECT picked.id FROM picked))
  RETURNING j.id, j.queue_id, j.dispatch_lane, j.dispatch_key, j.project_id
$$;

-- ---------------------------------------------------------------- workers and their loss

CREATE OR REPLACE FUNCTION register_worker(
  p_worker bigint, p_host text, p_pid bigint, p_version text, p_queues text[], p_slots int) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
  INSERT INTO workers (id, host, pid, version, queues, slots)
  VALUES (p_worker, p_host, p_pid, p_version, p_queues, p_slots)
$$;

-- One beat. False: this incarnation is lost or stopped, for good.
CREATE OR REPLACE FUNCTION beat(p_worker bigint, p_running int, p_draining boolean, p_unstarted bigint[])
RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
BEGIN
  UPDATE workers w
     SET beat_at = clock_timestamp(), running = p_running, draining = p_draining, unstarted = p_unstarted
   WHERE w.id = p_worker AND w.lost_at IS NULL AND w.stopped_at IS NULL;
  RETURN FOUND;
END
$$;

CREATE OR REPLACE FUNCTION stop_worker(p_worker bigint) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
  UPDATE workers w SET stopped_at = clock_timestamp(), running = 0, unstarted = '{}'
   WHERE w.id = p_worker AND w.lost_at IS NULL AND w.stopped_at IS NULL
$$;

-- Writes the loss, which is sticky: silent for p_timeout, or its session lock gone and silent for p_early.
-- Holds back while the database itself came up less than p_timeout ago: nobody could beat then.
CREATE OR REPLACE FUNCTION mark_lost_workers(p_timeout interval, p_early interval)
RETURNS TABLE (id bigint)
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
  UPDATE workers w
     SET lost_at = clock_timestamp()
   WHERE w.id = ANY (ARRAY(
     SELECT c.id FROM workers c
      WHERE c.lost_at IS NULL AND c.stopped_at IS NULL
        AND pg_postmaster_start_time() < clock_timestamp() - p_timeout
        AND (c.beat_at < clock_timestamp() - p_timeout
             OR (c.beat_at < clock_timestamp() - p_early
                 AND NOT EXISTS (
                   SELECT 1 FROM pg_locks l
                    WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
                      AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
                      AND ((l.classid::bigint << 32) | l.objid::bigint) = c.id)))
        FOR UPDATE SKIP LOCKED))
  RETURNING w.id
$$;

-- Ends the attempts that lost or stopped workers still hold (p_absent: also those whose worker has no
-- row any more; reads every running row). At most p_limit. Same rows as end_attempts.
CREATE OR REPLACE FUNCTION rescue_jobs(p_limit int, p_absent boolean)
RETURNS TABLE (
  id bigint, verdict text, state text, run_at timestamptz, queue_id int, dispatch_lane smallint,
  dispatch_key bigint, project_id int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  v_ids bigint[];
  v_tokens bigint[];
  v_flows int[];
  v_outcomes text[];
  v_kinds text[];
  v_messages text[];
  v_gone bigint[];
BEGIN
  SELECT array_agg(w.id) INTO v_gone FROM workers w WHERE w.lost_at IS NOT NULL OR w.stopped_at IS NOT NULL;
  SELECT array_agg(r.id), array_agg(r.lease_token), array_agg(r.workflow_id), array_agg(r.outcome),
         array_agg(CASE WHEN r.outcome = 'lost' THEN 'worker-lost' END),
         array_agg(CASE WHEN r.outcome = 'lost' THEN 'worker ' || r.worker_id || ' was lost' END)
    INTO v_ids, v_tokens, v_flows, v_outcomes, v_kinds, v_messages
    FROM (
      SELECT j.id, j.lease_token, j.workflow_id, j.worker_id,
             CASE WHEN w.unstarted @> ARRAY[j.id] AND j.returned < 3 THEN 'returned' ELSE 'lost' END AS outcome
        FROM jobs j
        LEFT JOIN workers w ON w.id = j.worker_id
       WHERE j.state = 'running'
         AND j.queue_id = ANY (ARRAY(SELECT q.id FROM queues q))
         AND (j.worker_id = ANY (v_gone) OR (p_absent AND w.id IS NULL))
       ORDER BY j.id
       LIMIT p_limit) r;
  IF v_ids IS NOT NULL THEN
    RETURN QUERY SELECT * FROM end_attempts(NULL, v_ids, v_tokens, v_flows, v_outcomes,
      array_fill(NULL::text, ARRAY[cardinality(v_ids)]), v_kinds, v_messages,
      array_fill(NULL::text, ARRAY[cardinality(v_ids)]), array_fill(NULL::interval, ARRAY[cardinality(v_ids)]));
  END IF;
END
$$;

-- Workers that ended more than p_age ago and hold nothing: their rows go.
CREATE OR REPLACE FUNCTION forget_workers(p_age interval) RETURNS int
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
DECLARE
  v_count int;
BEGIN
  DELETE FROM workers w
   WHERE coalesce(w.lost_at, w.stopped_at) < clock_timestamp() - p_age
     AND NOT EXISTS (SELECT 1 FROM jobs j
                      WHERE j.state = 'running' AND j.worker_id = w.id
                        AND j.queue_id = ANY (ARRAY(SELECT q.id FROM queues q)));
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END
$$;

-- ---------------------------------------------------------------- the leader's other work

-- What there is to do for the leader's loops, each by the first row that shows it. Reads only.
CREATE OR REPLACE FUNCTION leader_agenda(p_silence interval)
RETURNS TABLE (
  silent_workers boolean, held_by_gone boolean, unplanned_workflows boolean, pending_releases boolean,
  blocked_jobs boolean, ended_workflows boolean, heads boolean)
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
  SELECT EXISTS (SELECT 1 FROM workers w
                  WHERE w.lost_at IS NULL AND w.stopped_at IS NULL
                    AND w.beat_at < clock_timestamp() - p_silence),
         EXISTS (SELECT 1 FROM jobs j
                  WHERE j.state = 'running'
                    AND j.queue_id = ANY (ARRAY(SELECT q.id FROM queues q))
                    AND j.worker_id = ANY (ARRAY(SELECT w.id FROM workers w
                                                  WHERE w.lost_at IS NOT NULL OR w.stopped_at IS NOT NULL))),
         EXISTS (SELECT 1 FROM workflows w WHERE w.planned_at IS NULL),
         EXISTS (SELECT 1 FROM pending_releases),
         EXISTS (SELECT 1 FROM jobs j WHERE j.state = 'blocked'),
         EXISTS (SELECT 1 FROM workflows w
                  WHERE w.finished_at IS NULL
                    AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.workflow_id = w.id)),
         EXISTS (SELECT 1 FROM queue_heads)
           OR EXISTS (SELECT 1 FROM queues q
                       CROSS JOIN LATERAL (SELECT 1 FROM jobs j
                                            WHERE j.queue_id = q.id AND j.state = 'ready' LIMIT 1) r)
$$;

DROP FUNCTION IF EXISTS sweep_blocked(bigint, int);
-- Backstop of the release of dependents: walks blocked jobs in id order after p_after, recomputes from the
-- edges, and repairs what a lost step left. Returns the jobs that became ready (kind child_ready) and, unless
-- the end was reached, a last row of kind walked with the last id looked at.
CREATE FUNCTION sweep_blocked(p_after bigint, p_limit int)
RETURNS TABLE (
  kind text, id bigint, queue_id int, dispatch_lane smallint, dispatch_key bigint, project_id int)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  v_blocked bigint[];
  v_decided bigint[];
BEGIN
  PERFORM require_read_committed();
  SELECT array_agg(b.id) INTO v_blocked
    FROM (SELECT j.id FROM jobs j WHERE j.state = 'blocked' AND j.id > p_after ORDER BY j.id LIMIT p_limit) b;
  IF v_blocked IS NOT NULL THEN
    -- Edges whose parent has ended without telling them.
    INSERT INTO pending_releases (parent_id, outcome)
    SELECT DISTINCT f.id, f.state
      FROM dependencies d
      JOIN finished_jobs f ON f.id = d.parent_id
     WHERE d.child_id = ANY (v_blocked) AND d.outcome IS NULL
       AND NOT EXISTS (SELECT 1 FROM jobs p WHERE p.id = d.parent_id)
    ON CONFLICT DO NOTHING;
    -- Children that their edges have decided and that still wait.
    SELECT array_agg(b.id) INTO v_decided
      FROM unnest(v_blocked) AS b (id)
     WHERE NOT EXISTS (SELECT 1 FROM dependencies d WHERE d.child_id = b.id AND NOT d.met)
        OR EXISTS (SELECT 1 FROM dependencies d WHERE d.child_id = b.id AND d.outcome IS NOT NULL AND NOT d.met);
    IF v_decided IS NOT NULL THEN
      RETURN QUERY SELECT 'child_ready'::text, c.id, c.queue_id, c.dispatch_lane, c.dispatch_key, c.project_id
                     FROM release_children(v_decided) c;
    END IF;
  END IF;
  IF cardinality(v_blocked) = p_limit THEN
    RETURN QUERY SELECT 'walked'::text, v_blocked[p_limit], NULL::int, NULL::smallint, NULL::bigint, NULL::int;
  END IF;
END
$$;

-- Writes a workflow's plan: level, cluster, critical path and rank (0 to 1) per job, and the dispatch key
-- of those that still wait, so that the critical path goes first: submission - 60 s x rank. Ready rows are
-- never touched. Arrays are parallel.
CREATE OR REPLACE FUNCTION apply_plan(
  p_workflow int, p_job_ids bigint[], p_levels int[], p_clusters int[], p_critical boolean[],
  p_ranks double precision[], p_level_count int, p_cluster_count int, p_critical_path double precision)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET jit = off
AS $$
BEGIN
  -- Exclusive: settles of this workflow wait for their next flush instead of for our row locks; and the rows in
  -- id order, as everybody who locks several takes them.
  PERFORM pg_advisory_xact_lock(2, p_workflow);
  PERFORM 1 FROM jobs j WHERE j.workflow_id = p_workflow AND j.state = 'blocked' ORDER BY j.id FOR UPDATE;

  UPDATE workflow_members m
     SET level = p.level, cluster = p.cluster, critical = p.critical, rank = p.rank
    FROM unnest(p_job_ids, p_levels, p_clusters, p_critical, p_ranks) AS p (job_id, level, cluster, critical, rank)
   WHERE m.workflow_id = p_workflow AND m.job_id = p.job_id;

  UPDATE jobs j
     SET dispatch_key = micros(w.created_at) - (60000000 * p.rank)::bigint
    FROM workflows w, unnest(p_job_ids, p_ranks) AS p (job_id, rank)
   WHERE w.id = p_workflow
     AND j.workflow_id = p_workflow AND j.state = 'blocked' AND j.id = p.job_id;

  UPDATE workflows w
     SET planned_at = clock_timestamp(), levels = p_level_count, clusters = p_cluster_count,
         critical_path_length = p_critical_path
   WHERE w.id = p_workflow;
END
$$;

-- Notes the end of workflows that have no live job left. Returns those that it closed.
CREATE OR REPLACE FUNCTION finish_workflows(p_limit int)
RETURNS TABLE (id int, project_id int, final_state text)
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
  UPDATE workflows w
     SET finished_at = coalesce((SELECT max(f.finished_at) FROM finished_jobs f WHERE f.workflow_id = w.id),
                                clock_timestamp()),
         final_state = s.state
    FROM workflow_status s
   WHERE s.id = w.id
     AND w.id = ANY (ARRAY(
       SELECT u.id FROM workflows u
        WHERE u.finished_at IS NULL
          AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.workflow_id = u.id)
        ORDER BY u.id LIMIT p_limit
          FOR UPDATE OF u SKIP LOCKED))
     AND s.state <> 'running'
  RETURNING w.id, w.project_id, w.final_state
$$;

-- The guard of the remembered heads: the smallest key per queue and lane, where that row has been ready
-- for over a second. Writes changed rows only; returns how many.
CREATE OR REPLACE FUNCTION note_queue_heads() RETURNS int
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
SET jit = off
AS $$
DECLARE
  v_noted int;
  v_gone int;
BEGIN
  WITH first AS MATERIALIZED (
    SELECT q.id AS queue_id, l.lane::smallint AS dispatch_lane, f.dispatch_key, f.id AS job_id
      FROM queues q
     CROSS JOIN generate_series(0, 9) AS l (lane)
     CROSS JOIN LATERAL (
       SELECT j.dispatch_key, j.id, j.ready_at FROM jobs j
        WHERE j.queue_id = q.id AND j.dispatch_lane = l.lane::smallint AND j.state = 'ready'
        ORDER BY j.dispatch_key, j.id LIMIT 1) f
     WHERE f.ready_at < clock_timestamp() - interval '1 second'
  ), gone AS (
    DELETE FROM queue_heads h
     WHERE NOT EXISTS (SELECT 1 FROM first f
                        WHERE f.queue_id = h.queue_id AND f.dispatch_lane = h.dispatch_lane)
    RETURNING 1
  ), noted AS (
    INSERT INTO queue_heads AS h (queue_id, dispatch_lane, dispatch_key, job_id)
    SELECT f.queue_id, f.dispatch_lane, f.dispatch_key, f.job_id FROM first f
    ON CONFLICT (queue_id, dispatch_lane) DO UPDATE
       SET dispatch_key = excluded.dispatch_key, job_id = excluded.job_id, noted_at = clock_timestamp()
     WHERE (h.dispatch_key, h.job_id) IS DISTINCT FROM (excluded.dispatch_key, excluded.job_id)
    RETURNING 1
  )
  SELECT (SELECT count(*) FROM noted), (SELECT count(*) FROM gone) INTO v_noted, v_gone;
  RETURN v_noted + v_gone;
END
$$;

-- ---------------------------------------------------------------- queue limits

-- Sets a queue's limit (null: none). The gate and the queue's lock come first, so that no claim is in
-- flight that has not seen the new value when this commits.
CREATE OR REPLACE FUNCTION set_queue_limit(p_queue int, p_max_concurrency int) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(3, 0);
  PERFORM pg_advisory_xact_lock(1, p_queue);
  UPDATE queues q SET max_concurrency = p_max_concurrency, updated_at = clock_timestamp() WHERE q.id = p_queue;
END
$$;

-- ---------------------------------------------------------------- partitions

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
