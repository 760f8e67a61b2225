/**
 * JMH benchmarks of the six structures in shared-algorithms, beside what the JDK offers for the
 * same purpose where it offers something, and of schedule-engine.
 *
 * <p>Called by people, through the module's jar; a test runs each benchmark once. Figures are
 * published in {@code results/}, and no build passes or fails by them.
 */
@NullMarked
package io.jobscheduler.benchmarks.micro;

import org.jspecify.annotations.NullMarked;
