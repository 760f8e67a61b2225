/**
 * Requests that may be repeated: {@code Idempotency-Key}. A repeated request gets the first answer
 * again, from the record that the first one wrote in the transaction that did what it asked for.
 * Called by the resources that create something; must not know any of them.
 */
@NullMarked
package io.jobscheduler.api.idempotency;

import org.jspecify.annotations.NullMarked;
