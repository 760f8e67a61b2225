package io.jobscheduler.algorithms.fairness;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * One call of {@link DeficitRoundRobin#plan}: hands slots to flows as unit costs.
 *
 * <p>The first round visits flow by flow and mostly exhausts the slots. If not, the number of whole
 * rounds that do not exhaust them is found by bisection and given at once, so that neither large
 * weights nor deep debts cost a step per unit; the round after it is visited flow by flow again.
 */
final class SlotPlan<F> {
  private final FlowRing<F> ring;
  private final Map<F, Integer> granted = new LinkedHashMap<>();
  private final List<Flow<F>> open = new ArrayList<>();
  private long left;

  SlotPlan(FlowRing<F> ring, int slots) {
    this.ring = ring;
    this.left = slots;
  }

  Map<F, Integer> make(ToIntFunction<? super F> atMost) {
    Flow<F> first = ring.visited();
    if (first == null || left == 0) {
      return granted;
    }
    firstRound(first, atMost);
    if (left > 0) {
      wholeRounds();
      open.removeIf(flow -> flow.room == 0);
      // When no flow can take more, the next plan begins where this one did: rounds were whole.
      lastRound();
    }
    return granted;
  }

  private void firstRound(Flow<F> first, ToIntFunction<? super F> atMost) {
    Flow<F> flow = first;
    do {
      flow.room = Math.max(0, atMost.applyAsInt(flow.key));
      serve(flow);
      if (flow.room > 0) {
        open.add(flow);
      }
      flow = flow.next;
    } while (flow != first && left > 0);
  }

  private void lastRound() {
    for (Flow<F> flow : open) {
      if (left == 0) {
        return;
      }
      ring.visit(flow);
      serve(flow);
    }
  }

  /** Serves the visited flow and goes on to the next, unless the slots end within this visit. */
  private void serve(Flow<F> flow) {
    if (flow.room > 0) {
      ring.credit(flow);
      long taken = Math.max(0, Math.min(Math.min(flow.deficit, flow.room), left));
      flow.deficit -= taken;
      flow.room -= taken;
      grant(flow, taken);
      if (left == 0 && flow.deficit > 0) {
        return;
      }
    }
    if (flow.room == 0) {
      // What cannot be served saves no credit, as an emptied queue does not; a debt stays.
      flow.deficit = Math.min(flow.deficit, 0);
    }
    ring.visit(flow.next);
  }

  private void wholeRounds() {
    long tooMany = 1;
    for (Flow<F> flow : open) {
      tooMany = Math.max(tooMany, flow.visitsUntil(flow.room) + 1);
    }
    long rounds = 0;
    while (tooMany - rounds > 1) {
      long middle = rounds + (tooMany - rounds) / 2;
      if (leavesSlots(middle)) {
        rounds = middle;
      } else {
        tooMany = middle;
      }
    }
    List<Flow<F>> byFirstUnit = new ArrayList<>(open);
    byFirstUnit.sort(Comparator.comparingLong(flow -> flow.visitsUntil(1)));
    for (Flow<F> flow : byFirstUnit) {
      grant(flow, flow.takeIn(rounds));
    }
  }

  private boolean leavesSlots(long rounds) {
    long after = left;
    for (Flow<F> flow : open) {
      after -= flow.takenIn(rounds);
      if (after <= 0) {
        return false;
      }
    }
    return true;
  }

  private void grant(Flow<F> flow, long units) {
    if (units > 0) {
      granted.merge(flow.key, (int) units, Integer::sum);
      left -= units;
    }
  }
}
