package io.jobscheduler.api.workflows;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Chooses which ended members of a workflow run again. Each choice is closed: what was skipped
 * because of a member that runs again comes back with it, unless another parent, which stays ended,
 * forbids that.
 *
 * <p>Cost: O(members + edges).
 */
final class Rerun {
  /** What a retry of a workflow takes. */
  enum Mode {
    /** What is dead or cancelled, and what was skipped because of it. */
    FAILED,
    /** Those, and whatever has ended downstream of them. */
    FAILED_AND_DOWNSTREAM,
    /** Every member that has ended. */
    ALL;

    /** The mode of that name; null when there is none. */
    static @Nullable Mode of(String label) {
      return switch (label) {
        case "failed" -> FAILED;
        case "failed-and-downstream" -> FAILED_AND_DOWNSTREAM;
        case "all" -> ALL;
        default -> null;
      };
    }
  }

  private final StoredGraph graph;
  private final BitSet chosen;

  private Rerun(StoredGraph graph) {
    this.graph = graph;
    this.chosen = new BitSet(graph.members().size());
  }

  /** The positions of the members that {@code mode} runs again. */
  static BitSet of(StoredGraph graph, Mode mode) {
    Rerun rerun = new Rerun(graph);
    for (int i = 0; i < graph.members().size(); i++) {
      StoredGraph.Member member = graph.member(i);
      if (mode == Mode.ALL ? member.ended() : member.failed()) {
        rerun.chosen.set(i);
      }
    }
    switch (mode) {
      case FAILED -> rerun.bringSkippedBack();
      case FAILED_AND_DOWNSTREAM ->
          rerun.reach().stream().filter(i -> graph.member(i).ended()).forEach(rerun.chosen::set);
      case ALL -> {
        // Closed already.
      }
    }
    return rerun.chosen;
  }

  /** One ended member, and what was skipped because of it. */
  static BitSet ofOne(StoredGraph graph, int position) {
    Rerun rerun = new Rerun(graph);
    rerun.chosen.set(position);
    rerun.bringSkippedBack();
    return rerun.chosen;
  }

  private BitSet reach() {
    BitSet reached = (BitSet) chosen.clone();
    Deque<Integer> open = new ArrayDeque<>();
    chosen.stream().forEach(open::add);
    while (!open.isEmpty()) {
      for (StoredGraph.Edge edge : graph.from(open.remove())) {
        if (!reached.get(edge.child())) {
          reached.set(edge.child());
          open.add(edge.child());
        }
      }
    }
    return reached;
  }

  private void bringSkippedBack() {
    BitSet given = (BitSet) chosen.clone();
    Deque<Integer> open = new ArrayDeque<>();
    chosen.stream().forEach(open::add);
    while (!open.isEmpty()) {
      for (StoredGraph.Edge edge : graph.from(open.remove())) {
        StoredGraph.Member child = graph.member(edge.child());
        if (!chosen.get(edge.child()) && "skipped".equals(child.state()) && !child.bypassed()) {
          chosen.set(edge.child());
          open.add(edge.child());
        }
      }
    }
    leaveDoomed(given);
  }

  /**
   * Takes out what a parent that stays as it ended forbids, and then what that one's end forbids.
   */
  private void leaveDoomed(BitSet given) {
    Deque<Integer> left = new ArrayDeque<>();
    for (StoredGraph.Edge edge : graph.edges()) {
      leaveIfForbidden(edge, given, left);
    }
    while (!left.isEmpty()) {
      for (StoredGraph.Edge edge : graph.from(left.remove())) {
        leaveIfForbidden(edge, given, left);
      }
    }
  }

  private void leaveIfForbidden(StoredGraph.Edge edge, BitSet given, Deque<Integer> left) {
    int child = edge.child();
    if (chosen.get(child) && !given.get(child) && !chosen.get(edge.parent()) && forbids(edge)) {
      chosen.clear(child);
      left.add(child);
    }
  }

  /** Whether the parent, as it has ended, keeps the child from ever running. */
  private boolean forbids(StoredGraph.Edge edge) {
    StoredGraph.Member parent = graph.member(edge.parent());
    String join = graph.member(edge.child()).join();
    if (!parent.ended()) {
      return false;
    }
    if (join != null) {
      return join.equals("none_failed") && parent.failed();
    }
    return switch (edge.on()) {
      case "success" -> !"succeeded".equals(parent.state()) && !parent.bypassed();
      case "failure" -> !parent.failed();
      default -> false;
    };
  }
}
