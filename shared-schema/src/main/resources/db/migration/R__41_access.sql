-- Logins: how many may be tried. Signing keys: their rotation. API keys: which queues they reach.

-- Takes one try for a login from an address (a hash) to an account (a hash), before its password is looked at, so
-- that many at once cannot all pass. Of each, p_tries are there, and one comes back every p_every (the generic cell
-- rate algorithm, ITU-T I.371). Always the address's row first, then the account's: no deadlock.
-- Returns the seconds to wait; 0: go on. The table stays small: each call takes away up to 8 rows that are full
-- again, and adds at most 2.
DROP FUNCTION IF EXISTS take_login_try(bytea, int, interval, bytea, int, interval);
CREATE FUNCTION take_login_try(
  p_address bytea, p_address_tries int, p_address_every interval,
  p_account bytea, p_account_tries int, p_account_every interval)
RETURNS double precision
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
DECLARE
  v_wait double precision;
BEGIN
  DELETE FROM login_attempts a
   USING (SELECT o.kind, o.subject FROM login_attempts o WHERE o.full_at < clock_timestamp()
           ORDER BY o.full_at LIMIT 8 FOR UPDATE SKIP LOCKED) gone
   WHERE a.kind = gone.kind AND a.subject = gone.subject;
  v_wait := take_try('address', p_address, p_address_tries, p_address_every);
  IF v_wait > 0 THEN
    RETURN v_wait;
  END IF;
  RETURN take_try('account', p_account, p_account_tries, p_account_every);
END
$$;

DROP FUNCTION IF EXISTS take_try(text, bytea, int, interval);
CREATE FUNCTION take_try(p_kind text, p_subject bytea, p_tries int, p_every interval)
RETURNS double precision
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
DECLARE
  v_full timestamptz;
BEGIN
  -- The row is locked by the conflict before its clock is read: each sees what the one before has taken.
  INSERT INTO login_attempts AS a (kind, subject, full_at)
  VALUES (p_kind, p_subject, clock_timestamp() + p_every)
      ON CONFLICT (kind, subject) DO UPDATE
     SET full_at = greatest(a.full_at, clock_timestamp()) + p_every
   WHERE a.full_at + p_every <= clock_timestamp() + p_tries * p_every;
  IF FOUND THEN
    RETURN 0;
  END IF;
  SELECT a.full_at INTO v_full FROM login_attempts a WHERE a.kind = p_kind AND a.subject = p_subject;
  -- At least a millisecond, since the answer is that there is none now.
  RETURN greatest(0.001, extract(epoch FROM v_full + p_every - p_tries * p_every - clock_timestamp()));
END
$$;

-- A login that succeeded has failed nobody: the account has all its tries again, the address the one it took.
DROP FUNCTION IF EXISTS give_back_login_try(bytea, interval, bytea);
CREATE FUNCTION give_back_login_try(p_address bytea, p_address_every interval, p_account bytea)
RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
  UPDATE login_attempts SET full_at = full_at - p_address_every WHERE kind = 'address' AND subject = p_address;
  DELETE FROM login_attempts WHERE kind = 'account' AND subject = p_account;
$$;

-- Stores a new signing key unless the newest is younger than p_age, and takes away those whose last token has ended:
-- superseded for longer than p_keep. The table's lock makes several replicas take turns; reading goes on meanwhile.
-- Returns whether it was stored. It signs p_lead from now on; until then it is only published. When no key signs
-- now, since all were retired, it signs at once.
DROP FUNCTION IF EXISTS rotate_signing_key(text, text, text, bytea, interval, interval, interval);
CREATE FUNCTION rotate_signing_key(
  p_kid text, p_algorithm text, p_public_jwk text, p_private_key_encrypted bytea,
  p_age interval, p_lead interval, p_keep interval)
RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
BEGIN
  LOCK TABLE signing_keys IN SHARE ROW EXCLUSIVE MODE;
  IF EXISTS (SELECT 1 FROM signing_keys k WHERE k.retired_at IS NULL AND k.signs_from > clock_timestamp() - p_age) THEN
    RETURN false;
  END IF;
  INSERT INTO signing_keys (kid, algorithm, public_jwk, private_key_encrypted, signs_from)
  VALUES (p_kid, p_algorithm, p_public_jwk, p_private_key_encrypted,
          CASE WHEN EXISTS (SELECT 1 FROM signing_keys k WHERE k.retired_at IS NULL AND k.signs_from <= clock_timestamp())
               THEN clock_timestamp() + p_lead ELSE clock_timestamp() END);
  DELETE FROM signing_keys k
   WHERE EXISTS (SELECT 1 FROM signing_keys n
                  WHERE n.signs_from > k.signs_from AND n.signs_from < clock_timestamp() - p_keep
                    AND n.retired_at IS NULL);
  RETURN true;
END
$$;

-- The queues of a project that a key's patterns reach, as {"name": id}; null: the key is not restricted. A pattern
-- is compared byte for byte, * stands for any characters; the characters of a name mean nothing to LIKE but _.
DROP FUNCTION IF EXISTS reached_queues(int, text[]);
CREATE FUNCTION reached_queues(p_project int, p_patterns text[])
RETURNS jsonb
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
  SELECT CASE WHEN p_patterns IS NOT NULL THEN coalesce(
           (SELECT jsonb_object_agg(q.name, q.id) FROM queues q
             WHERE q.project_id = p_project
               AND q.name LIKE ANY (SELECT replace(replace(p.pattern, '_', '\_'), '*', '%')
                                      FROM unnest(p_patterns) AS p (pattern))), '{}') END;
$$;

-- Says for the rest of the transaction that a user of another issuer acts; returns what was said before. Internal.
CREATE OR REPLACE FUNCTION act_as_external(p_id bigint, p_email text, p_action text, p_address text, p_request text)
RETURNS text
LANGUAGE plpgsql VOLATILE
SET search_path = jobs, pg_temp
AS $$
DECLARE
  v_before text := coalesce(current_setting('jobs.audit', true), '');
BEGIN
  PERFORM set_config('jobs.audit', jsonb_build_object(
    'kind', 'user', 'id', p_id::text, 'name', p_email, 'action', p_action, 'address', p_address,
    'request', p_request)::text, true);
  RETURN v_before;
END
$$;

-- The first request of another issuer's subject makes its user, and is recorded as that user's own. Of two first
-- requests at once one makes it.
CREATE OR REPLACE FUNCTION make_external_user(
  p_issuer text, p_subject text, p_email text, p_name text, p_address text, p_request text) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
DECLARE
  v_id bigint := nextval(pg_get_serial_sequence('jobs.users', 'id'));
  v_before text := act_as_external(v_id, p_email, 'firstLogin', p_address, p_request);
BEGIN
  INSERT INTO users (id, email, name, password_hash, issuer, subject)
  OVERRIDING SYSTEM VALUE VALUES (v_id, p_email, p_name, NULL, p_issuer, p_subject)
  ON CONFLICT (issuer, subject) WHERE issuer IS NOT NULL DO NOTHING;
  PERFORM set_config('jobs.audit', v_before, true);
END
$$;

-- The issuer tells another address or name of a user; recorded as the user's own doing.
CREATE OR REPLACE FUNCTION rename_external_user(
  p_id bigint, p_email text, p_name text, p_address text, p_request text) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = jobs, pg_temp
AS $$
DECLARE
  v_before text := act_as_external(p_id, p_email, 'renamedByIssuer', p_address, p_request);
BEGIN
  UPDATE users u SET email = p_email, name = p_name WHERE u.id = p_id AND u.issuer IS NOT NULL;
  PERFORM set_config('jobs.audit', v_before, true);
END
$$;
