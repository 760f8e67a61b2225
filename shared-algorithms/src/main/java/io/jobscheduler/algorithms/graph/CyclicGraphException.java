package io.jobscheduler.algorithms.graph;

/**
 * Thrown when a graph that must be acyclic is not. {@link CycleFinder} names a cycle of it.
 *
 * <p>Immutable.
 */
public final class CyclicGraphException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int remaining;

  CyclicGraphException(int remaining) {
    super(remaining + " nodes lie on a cycle or behind one");
    this.remaining = remaining;
  }

  /** Returns how many nodes could not be ordered: those on a cycle or reachable from one. */
  public int remaining() {
    return remaining;
  }
}
