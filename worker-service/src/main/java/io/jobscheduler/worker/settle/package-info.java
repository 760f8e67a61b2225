/**
 * Ends attempts by their lease tokens and does what follows: retries are promoted at their instant,
 * children that became ready are announced, wide fans are released in batches.
 *
 * <p>Authority: {@code jobs.settle} checks the token of each row; nothing here can end another's
 * attempt. Timing: at once when idle, else up to 100 jobs or 5 ms. On failure the same settle is
 * repeated for as long as the lease is believed held, since it is fenced and idempotent.
 */
@NullMarked
package io.jobscheduler.worker.settle;

import org.jspecify.annotations.NullMarked;
