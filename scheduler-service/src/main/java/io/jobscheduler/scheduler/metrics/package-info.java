/**
 * What the management port tells Prometheus: each loop's rounds, rows and age of its last success,
 * who leads, and, of the leader, how much waits in which queue and for how long. Names as in
 * docs/operations.md; never an id or a message as a tag.
 *
 * <p>Timing: the queues are read every 15 s in one statement, by the leader alone. On failure the
 * last figures stay until they are read again, and go when the term ends.
 */
@NullMarked
package io.jobscheduler.scheduler.metrics;

import org.jspecify.annotations.NullMarked;
