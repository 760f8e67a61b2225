/**
 * Directed graphs of int nodes: cycles, execution plans, independent clusters.
 *
 * <p>Called by the API (a submitted workflow with a cycle is refused, the cycle named) and by the
 * scheduler's leader (levels, critical path, ranks and clusters of stored workflows). It must not
 * know jobs or workflows: callers map theirs to nodes 0..n-1. Nothing here recurses, and everything
 * is linear in nodes plus edges, so that a chain of a million nodes is no danger.
 */
@NullMarked
package io.jobscheduler.algorithms.graph;

import org.jspecify.annotations.NullMarked;
