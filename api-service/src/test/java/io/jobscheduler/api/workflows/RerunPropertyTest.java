package io.jobscheduler.api.workflows;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which members run again, on random graphs in random states, against a plain model. */
class RerunPropertyTest {
  private static final String[] STATES = {
    "succeeded", "succeeded", "dead", "cancelled", "skipped", "skipped", "blocked", "running"
  };
  private static final String[] ON = {"success", "success", "done", "failure"};
  private static final String[] JOINS = {
    null, null, null, "all_done", "any_success", "none_failed"
  };

  private static StoredGraph graph(Random random) {
    int n = 1 + random.nextInt(14);
    List<StoredGraph.Member> members = new ArrayList<>();
    List<StoredGraph.Edge> edges = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      String state = STATES[random.nextInt(STATES.length)];
      String reason =
          state.equals("skipped") && random.nextInt(4) == 0
              ? "skipped-by-hand"
              : "dependency-failed";
      String join = JOINS[random.nextInt(JOINS.length)];
      members.add(new StoredGraph.Member(100 + i, "k" + i, state, reason, join, 1.0));
      for (int parent = 0; parent < i; parent++) {
        if (random.nextInt(4) == 0) {
          edges.add(new StoredGraph.Edge(parent, i, ON[random.nextInt(ON.length)]));
        }
      }
    }
    return new StoredGraph(members, edges);
  }

  /** All that may come back, then one at a time out again until nothing more has to go. */
  private static BitSet model(StoredGraph graph) {
    BitSet back = new BitSet();
    for (int i = 0; i < graph.members().size(); i++) {
      back.set(i, graph.member(i).failed());
    }
    BitSet given = (BitSet) back.clone();
    for (boolean changed = true; changed; ) {
      changed = false;
      for (StoredGraph.Edge edge : graph.edges()) {
        StoredGraph.Member child = graph.member(edge.child());
        if (back.get(edge.parent())
            && !back.get(edge.child())
            && "skipped".equals(child.state())
            && !"skipped-by-hand".equals(child.reason())) {
          back.set(edge.child());
          changed = true;
        }
      }
    }
    for (boolean changed = true; changed; ) {
      changed = false;
      for (StoredGraph.Edge edge : graph.edges()) {
        if (back.get(edge.child())
            && !given.get(edge.child())
            && !back.get(edge.parent())
            && stays(graph.member(edge.parent()), edge.on(), graph.member(edge.child()).join())) {
          back.clear(edge.child());
          changed = true;
        }
      }
    }
    return back;
  }

  /** Whether a parent that stays as it is rules its child out. */
  private static boolean stays(StoredGraph.Member parent, String on, String join) {
    boolean failed = "dead".equals(parent.state()) || "cancelled".equals(parent.state());
    if (List.of("blocked", "running").contains(String.valueOf(parent.state()))) {
      return false;
    } else if (join != null) {
      return join.equals("none_failed") && failed;
    }
    boolean passed =
        "succeeded".equals(parent.state())
            || "skipped".equals(parent.state()) && "skipped-by-hand".equals(parent.reason());
    return on.equals("success") && !passed || on.equals("failure") && !failed;
  }

  @Test
  void bringsBackWhatThePlainModelBringsBack() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 3_000; i++) {
      StoredGraph graph = graph(random);
      BitSet failed = Rerun.of(graph, Rerun.Mode.FAILED);
      assertEquals(model(graph), failed, "seed " + seed + ", graph " + i);
      BitSet more = Rerun.of(graph, Rerun.Mode.FAILED_AND_DOWNSTREAM);
      BitSet all = Rerun.of(graph, Rerun.Mode.ALL);
      // Each mode takes at least what the one before it takes, and nothing that lives.
      assertTrue(failed.stream().allMatch(more::get), "seed " + seed);
      assertTrue(more.stream().allMatch(all::get), "seed " + seed);
      assertTrue(all.stream().allMatch(at -> graph.member(at).ended()), "seed " + seed);
      for (StoredGraph.Edge edge : graph.edges()) {
        assertTrue(
            !more.get(edge.parent())
                || !graph.member(edge.child()).ended()
                || more.get(edge.child()),
            "seed " + seed + ": whatever ended downstream");
      }
      // What is left takes no less than the longest job, and no more than all of them.
      Estimate left = Estimate.of(graph, failed, -1);
      assertTrue(left.atLeast().compareTo(left.work()) <= 0, "seed " + seed);
    }
  }
}
