/**
 * Between claim and execution: the heap in which claimed jobs wait, most urgent first, and the
 * memory of every lease in hand. Called by the claimer, the slots and the heartbeat; knows no SQL.
 */
@NullMarked
package io.jobscheduler.worker.dispatch;

import org.jspecify.annotations.NullMarked;
