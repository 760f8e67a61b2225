/**
 * Runs one attempt on a slot's platform thread and turns whatever comes of it, any {@code
 * Throwable} included, into a settlement. It must not know how settlements reach the database.
 */
@NullMarked
package io.jobscheduler.worker.execute;

import org.jspecify.annotations.NullMarked;
