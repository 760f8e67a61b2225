/**
 * The guard of the remembered heads: once a second the leader writes, per queue and lane, the
 * smallest key of a job that has been ready for over a second, so that a claimer whose head has
 * passed it goes back. Authority: a leader transaction. Timing: at most a tenth of the time is
 * spent on it, more rarely where a look takes long. On failure the round is repeated; a job behind
 * a head waits so long.
 */
@NullMarked
package io.jobscheduler.scheduler.heads;

import org.jspecify.annotations.NullMarked;
