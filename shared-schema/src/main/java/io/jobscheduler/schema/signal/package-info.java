/**
 * Sending of NOTIFY within the contract's limits. A commit with a NOTIFY takes a database-wide
 * lock, so nobody sends one per row or request: each process sends through one {@link
 * io.jobscheduler.schema.signal.CoalescingNotifier}. Losing a signal costs time, never a job.
 */
@NullMarked
package io.jobscheduler.schema.signal;

import org.jspecify.annotations.NullMarked;
