/**
 * The leader's care of workflows: plans them (levels, critical path and ranks by Kahn's algorithm,
 * independent clusters by union-find), releases the children of wide fans in batches, repairs
 * children whose release was lost, and notes the end.
 *
 * <p>Authority: jobs run by their edges alone, planned or not; a plan only orders them. Each change
 * is a leader transaction; release and sweep recompute from the edges, so repeating them changes
 * nothing.
 *
 * <p>Timing: looked for each second; the sweep walks all blocked jobs every ten seconds.
 *
 * <p>On failure: the round is repeated. A workflow that cannot be planned is logged once, passed
 * over, and tried again ever more rarely; it holds up nobody else.
 */
@NullMarked
package io.jobscheduler.scheduler.workflow;

import org.jspecify.annotations.NullMarked;
