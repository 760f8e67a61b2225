/**
 * Retention of finished jobs: makes the partitions of the days ahead and drops those whose day has
 * passed, deletes what lies in the default partition by then, and forgets workflows once the last
 * of their members has gone. What members leave behind decides how an unfinished workflow may end.
 * Authority: a leader transaction around functions that wait at most 100 ms for a lock (a longer
 * wait would hold up inserts behind it). Timing: at the start of a term and hourly. On failure,
 * such as a reader in the way: tried again at the next round, a minute later.
 */
@NullMarked
package io.jobscheduler.scheduler.retention;

import org.jspecify.annotations.NullMarked;
