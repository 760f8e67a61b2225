/**
 * Promotion: jobs that are scheduled, or wait for a retry, become ready at their instant.
 * Authority: the leader promotes all in a leader transaction; the statement is bounded, idempotent
 * and skips locked rows, so a worker that promotes its own retries at the same time harms nothing.
 *
 * <p>Timing: the promoter's thread sleeps on a delay queue until exactly the next due instant. It
 * knows the instants of the next ten minutes from a look at the index, taken every few seconds as a
 * safety, and hears of new ones on channel {@code jobs_due}. The database's clock decides what is
 * due; the monotonic clock only says when to ask.
 *
 * <p>On failure: the round is repeated; what is overdue is found by the next look.
 */
@NullMarked
package io.jobscheduler.scheduler.promote;

import org.jspecify.annotations.NullMarked;
