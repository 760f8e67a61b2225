/**
 * Waits for a schema that this build understands, and stops the process at one that it never will.
 * Called by the leadership thread before each beat; must not know what the loops do with it.
 */
@NullMarked
package io.jobscheduler.scheduler.schema;

import org.jspecify.annotations.NullMarked;
