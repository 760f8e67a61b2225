package io.jobscheduler.worker.claim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClaimPlannerTest {
  private final AtomicLong clock = new AtomicLong();
  private final ClaimPlanner planner = new ClaimPlanner(clock::get);

  private static QueueInfo queue(int id, int weight, Integer limit) {
    return new QueueInfo(id, 1, new QueueName("shop", "q" + id), weight, limit, false, null);
  }

  private static List<ClaimedJob> jobs(int queueId, int count) {
    return IntStream.range(0, count)
        .mapToObj(
            i ->
                new ClaimedJob(
                    i,
                    1,
                    i,
                    4,
                    queueId,
                    1,
                    new QueueName("shop", "q"),
                    null,
                    1,
                    1,
                    4,
                    "t",
                    null,
                    null,
                    null))
        .toList();
  }

  private Map<Integer, Integer> plan(int free, int prefetch) {
    ClaimRequest request = planner.plan(free, prefetch, id -> 0);
    Map<Integer, Integer> wanted = new HashMap<>();
    for (int i = 0; i < request.queueIds().length; i++) {
      wanted.put(request.queueIds()[i], request.wanted()[i]);
    }
    return wanted;
  }

  @Test
  void sharesSlotsByWeightWhenAllQueuesHaveWork() {
    planner.serve(List.of(queue(1, 3, null), queue(2, 1, null)));
    Map<Integer, Integer> total = new HashMap<>();
    for (int round = 0; round < 100; round++) {
      ClaimRequest request = planner.plan(4, 0, id -> 0);
      List<ClaimedJob> got = new ArrayList<>();
      for (int i = 0; i < request.queueIds().length; i++) {
        total.merge(request.queueIds()[i], request.wanted()[i], Integer::sum);
        got.addAll(jobs(request.queueIds()[i], request.wanted()[i]));
      }
      planner.claimed(request, got);
    }
    assertEquals(Map.of(1, 300, 2, 100), total);
  }

  @Test
  void prefetchesFromUnlimitedQueuesOnly() {
    planner.serve(List.of(queue(1, 1, 10), queue(2, 1, null)));
    Map<Integer, Integer> wanted = plan(4, 6);
    assertEquals(2, wanted.get(1));
    assertEquals(8, wanted.get(2));
    planner.serve(List.of(queue(1, 1, 10)));
    assertEquals(Map.of(1, 4), plan(4, 6));
    assertEquals(Map.of(), plan(0, 6));
  }

  @Test
  void asksNoMoreThanTheLimitLeavesBesidesWhatIsHeldHere() {
    planner.serve(List.of(queue(1, 1, 3)));
    ClaimRequest request = planner.plan(8, 0, id -> 2);
    assertEquals(1, request.wanted()[0]);
    assertTrue(planner.plan(8, 0, id -> 3).isEmpty());
  }

  @Test
  void limitedQueueThatCameShortIsTriedTwiceSoonThenRests() {
    planner.serve(List.of(queue(1, 1, 5)));
    for (int tries = 0; tries < 3; tries++) {
      ClaimRequest request = planner.plan(2, 0, id -> 0);
      assertEquals(1, request.queueIds().length, "try " + tries);
      planner.claimed(request, List.of());
      assertTrue(planner.plan(2, 0, id -> 0).isEmpty());
      clock.addAndGet(planner.soonIn(1_000_000_000));
    }
    assertTrue(planner.plan(2, 0, id -> 0).isEmpty());
    planner.settled(1);
    assertEquals(Map.of(1, 2), plan(2, 0));
  }

  @Test
  void restingQueueIsAskedAgainWhenThePollFindsWork() {
    planner.serve(List.of(queue(1, 1, 5)));
    for (int tries = 0; tries < 3; tries++) {
      planner.claimed(planner.plan(2, 0, id -> 0), List.of());
      clock.addAndGet(planner.soonIn(1_000_000_000));
    }
    ClaimRequest probe = planner.probe();
    planner.probed(probe, List.of(new ReadyPlace(1, 4, new Position(7, 7))));
    assertEquals(Map.of(1, 2), plan(2, 0));
  }

  @Test
  void emptyQueueIsNotAskedUntilThePollFindsWork() {
    planner.serve(List.of(queue(1, 1, null)));
    planner.claimed(planner.plan(2, 0, id -> 0), List.of());
    assertTrue(planner.plan(2, 0, id -> 0).isEmpty());
    planner.probed(planner.probe(), List.of());
    assertTrue(planner.plan(2, 0, id -> 0).isEmpty());
    planner.probed(planner.probe(), List.of(new ReadyPlace(1, 9, new Position(7, 7))));
    ClaimRequest request = planner.plan(2, 0, id -> 0);
    assertEquals(7, request.headKeys()[0][0]);
    assertEquals(Long.MAX_VALUE, request.headKeys()[0][1], "other lanes stay left out");
  }

  @Test
  void claimInFullLeavesLowerLanesAsTheyWereAndClosesHigherOnes() {
    planner.serve(List.of(queue(1, 1, null)));
    ClaimRequest request = planner.plan(2, 0, id -> 0);
    planner.claimed(request, jobs(1, 2));
    ClaimRequest next = planner.plan(2, 0, id -> 0);
    assertEquals(Long.MAX_VALUE, next.headKeys()[0][9 - 9]);
    assertEquals(1, next.headKeys()[0][9 - 4]);
    assertEquals(2, next.headIds()[0][9 - 4]);
    assertEquals(Long.MIN_VALUE, next.headKeys()[0][9 - 0]);
  }

  @Test
  void onceAMinuteTheLookStartsFromTheBeginning() {
    planner.serve(List.of(queue(1, 1, null)));
    planner.claimed(planner.plan(3, 0, id -> 0), jobs(1, 2));
    assertEquals(1, planner.probe().headKeys()[0][9 - 4]);
    clock.addAndGet(60_000_000_000L);
    assertEquals(Long.MIN_VALUE, planner.probe().headKeys()[0][9 - 4]);
  }

  @Test
  void pausedAndVanishedQueuesAreNotAsked() {
    planner.serve(List.of(queue(1, 1, null), queue(2, 1, null)));
    QueueInfo paused = new QueueInfo(1, 1, new QueueName("shop", "q1"), 1, null, true, null);
    planner.serve(List.of(paused));
    assertTrue(planner.plan(4, 0, id -> 0).isEmpty());
  }

  @Test
  void failedClaimConcludesNothing() {
    planner.serve(List.of(queue(1, 1, null)));
    planner.failed(planner.plan(2, 0, id -> 0));
    assertEquals(Map.of(1, 2), plan(2, 0));
  }
}
