package io.jobscheduler.algorithms.fairness;

import java.util.Map;
import java.util.Objects;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Deficit Round Robin: serves flows in proportion to their weights, whatever their jobs cost.
 *
 * <p>Active flows are visited in a ring. Each visit adds quantum × weight to the flow's deficit;
 * the flow is served while its deficit covers the next cost, which is charged. What is left stays
 * for the next round, so no cost is too large and none unfair. A flow that empties loses its
 * deficit: it cannot save service up for later.
 *
 * <p>The paper's bound holds for {@link #next}: over any interval in which two flows i and j stay
 * backlogged, {@code |sent(i) / f(i) - sent(j) / f(j)| <= Quantum + 2 * Max}, where Quantum is the
 * smallest quantum × weight of the active flows, f(i) is flow i's quantum × weight divided by it,
 * and Max is the largest cost. {@link #plan} keeps it from plan to plan, in units granted, with Max
 * = 1. Costs charged after the claim are a debt that the flow's later visits pay back, so what it
 * is served follows its weight as before; there Max is the most by which one plan's charges
 * exceeded its grant.
 *
 * <p>Source: M. Shreedhar and G. Varghese, "Efficient fair queuing using deficit round-robin",
 * IEEE/ACM Transactions on Networking 4(3), 1996 (the bound is its fairness theorem).
 *
 * <p>Cost, with n active flows: {@code next} O(1) amortised while the quantum covers the usual
 * cost, else O(n) however many rounds a cost needs; {@code plan} O(visited flows), at most O(n log
 * n + n log r) where r is the number of rounds it spans; the rest O(1).
 *
 * <p>Not thread-safe. Functions passed in must not call back.
 *
 * @param <F> keys of the flows, with equals and hashCode
 */
public final class DeficitRoundRobin<F> {
  /** The largest cost, and the largest product of quantum and weight: 2^60. */
  public static final long LARGEST = 1L << 60;

  private final FlowRing<F> ring = new FlowRing<>();
  private final long quantum;

  /**
   * Makes a scheduler without flows.
   *
   * @param quantum what a visit adds to the deficit of a flow of weight 1, in units of cost; 1 to
   *     {@link #LARGEST}
   */
  public DeficitRoundRobin(long quantum) {
    this.quantum = checkCost(quantum);
  }

  /**
   * Says that a flow has something to be served. It goes to the end of the round, without deficit.
   * An active flow keeps its place and deficit; its weight counts from its next visit on.
   *
   * @param weight 1 or more; quantum × weight at most {@link #LARGEST}
   */
  public void activate(F flow, int weight) {
    Objects.requireNonNull(flow);
    if (weight < 1 || weight > LARGEST / quantum) {
      throw new IllegalArgumentException("weight " + weight + " with quantum " + quantum);
    }
    Flow<F> active = ring.get(flow);
    if (active == null) {
      active = ring.add(flow);
    }
    active.credit = quantum * weight;
  }

  /** Says that a flow has nothing more to be served. Its deficit is dropped, and so is its debt. */
  public void deactivate(F flow) {
    ring.remove(flow);
  }

  /** Returns whether the flow is active. */
  public boolean isActive(F flow) {
    return ring.get(flow) != null;
  }

  /** Returns the flow's deficit: below zero when it owes, 0 when it is not active. */
  public long deficit(F flow) {
    Flow<F> active = ring.get(flow);
    return active == null ? 0 : active.deficit;
  }

  /**
   * Chooses the flow whose head is served next, and charges it.
   *
   * @param headCost what the head of an active flow costs, 1 to {@link #LARGEST}; it may be asked
   *     several times
   * @return the flow, or null when none is active
   */
  public @Nullable F next(ToLongFunction<? super F> headCost) {
    int visits = 0;
    Flow<F> flow = ring.visited();
    while (flow != null) {
      ring.credit(flow);
      long cost = checkCost(headCost.applyAsLong(flow.key));
      if (cost <= flow.deficit) {
        flow.deficit -= cost;
        return flow.key;
      }
      flow = flow.next;
      ring.visit(flow);
      if (++visits == ring.size()) {
        skipFruitlessRounds(flow, headCost);
        visits = 0;
      }
    }
    return null;
  }

  /**
   * Plans how many jobs to claim from each active flow, before their costs are known: each counts
   * as one unit. The next plan goes on where this one stopped.
   *
   * <p>A flow that could take no more although slots were left keeps no deficit.
   *
   * @param slots the most to claim in all, 0 or more
   * @param atMost the most to claim from a flow, asked once at most; 0 or less: nothing now
   * @return the flows that may claim, in the order of their service, and how many; together they
   *     fill the slots unless no flow can take more
   */
  public Map<F, Integer> plan(int slots, ToIntFunction<? super F> atMost) {
    if (slots < 0) {
      throw new IllegalArgumentException(slots + " slots");
    }
    return new SlotPlan<>(ring, slots).make(atMost);
  }

  /**
   * Charges what a claim cost beyond its plan. The flow goes into debt if need be, and is passed
   * over until its visits have paid it back. No effect on a flow that is not active.
   *
   * @param extraCost 0 to {@link #LARGEST}; a debt does not grow beyond {@link #LARGEST}
   */
  public void charge(F flow, long extraCost) {
    checkNotNegative(extraCost);
    Flow<F> active = ring.get(flow);
    if (active != null) {
      active.deficit = Math.max(active.deficit - extraCost, -LARGEST);
    }
  }

  /**
   * Gives back what was planned and not claimed. As a flow cannot save service up, its deficit does
   * not grow beyond one visit's quantum × weight. No effect on a flow that is not active.
   *
   * @param cost 0 to {@link #LARGEST}
   */
  public void refund(F flow, long cost) {
    checkNotNegative(cost);
    Flow<F> active = ring.get(flow);
    if (active != null) {
      long limit = Math.max(active.deficit, active.credit);
      active.deficit = Math.min(active.deficit + cost, limit);
    }
  }

  /** After a round that served nobody: gives all the rounds at once that would serve nobody too. */
  private void skipFruitlessRounds(Flow<F> first, ToLongFunction<? super F> headCost) {
    long fruitful = Long.MAX_VALUE;
    Flow<F> flow = first;
    do {
      long cost = checkCost(headCost.applyAsLong(flow.key));
      fruitful = Math.min(fruitful, flow.visitsUntil(cost));
      flow = flow.next;
    } while (flow != first);
    if (fruitful > 1) {
      do {
        flow.deficit += (fruitful - 1) * flow.credit;
        flow = flow.next;
      } while (flow != first);
    }
  }

  private static long checkCost(long cost) {
    if (cost < 1 || cost > LARGEST) {
      throw new IllegalArgumentException("a cost of " + cost + " is not within 1 to " + LARGEST);
    }
    return cost;
  }

  private static void checkNotNegative(long cost) {
    if (cost < 0 || cost > LARGEST) {
      throw new IllegalArgumentException("a cost of " + cost + " is not within 0 to " + LARGEST);
    }
  }
}
