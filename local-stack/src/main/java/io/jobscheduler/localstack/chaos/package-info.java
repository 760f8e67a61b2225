/**
 * {@code make chaos}: a system under load, faults by a schedule, and a judgement at the end.
 *
 * <p>The schedule is a function of scenario, length and seed alone. Which process a fault meets,
 * and what the system does at that moment, is not: threads and the machine decide that.
 */
@NullMarked
package io.jobscheduler.localstack.chaos;

import org.jspecify.annotations.NullMarked;
