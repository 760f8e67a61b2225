/**
 * NOTIFY both ways: what wakes other workers and refreshes dashboards, and the listener that wakes
 * this one. Losing a signal costs time, never a job.
 */
@NullMarked
package io.jobscheduler.worker.signal;

import org.jspecify.annotations.NullMarked;
