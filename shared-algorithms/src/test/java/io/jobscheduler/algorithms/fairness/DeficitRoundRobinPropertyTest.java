package io.jobscheduler.algorithms.fairness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.algorithms.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Random operations against the plain model, and the paper's bound. */
class DeficitRoundRobinPropertyTest {
  private static final int FLOWS = 8;

  private static final class Run {
    final Random random;
    final DeficitRoundRobin<Integer> flows;
    final PlainRoundRobin model;

    Run(Random random) {
      this.random = random;
      long quantum = 1 + random.nextInt(random.nextBoolean() ? 3 : 100);
      this.flows = new DeficitRoundRobin<>(quantum);
      this.model = new PlainRoundRobin(quantum);
    }

    void step() {
      int flow = random.nextInt(FLOWS);
      int amount = random.nextInt(random.nextInt(10) == 0 ? 500 : 20);
      switch (random.nextInt(7)) {
        case 0, 1 -> {
          int weight = 1 + random.nextInt(10);
          flows.activate(flow, weight);
          model.activate(flow, weight);
        }
        case 2 -> {
          flows.deactivate(flow);
          model.deactivate(flow);
        }
        case 3 -> {
          flows.charge(flow, amount);
          model.charge(flow, amount);
        }
        case 4 -> {
          flows.refund(flow, amount);
          model.refund(flow, amount);
        }
        case 5 -> {
          int[] costs = random.ints(FLOWS, 1, 2 + amount).toArray();
          assertEquals(model.next(f -> costs[f]), flows.next(f -> costs[f]));
        }
        default -> plan(amount);
      }
      for (int f = 0; f < FLOWS; f++) {
        assertEquals(model.deficit(f), flows.deficit(f), "deficit of " + f);
      }
    }

    void plan(int slots) {
      int most = 1 + random.nextInt(random.nextBoolean() ? 5 : 1_000);
      int[] atMost = random.ints(FLOWS, -2, most).toArray();
      Map<Integer, Integer> plan = flows.plan(slots, f -> atMost[f]);
      Map<Integer, Integer> expected = model.plan(slots, f -> atMost[f]);
      assertEquals(List.copyOf(expected.entrySet()), List.copyOf(plan.entrySet()));
      long room = 0;
      for (int f = 0; f < FLOWS; f++) {
        room += flows.isActive(f) ? Math.max(0, atMost[f]) : 0;
        assertTrue(plan.getOrDefault(f, 0) <= Math.max(0, atMost[f]));
      }
      assertEquals(Math.min(slots, room), sum(plan), "it fills the slots if it can");
    }
  }

  @Test
  void behavesAsThePlainAlgorithm() {
    Seed.check(
        500,
        random -> {
          Run run = new Run(random);
          for (int i = 0; i < 200; i++) {
            run.step();
          }
        });
  }

  /** Flows 0 and 1 are backlogged throughout, the others come and go. */
  @Test
  void keepsThePapersBoundWhateverTheCosts() {
    Seed.check(
        300,
        random -> {
          long quantum = 1 + random.nextInt(50);
          DeficitRoundRobin<Integer> flows = new DeficitRoundRobin<>(quantum);
          int[] weights = random.ints(FLOWS, 1, 20).toArray();
          long largest = 1 + random.nextInt(200);
          long[] heads = random.longs(FLOWS, 1, largest + 1).toArray();
          Fairness fairness = new Fairness(quantum, weights[0], weights[1], largest);
          flows.activate(0, weights[0]);
          flows.activate(1, weights[1]);
          for (int i = 0; i < 2_000; i++) {
            int other = 2 + random.nextInt(FLOWS - 2);
            if (random.nextInt(10) == 0) {
              flows.activate(other, weights[other]);
            } else if (random.nextInt(10) == 0) {
              flows.deactivate(other);
            }
            int served = flows.next(f -> heads[f]);
            fairness.served(served, heads[served]);
            fairness.check();
            heads[served] = 1 + random.nextLong(largest);
            assertTrue(flows.deficit(served) >= 0);
            assertTrue(flows.deficit(served) < largest + quantum * weights[served]);
          }
        });
  }

  @Test
  void keepsThePapersBoundInPlannedUnits() {
    Seed.check(
        300,
        random -> {
          long quantum = 1 + random.nextInt(5);
          DeficitRoundRobin<Integer> flows = new DeficitRoundRobin<>(quantum);
          int[] weights = random.ints(FLOWS, 1, 20).toArray();
          Fairness fairness = new Fairness(quantum, weights[0], weights[1], 1);
          for (int f = 0; f < FLOWS; f++) {
            flows.activate(f, weights[f]);
          }
          for (int i = 0; i < 200; i++) {
            int slots = random.nextInt(100);
            int scarce = random.nextInt(5);
            Map<Integer, Integer> plan = flows.plan(slots, f -> f < 2 ? slots : scarce);
            plan.forEach(fairness::served);
            fairness.check();
            assertEquals(slots, sum(plan));
          }
        });
  }

  /** Each planned job turns out to cost more; the debts keep the service true to the weights. */
  @Test
  void keepsTheBoundWhenCostsAreChargedAfterTheClaim() {
    Seed.check(
        300,
        random -> {
          long quantum = 1 + random.nextInt(5);
          DeficitRoundRobin<Integer> flows = new DeficitRoundRobin<>(quantum);
          int[] weights = random.ints(FLOWS, 1, 20).toArray();
          int slots = 1 + random.nextInt(50);
          long largest = 1 + random.nextInt(30);
          Fairness fairness =
              new Fairness(quantum, weights[0], weights[1], Math.max(1, slots * (largest - 1)));
          for (int f = 0; f < FLOWS; f++) {
            flows.activate(f, weights[f]);
          }
          for (int i = 0; i < 200; i++) {
            Map<Integer, Integer> plan = flows.plan(slots, f -> slots);
            plan.forEach(
                (flow, jobs) -> {
                  long cost = random.longs(jobs, 1, largest + 1).sum();
                  flows.charge(flow, cost - jobs);
                  fairness.served(flow, cost);
                });
            fairness.check();
          }
        });
  }

  /**
   * The paper's fairness measure of flows 0 and 1, over every interval between two checks: the
   * largest difference there was is that of the highest and the lowest value so far.
   */
  private static final class Fairness {
    final long weight0;
    final long weight1;
    final long bound;
    long ahead;
    long highest;
    long lowest;

    Fairness(long quantum, long weight0, long weight1, long largestCost) {
      this.weight0 = weight0;
      this.weight1 = weight1;
      // Quantum + 2 Max, with Quantum the smaller of the two; multiplied by weight0 × weight1 to
      // stay
      // in whole numbers, and so is what was sent.
      long smallest = Math.min(weight0, weight1);
      this.bound = (quantum * smallest + 2 * largestCost) * weight0 * weight1 / smallest;
    }

    void served(int flow, long cost) {
      if (flow > 1) {
        return;
      }
      ahead += flow == 0 ? cost * weight1 : -cost * weight0;
    }

    void check() {
      highest = Math.max(highest, ahead);
      lowest = Math.min(lowest, ahead);
      assertTrue(highest - lowest <= bound, () -> highest + " to " + lowest + " of " + bound);
    }
  }

  private static long sum(Map<Integer, Integer> plan) {
    return new ArrayList<>(plan.values()).stream().mapToLong(units -> units).sum();
  }
}
