/**
 * The worker's life in the eyes of the others: incarnation, heartbeat, and the two deadlines at
 * which it stops trusting its own leases.
 *
 * <p>Authority: the database says who is lost, for good; the monotonic clock here only shortens
 * trust. Timing: a beat every 2 s on its own connection; with the connection broken the fence falls
 * 2 beats, with mere silence 0.8 timeouts after the last confirmed beat was sent. On failure the
 * tenure ends and the process starts over under a new incarnation.
 */
@NullMarked
package io.jobscheduler.worker.lease;

import org.jspecify.annotations.NullMarked;
