-- Claim, lease and settle (R__2x): the one implementation, called by workers and by whatever leases later.
--
-- All run as the owner (SECURITY DEFINER) with a pinned search_path, so a service needs EXECUTE on
-- what it may do and no right on the rows. They are VOLATILE: under READ COMMITTED each statement
-- inside has a snapshot of its own, which the protocols below depend on; another isolation level is
-- refused. Sequential scans are switched off inside: no statement here is meant to read a whole
-- table, whatever the statistics were when its plan was made.
--
-- Advisory locks, two-key space (io.jobscheduler.schema.names.AdvisoryLocks):
--   1 queue id · 2 workflow id · 3 claim gate · 4 leadership · 5 migration · 6 audit
--   7 idempotency key

-- Microseconds since the epoch: the unit of dispatch_key.
CREATE OR REPLACE FUNCTION micros(p_at timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT (extract(epoch FROM p_at) * 1000000)::bigint
$$;

-- The strings of a JSON array, in its order; null of null, and of an empty one. Tags, as templates hold them.
CREATE OR REPLACE FUNCTION names_of(p_list json) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array_agg(e.name ORDER BY e.n) FROM json_array_elements_text(p_list) WITH ORDINALITY AS e (name, n)
$$;

-- A job's place in its queue: in a queue that does not age (p_ageing_ms null) one lane per priority, in the order
-- of becoming ready; in one that ages lane 0 only, where a step of priority outweighs p_ageing_ms of waiting.
-- p_at_micros is the instant at which it becomes ready or, in a workflow, the one that its plan gives it
-- (planned_micros). Whoever makes a job ready computes its place by these two.
CREATE OR REPLACE FUNCTION ready_lane(p_priority int, p_ageing_ms bigint) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN p_ageing_ms IS NULL THEN p_priority ELSE 0 END::smallint
$$;

CREATE OR REPLACE FUNCTION ready_key(p_at_micros bigint, p_priority int, p_ageing_ms bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT p_at_micros - coalesce(p_priority * p_ageing_ms * 1000, 0)
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

-- A retry policy as it is stored, on a job or as the default of its queue (every field may be absent):
--   strategy           exponential (default) | linear | fixed | list
--   baseSeconds        first delay (10); fixed: the delay; linear: the step
--   factor             exponential only (2)
--   capSeconds         no delay is longer (3600); for a list: no cap unless given
--   delaySeconds       list only: [1, 5, 25]; the last one repeats
--   jitter             full (uniform between 0 and the delay; default of exponential) | none (of the others)
--   maxElapsedSeconds  no attempt starts later than this after the first one of its generation started:
--                      dead with reason retry-deadline
--   rules              [{kinds: ["http-404", "http-5*"], action: retry (default) | dead | cancel, and any of
--                      the fields above}]: the first rule one of whose kinds matches the error's kind; * stands
--                      for any characters; its fields replace the policy's. Rules are for failed and timed out
--                      attempts (kind timeout), not for lost workers.
-- Whatever cannot be reckoned counts as absent; no delay is longer than a year: one row that raised here would
-- keep each settle and rescue that it is part of from ending anything.

-- Delay before the next attempt, given the number of the attempt that failed (1 = first); null is the default
-- policy. Capped before exponentiation: no overflow.
CREATE OR REPLACE FUNCTION retry_delay(p_policy json, p_attempt int) RETURNS interval
LANGUAGE plpgsql VOLATILE
AS $$
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
  v_cap := greatest(coalesce((p_policy ->> 'capSeconds')::double precision,
                             CASE v_strategy WHEN 'list' THEN 31536000 ELSE 3600 END), 0);
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
    v_seconds := least(v_cap, coalesce(
      (p_policy -> 'delaySeconds' ->> least(p_attempt, v_length) - 1)::double precision, v_base));
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

-- The policy as the first rule for that error kind makes it; the policy itself when none matches.
CREATE OR REPLACE FUNCTION retry_policy_for(p_policy json, p_kind text) RETURNS json
LANGUAGE plpgsql STABLE
AS $$
BEGIN
  IF p_policy -> 'rules' IS NULL THEN
    RETURN p_policy;
  END IF;
  RETURN coalesce(
    (SELECT ((p_policy::jsonb - 'rules') || r.rule::jsonb)::json
       FROM json_array_elements(p_policy -> 'rules') WITH ORDINALITY AS r (rule, n)
      WHERE EXISTS (
        SELECT 1 FROM json_array_elements_text(r.rule -> 'kinds') AS k (pattern)
         WHERE coalesce(p_kind, '') LIKE replace(regexp_replace(k.pattern, '([\\%_])', '\\\1', 'g'), '*', '%'))
      ORDER BY r.n LIMIT 1),
    p_policy);
EXCEPTION WHEN OTHERS THEN
  RETURN p_policy;
END
$$;

-- What an attempt's outcome means for its job: succeeded, dead, cancelled: it ends, for that reason; any other
-- outcome: it goes back, after the delay (null: at once). Internal to end_attempts, whose rows are locked.
CREATE OR REPLACE FUNCTION decide_outcome(
  p_outcome text, p_kind text, p_delay interval, p_until timestamptz, p_cancel boolean,
  p_job bigint, p_attempt int, p_max_attempts int, p_queue int, p_policy json, p_started timestamptz,
  p_generation smallint, OUT outcome text, OUT reason text, OUT delay interval)
LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
  v_policy json;
  v_first timestamptz;
  v_most double precision;
BEGIN
  outcome := p_outcome;
  IF p_outcome = 'succeeded' OR p_job IS NULL THEN
    RETURN;
  ELSIF p_outcome IN ('revoked', 'expired') THEN
    outcome := 'cancelled';
    reason := p_outcome;
    RETURN;
  ELSIF p_cancel THEN
    outcome := 'cancelled';
    reason := 'cancel-requested';
    RETURN;
  ELSIF p_outcome IN ('dead', 'cancelled', 'released', 'returned') THEN
    RETURN;
  END IF;
  -- Bounded before anything is reckoned with it: an instant may be infinite. (Nulls vanish in least and greatest.)
  IF p_until IS NOT NULL THEN
    delay := least(p_until, clock_timestamp() + interval '365 days') - clock_timestamp();
  ELSE
    delay := p_delay;
  END IF;
  IF delay IS NOT NULL THEN
    delay := greatest(least(delay, interval '365 days'), interval '0');
  END IF;
  IF p_outcome = 'snoozed' THEN
    delay := coalesce(delay, interval '0');
    RETURN;
  END IF;

  v_policy := coalesce(p_policy, (SELECT q.retry_policy FROM queues q WHERE q.id = p_queue));
  IF p_outcome = 'lost' THEN
    IF p_attempt >= p_max_attempts THEN
      outcome := 'dead';
      RETURN;
    END IF;
    -- The first loss of a job goes back without backoff; a job that kills its workers waits.
    delay := CASE WHEN EXISTS (SELECT 1 FROM attempts a
                                WHERE a.job_id = p_job AND a.outcome = 'lost' AND a.generation = p_generation)
                  THEN retry_delay(v_policy, p_attempt) END;
    RETURN;
  END IF;
  v_policy := retry_policy_for(v_policy, p_kind);
  IF v_policy ->> 'action' IN ('dead', 'cancel') THEN
    outcome := CASE v_policy ->> 'action' WHEN 'dead' THEN 'dead' ELSE 'cancelled' END;
    reason := 'retry-rule';
    RETURN;
  ELSIF p_attempt >= p_max_attempts THEN
    outcome := 'dead';
    RETURN;
  END IF;
  delay := coalesce(delay, retry_delay(v_policy, p_attempt));
  IF v_policy ->> 'maxElapsedSeconds' IS NOT NULL THEN
    v_most := seconds_of(v_policy ->> 'maxElapsedSeconds');
    SELECT least(p_started, min(a.started_at)) INTO v_first
      FROM attempts a WHERE a.job_id = p_job AND a.generation = p_generation AND a.outcome NOT IN ('released', 'snoozed');
    IF extract(epoch FROM clock_timestamp() + delay - v_first) > v_most THEN
      outcome := 'dead';
      reason := 'retry-deadline';
    END IF;
  END IF;
END
$$;

-- A number of seconds, or null for what is none.
CREATE OR REPLACE FUNCTION seconds_of(p_text text) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN p_text::double precision;
EXCEPTION WHEN OTHERS THEN
  RETURN NULL;
END
$$;

-- What a gate's payload says in milliseconds, from 0 to 10 years; null for what is no number. It raises nothing: it
-- is reckoned while a parent's end is settled.
CREATE OR REPLACE FUNCTION gate_wait(p_ms text) RETURNS interval
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN s.ms IS NOT NULL THEN make_interval(secs => least(greatest(s.ms, 0), 315360000000) / 1000) END
    FROM (SELECT seconds_of(p_ms) AS ms) s
$$;
