/**
 * Queues of a project: weight, concurrency limit, live depth. A limit changes only through
 * jobs.set_queue_limits, which waits for claims in flight.
 */
@NullMarked
package io.jobscheduler.api.queues;

import org.jspecify.annotations.NullMarked;
