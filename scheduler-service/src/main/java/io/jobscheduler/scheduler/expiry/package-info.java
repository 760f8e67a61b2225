/**
 * Expiry: jobs that were to start by an instant and still wait after it are cancelled with the
 * reason {@code expired}, whether they are scheduled, blocked, ready or between two attempts.
 * Authority: the leader, in a leader transaction; rows are judged again under their lock, so a
 * claim that came first stands. Their workflow's policy on failure is applied by the release loop,
 * which is told of them in the same transaction.
 *
 * <p>Timing: the agenda's look each second tells whether some have expired. An instant of its own
 * in the delay queue would wake the leader once for each job that did start in time.
 *
 * <p>On failure: the round is repeated. A job that cannot be ended is halved out of its batch,
 * reported once, and passed over with growing pauses; it holds up nobody else.
 */
@NullMarked
package io.jobscheduler.scheduler.expiry;

import org.jspecify.annotations.NullMarked;
