/**
 * Judges the invariants I1 to I8 of docs/architecture.md from what a run left behind: the product's
 * own tables, the effect log that handlers' executors wrote outside of them, the load's ledger, and
 * what the observer saw while it ran.
 *
 * <p>Called by the chaos command and by tests. Reads only; knows nothing of faults.
 */
@NullMarked
package io.jobscheduler.localstack.judge;

import org.jspecify.annotations.NullMarked;
