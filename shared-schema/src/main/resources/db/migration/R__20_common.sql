-- Claim, lease and settle (R__2x): the one implementation, called by workers and by whatever leases later.
--
-- All run as the owner (SECURITY DEFINER) with a pinned search_path, so a service needs EXECUTE on
-- what it may do and no right on the rows. They are VOLATILE: under READ COMMITTED each statement
-- inside has a snapshot of its own, which the protocols below depend on; another isolation level is
-- refused. Sequential scans are switched off inside: no statement here is meant to read a whole
-- table, whatever the statistics were when its plan was made.
--
-- Advisory locks, two-key space (io.jobscheduler.schema.names.AdvisoryLocks):
--   1 queue id · 2 workflow id · 3 claim gate · 4 leadership · 5 migration

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
