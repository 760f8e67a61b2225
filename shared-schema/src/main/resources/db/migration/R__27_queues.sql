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
