/**
 * Whether this process is alive (its loops turn) and ready (registered on a schema that fits,
 * database within reach, not draining). No probe runs a statement.
 */
@NullMarked
package io.jobscheduler.worker.health;

import org.jspecify.annotations.NullMarked;
