package io.jobscheduler.schema.jobs;

import io.jobscheduler.schema.jobs.RandomGraph.Edge;
import io.jobscheduler.schema.jobs.RandomGraph.Node;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The plain reference: what may have become of a node, given what became of its parents. Knows
 * nothing of edges' rows, waiving, batches or locks.
 */
final class GraphModel {
  /** How a node ended, or that it is held; {@code reason} tells skips apart. */
  record End(String state, String reason) {
    boolean failed() {
      return Set.of("dead", "cancelled").contains(state)
          || (state.equals("skipped") && "dependency-failed".equals(reason));
    }

    boolean bypassed() {
      return "skipped-by-hand".equals(reason);
    }

    boolean ended() {
      return !state.equals("blocked");
    }
  }

  private enum Verdict {
    MET,
    DOOMED_BY_FAILURE,
    DOOMED,
    DOOMED_BY_ONE_OR_THE_OTHER,
    OPEN
  }

  private static final Set<String> SKIPPED =
      Set.of("skipped condition-not-met", "skipped dependency-skipped");

  private GraphModel() {}

  /**
   * Violations of the rules by how the nodes ended.
   *
   * @param touched nodes that somebody tried to cancel, skip or mark: whether it came in time is
   *     open
   */
  static List<String> violations(RandomGraph graph, Map<Integer, End> ends, Set<Integer> touched) {
    List<String> violations = new ArrayList<>();
    for (int i = 0; i < graph.nodes.size(); i++) {
      Set<String> allowed = allowed(graph, i, ends);
      if (touched.contains(i)) {
        allowed.addAll(
            Set.of(
                "cancelled cancel-requested",
                "skipped skipped-by-hand",
                "succeeded marked-succeeded"));
      }
      End end = ends.get(i);
      if (!allowed.contains(end.state() + " " + end.reason())) {
        violations.add("n" + i + " is " + end + ", not one of " + allowed);
      }
    }
    return violations;
  }

  private static Set<String> allowed(RandomGraph graph, int number, Map<Integer, End> ends) {
    Node node = graph.nodes.get(number);
    Set<String> allowed = new HashSet<>();
    switch (verdict(node, ends)) {
      case MET -> {
        if (node.gate() != null) {
          allowed.add("succeeded gate-passed");
        } else {
          allowed.add((node.dies() ? "dead" : "succeeded") + " null");
        }
      }
      case DOOMED_BY_FAILURE -> allowed.add(failed(graph));
      case DOOMED -> allowed.addAll(SKIPPED);
      // By the parent that ended first.
      case DOOMED_BY_ONE_OR_THE_OTHER -> {
        allowed.add(failed(graph));
        allowed.addAll(SKIPPED);
      }
      default -> allowed.add("blocked null");
    }
    return allowed;
  }

  private static String failed(RandomGraph graph) {
    return graph.hold ? "blocked dependency-failed" : "skipped dependency-failed";
  }

  private static Verdict verdict(Node node, Map<Integer, End> ends) {
    int open = 0;
    int unmet = 0;
    int failedParents = 0;
    int deadParents = 0;
    int succeeded = 0;
    for (Edge edge : node.edges()) {
      End parent = ends.get(edge.parent());
      if (!parent.ended()) {
        open++;
        continue;
      }
      if (meets(edge, parent)) {
        succeeded += parent.state().equals("succeeded") ? 1 : 0;
        continue;
      }
      unmet++;
      failedParents += parent.failed() ? 1 : 0;
      deadParents += Set.of("dead", "cancelled").contains(parent.state()) ? 1 : 0;
    }
    Verdict doomed =
        failedParents == 0
            ? Verdict.DOOMED
            : failedParents == unmet
                ? Verdict.DOOMED_BY_FAILURE
                : Verdict.DOOMED_BY_ONE_OR_THE_OTHER;
    if (open + unmet == 0) {
      return Verdict.MET;
    } else if (node.join() == null) {
      return unmet > 0 ? doomed : Verdict.OPEN;
    }
    return switch (node.join()) {
      case "any_success" -> succeeded > 0 ? Verdict.MET : open > 0 ? Verdict.OPEN : doomed;
      case "none_failed" -> deadParents > 0 ? doomed : open > 0 ? Verdict.OPEN : Verdict.MET;
      default -> open > 0 ? Verdict.OPEN : Verdict.MET;
    };
  }

  private static boolean meets(Edge edge, End parent) {
    return switch (edge.on()) {
      case "success" -> parent.state().equals("succeeded") || parent.bypassed();
      case "done" -> true;
      default -> Set.of("dead", "cancelled").contains(parent.state());
    };
  }
}
