/**
 * One question per second, what there is to do, for all loops of the leader together: so an idle
 * leader costs one read instead of a transaction per loop. Called by those loops; changes nothing,
 * so it needs no leadership. Timing: an answer serves for half a second, longer where finding it
 * took long. On failure every loop looks for itself.
 */
@NullMarked
package io.jobscheduler.scheduler.agenda;

import org.jspecify.annotations.NullMarked;
