/**
 * Ways to break a running system, each undone again, and how long it took to recover from each.
 *
 * <p>Called by {@code chaos}, which decides when. A fault picks its target among those that no
 * other fault holds; it never judges what the system makes of it. What measures a recovery reads
 * the record only, by the database's clock.
 */
@NullMarked
package io.jobscheduler.localstack.faults;

import org.jspecify.annotations.NullMarked;
