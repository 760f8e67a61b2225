-- compat: additive
--
-- What limits and ageing keep between two steps of theirs.

ALTER TABLE queues
  -- a switch of the ageing is being carried through: jobs up to rekey_after have their new place, the last
  -- one to get it is rekey_until; null: nothing to do
  ADD COLUMN rekey_after bigint,
  ADD COLUMN rekey_until bigint,
  -- nothing more is handed in; what it holds is still served, since an enqueue may be in flight
  ADD COLUMN deleted_at timestamptz,
  ADD CONSTRAINT queues_rekey CHECK ((rekey_after IS NULL) = (rekey_until IS NULL));
CREATE INDEX queues_rekey ON queues (id) WHERE rekey_after IS NOT NULL;

-- Where the bounded looks past full concurrency keys go on (see pick_by_key). Changed only under the queue's
-- advisory lock, and only by claims that came short.
CREATE TABLE key_walks (
  queue_id    int         PRIMARY KEY,
  -- the key after which the walk over keys goes on
  after_key   text        COLLATE "C" NOT NULL DEFAULT '',
  -- the place after which the look for jobs without a key goes on; null: from the first claimable job
  scan_lane   smallint,
  scan_key    bigint,
  scan_job    bigint,
  -- a whole look found none: not again before
  scan_not_before timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);

INSERT INTO schema_versions (version, compat) VALUES (6, 'additive');
