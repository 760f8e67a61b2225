/**
 * Rounds of work: one place that catches what a round throws, and the record of which loops turn.
 * Used by every feature; knows none of them. The leader renews its leadership only while all loops
 * turn, and the liveness probe asks the same record.
 */
@NullMarked
package io.jobscheduler.scheduler.loop;

import org.jspecify.annotations.NullMarked;
