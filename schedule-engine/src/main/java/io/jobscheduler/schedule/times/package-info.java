/**
 * The instants at which a schedule is planned to fire: cron in a time zone, or an interval; with
 * bounds and excluded dates; and what a person wants to see of them beforehand.
 *
 * <p>Called by the scheduler, which fires by them, and by the API, which previews them: one code
 * for both, so that the preview says what will happen. It must not know the wall clock, the
 * database, jobs or policies. Everything here is immutable and may be used by any thread.
 */
@NullMarked
package io.jobscheduler.schedule.times;

import org.jspecify.annotations.NullMarked;
