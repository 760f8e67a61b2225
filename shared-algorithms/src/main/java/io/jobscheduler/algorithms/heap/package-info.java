/**
 * A binary min-heap whose elements can be taken out again by handle.
 *
 * <p>Called by the worker's dispatcher (claimed jobs, most urgent first) and by the delay queue in
 * {@code .retry}. It must not know what a job is, nor the time.
 */
@NullMarked
package io.jobscheduler.algorithms.heap;

import org.jspecify.annotations.NullMarked;
