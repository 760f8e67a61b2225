/**
 * Measurements over the whole system: the packaged services as processes, started by local-stack.
 * Each scenario is a program of its own and prints what it measured; none passes or fails by a
 * time.
 */
@NullMarked
package io.jobscheduler.benchmarks.system;

import org.jspecify.annotations.NullMarked;
