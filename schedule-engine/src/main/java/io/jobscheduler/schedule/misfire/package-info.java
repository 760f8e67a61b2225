/**
 * What to do with planned times that are past when they are looked at.
 *
 * <p>Called by the scheduler's firing loop and by the API's simulation: one pure function for both.
 * It must not know the database, jobs, or which runs are still going on.
 */
@NullMarked
package io.jobscheduler.schedule.misfire;

import org.jspecify.annotations.NullMarked;
