/**
 * A delay queue: threads sleep until exactly the next due instant instead of polling for it.
 *
 * <p>Called by the worker (retries it settled itself) and by the scheduler's leader (due times,
 * next fires). It must not know what it delays, nor the wall clock: instants are readings of one
 * monotonic clock, and what another process may rely on is decided by Postgres.
 */
@NullMarked
package io.jobscheduler.algorithms.retry;

import org.jspecify.annotations.NullMarked;
