/**
 * Cron expressions: their text, what is wrong with it, and the set of wall-clock times they mean.
 *
 * <p>Called by {@link io.jobscheduler.schedule.times}, and by whoever takes an expression from a
 * person. cron-utils reads the single items of a field; shape, ranges, wrapping and every date are
 * decided here. It must not know time zones, instants or why anything is scheduled.
 */
@NullMarked
package io.jobscheduler.schedule.cron;

import org.jspecify.annotations.NullMarked;
