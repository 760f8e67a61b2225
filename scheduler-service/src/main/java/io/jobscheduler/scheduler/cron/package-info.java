/**
 * Schedules: makes the jobs and workflows that they plan, exactly one per planned time. Authority:
 * the leader, in leader transactions; the guarantee is the unique key of {@code schedule_fires},
 * written in the transaction that makes the job and moves the schedule on. Planned times are
 * reckoned here by the schedule-engine, from the last decided one and never from now; what becomes
 * of each is decided by the functions of {@code R__35_schedules.sql}.
 *
 * <p>Timing: the thread sleeps on a delay queue until the next planned time. It knows those of the
 * next ten minutes from a look taken every few seconds as a safety, and hears of changes on channel
 * {@code schedules_due}. Batches are small, so that thousands due at once neither hold locks for
 * long nor keep promotion and rescue, which have connections and threads of their own, from theirs.
 *
 * <p>On failure: the round is repeated; a transaction whose commit was not answered has moved the
 * schedules on or has not, and the next round reads which. A schedule that cannot be reckoned, or
 * whose runs cannot be stored, is disabled with the reason and holds up nobody.
 */
@NullMarked
package io.jobscheduler.scheduler.cron;

import org.jspecify.annotations.NullMarked;
