package io.jobscheduler.worker.claim;

import static io.jobscheduler.worker.claim.FairShares.MILLI;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.worker.Seed;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What queues get of a worker, judged by exact runs of the planner on a virtual clock. */
class FairnessPropertyTest {
  private static final int SLOTS = 8;
  private static final long SECOND = 1_000 * MILLI;

  /**
   * A saturated queue beside ten small ones that want 30 % of the slots, jobs of 20 ms: of the
   * small queues' jobs 95 % wait no longer than one run and one round of all queues.
   */
  @Test
  void smallQueuesWaitOneRunAndOneRoundAtMost() {
    for (int prefetch : new int[] {0, 4}) {
      Seed.check(
          "FairnessPropertyTest.small" + prefetch,
          10,
          random -> {
            FairShares worker = new FairShares(SLOTS, prefetch);
            worker.queue(0, 1, 20);
            worker.arrive(0, 0, 100_000);
            for (int queue = 1; queue <= 10; queue++) {
              worker.queue(queue, 1, 20);
              long at = 0;
              while (at < 10 * SECOND) {
                at += (long) (-Math.log(1 - random.nextDouble()) / 12 * SECOND);
                worker.arrive(queue, at, 1);
              }
            }
            worker.runTo(10 * SECOND);
            List<Long> waits = new ArrayList<>();
            for (int queue = 1; queue <= 10; queue++) {
              waits.addAll(worker.waits(queue));
            }
            assertTrue(waits.size() > 500, "started " + waits.size());
            Collections.sort(waits);
            long p95 = waits.get(waits.size() * 95 / 100);
            long run = 20 * MILLI;
            long round = run * 11 / SLOTS;
            assertTrue(p95 <= run + round, "p95 of the wait: " + p95 / 1e6 + " ms");
            assertTrue(worker.started(0) > 2_000, "the saturated one gets the rest");
          });
    }
  }

  @Test
  void saturatedQueuesShareBySlotsAndWeightInEveryTenSeconds() {
    Seed.check(
        "FairnessPropertyTest.weights",
        15,
        random -> {
          List<Integer> weights = new ArrayList<>();
          List<Long> runs = new ArrayList<>();
          int queues = 2 + random.nextInt(11);
          for (int i = 0; i < queues; i++) {
            weights.add(1 + random.nextInt(5));
            runs.add(20L);
          }
          assertShares(random.nextBoolean() ? 4 : 0, weights, runs);
        });
  }

  /** Fails when only starts are shared out: the queue with the longest jobs holds most slots. */
  @Test
  void queuesWithLongJobsGetNoMoreSlotsThanOthers() {
    Seed.check(
        "FairnessPropertyTest.runs",
        15,
        random -> {
          List<Integer> weights = new ArrayList<>();
          List<Long> runs = new ArrayList<>();
          int queues = 2 + random.nextInt(3);
          for (int i = 0; i < queues; i++) {
            weights.add(1);
            runs.add(5L + random.nextInt(200));
          }
          assertShares(0, weights, runs);
        });
  }

  private static void assertShares(int prefetch, List<Integer> weights, List<Long> runs) {
    FairShares worker = new FairShares(SLOTS, prefetch);
    for (int i = 0; i < weights.size(); i++) {
      worker.queue(i, weights.get(i), runs.get(i));
      // More than all slots could run in the time.
      worker.arrive(i, 0, (int) (31_000 * SLOTS / runs.get(i)));
    }
    for (int window = 1; window <= 3; window++) {
      worker.runTo(window * 10 * SECOND);
      List<Double> shares = new ArrayList<>();
      for (int i = 0; i < weights.size(); i++) {
        shares.add(worker.takeBusy(i) / (double) weights.get(i));
      }
      double jain = FairShares.jain(shares);
      assertTrue(jain >= 0.98, "Jain index " + jain + " of " + shares + " by " + weights + runs);
    }
  }

  /** One tenant's 100,000 jobs, then one job of another: it starts within a round. */
  @Test
  void oneJobBesideAFloodStartsWithinARound() {
    FairShares worker = new FairShares(SLOTS, 4);
    worker.queue(0, 1, 20);
    worker.queue(1, 1, 20);
    worker.queue(2, 1, 20);
    worker.arrive(0, 0, 100_000);
    worker.arrive(1, 1_005 * MILLI, 1);
    worker.arrive(2, 1_005 * MILLI, 10);
    worker.runTo(2 * SECOND);
    assertTrue(worker.waits(1).get(0) <= 20 * MILLI + 8, "waited " + worker.waits(1));
    assertTrue(Collections.max(worker.waits(2)) <= 100 * MILLI, "waited " + worker.waits(2));
  }
}
