/**
 * Bulk actions: what an operator asked to be done with many jobs. Authority: the leader, in leader
 * transactions; each step holds the action's row, so an abort that has committed is the last word.
 * Where an action stands is in its row and its jobs' rows, written in the transaction that does
 * them: another leader goes on at that very job, and no job is done twice.
 *
 * <p>Timing: the agenda's look each second tells whether there is one; open actions take turns, a
 * step each, until the round has lasted. A step looks at or does a bounded number of rows, and
 * waits for nobody: what another holds is left for a later pass.
 *
 * <p>On failure: the step did nothing and is tried with half as many jobs. One that fails alone on
 * its data is noted as failed and passed; one that only meets locks or takes too long is left for a
 * later pass. Ended actions and their jobs' outcomes are forgotten after their time.
 */
@NullMarked
package io.jobscheduler.scheduler.bulk;

import org.jspecify.annotations.NullMarked;
