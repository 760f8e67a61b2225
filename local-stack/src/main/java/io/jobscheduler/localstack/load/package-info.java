/**
 * The load of a chaos run: jobs of every kind the product knows, through every door, and a ledger
 * of what was promised for them.
 *
 * <p>Called by the chaos command and by tests. An address that does not answer is expected; the
 * same request then goes to the next one, with the same Idempotency-Key, until it is answered.
 */
@NullMarked
package io.jobscheduler.localstack.load;

import org.jspecify.annotations.NullMarked;
