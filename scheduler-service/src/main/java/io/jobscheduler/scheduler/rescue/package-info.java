/**
 * Rescue of what a dead worker held. Authority: the leader alone writes a worker's loss, in a
 * leader transaction, and once written it is final; the attempts are then ended by their lease
 * tokens, so a settle that came first stands.
 *
 * <p>Timing, from the workers' beat b = 2 s and timeout T = 15 s: lost after T of silence, or after
 * 2.5 b when its session lock is gone too. One look per second; every 15 s also for running jobs
 * whose worker has no row.
 *
 * <p>On failure: the round is repeated. While the database was away nobody could beat, so nobody is
 * declared lost until this process' own beats have been punctual for T again.
 */
@NullMarked
package io.jobscheduler.scheduler.rescue;

import org.jspecify.annotations.NullMarked;
