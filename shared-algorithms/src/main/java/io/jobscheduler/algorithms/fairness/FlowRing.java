package io.jobscheduler.algorithms.fairness;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The active flows in a ring, the one being visited marked: the paper's ActiveList. All O(1).
 *
 * <p>A new flow goes before the visited one, so it is the last of the round.
 */
final class FlowRing<F> {
  private final Map<F, Flow<F>> byKey = new HashMap<>();
  private @Nullable Flow<F> visited;

  /** Whether the visited flow has had this visit's credit. */
  private boolean credited;

  int size() {
    return byKey.size();
  }

  @Nullable Flow<F> get(F key) {
    return byKey.get(key);
  }

  @Nullable Flow<F> visited() {
    return visited;
  }

  Flow<F> add(F key) {
    Flow<F> flow = new Flow<>(key);
    byKey.put(key, flow);
    if (visited == null) {
      visited = flow;
    } else {
      flow.next = visited;
      flow.previous = visited.previous;
      flow.previous.next = flow;
      visited.previous = flow;
    }
    return flow;
  }

  void remove(F key) {
    Flow<F> flow = byKey.remove(key);
    if (flow == null) {
      return;
    }
    if (flow == visited) {
      visited = flow.next == flow ? null : flow.next;
      credited = false;
    }
    flow.previous.next = flow.next;
    flow.next.previous = flow.previous;
  }

  /** Gives the visited flow the credit of this visit, unless it has had it. */
  void credit(Flow<F> flow) {
    if (!credited) {
      flow.deficit += flow.credit;
      credited = true;
    }
  }

  /** Ends the present visit; the next one is {@code flow}'s. */
  void visit(Flow<F> flow) {
    visited = flow;
    credited = false;
  }
}
