/**
 * Sealing of the audit log: each row that people and keys left there is linked into its project's
 * chain of hashes. Authority: the leader, in a leader transaction that holds the audit lock alone,
 * so that no row with a smaller id can appear behind the end of a chain.
 *
 * <p>Timing: the agenda's look each second tells of unsealed rows. On failure, or when a writer
 * does not end in time: the next round seals them; until then they are the unsealed tail, which the
 * API's verification reports as such.
 */
@NullMarked
package io.jobscheduler.scheduler.audit;

import org.jspecify.annotations.NullMarked;
