/**
 * Deficit Round Robin: shares service between flows in proportion to their weights.
 *
 * <p>Called by the worker's claim planner, whose flows are (project, queue) pairs. It must not know
 * queues, jobs or limits: the caller says what a head costs and how much a flow can take.
 */
@NullMarked
package io.jobscheduler.algorithms.fairness;

import org.jspecify.annotations.NullMarked;
