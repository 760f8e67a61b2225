package io.jobscheduler.worker.claim;

import static io.jobscheduler.worker.claim.Hand.held;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
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
    return new QueueInfo(
        id, 1, new QueueName("shop", "q" + id), weight, limit, null, null, null, false);
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
                    1,
                    null,
                    null,
                    null))
        .toList();
  }

  private Map<Integer, Integer> plan(int free, int prefetch) {
    return wanted(planner.plan(free, prefetch, held(0)));
  }

  private static Map<Integer, Integer> wanted(ClaimRequest request) {
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
      ClaimRequest request = planner.plan(4, 0, held(0));
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
    assertEquals(5, wanted.get(2), "its share, what is claimed ahead included");
    planner.serve(List.of(queue(1, 1, 10)));
    assertEquals(Map.of(1, 4), plan(4, 6));
    assertEquals(Map.of(), plan(0, 6));
  }

  @Test
  void asksNoMoreThanTheLimitLeavesBesidesWhatIsHeldHere() {
    planner.serve(List.of(queue(1, 1, 3)));
    ClaimRequest request = planner.plan(8, 0, held(2));
    assertEquals(1, request.wanted()[0]);
    assertTrue(planner.plan(8, 0, held(3)).isEmpty());
  }

  @Test
  void limitedQueueThatCameShortIsTriedTwiceSoonThenRests() {
    planner.serve(List.of(queue(1, 1, 5)));
    for (int tries = 0; tries < 3; tries++) {
      ClaimRequest request = planner.plan(2, 0, held(0));
      assertEquals(1, request.queueIds().length, "try " + tries);
      planner.claimed(request, List.of());
      assertTrue(planner.plan(2, 0, held(0)).isEmpty());
      clock.addAndGet(planner.soonIn(1_000_000_000));
    }
    assertTrue(planner.plan(2, 0, held(0)).isEmpty());
    planner.settled(1);
    assertEquals(Map.of(1, 2), plan(2, 0));
  }

  @Test
  void restingQueueIsAskedAgainWhenThePollFindsWork() {
    planner.serve(List.of(queue(1, 1, 5)));
    for (int tries = 0; tries < 3; tries++) {
      planner.claimed(planner.plan(2, 0, held(0)), List.of());
      clock.addAndGet(planner.soonIn(1_000_000_000));
    }
    ClaimRequest probe = planner.probe();
    planner.probed(probe, List.of(new ReadyPlace(1, 4, new Position(7, 7))));
    assertEquals(Map.of(1, 2), plan(2, 0));
  }

  @Test
  void emptyQueueIsNotAskedUntilThePollFindsWork() {
    planner.serve(List.of(queue(1, 1, null)));
    planner.claimed(planner.plan(2, 0, held(0)), List.of());
    assertTrue(planner.plan(2, 0, held(0)).isEmpty());
    planner.probed(planner.probe(), List.of());
    assertTrue(planner.plan(2, 0, held(0)).isEmpty());
    planner.probed(planner.probe(), List.of(new ReadyPlace(1, 9, new Position(7, 7))));
    ClaimRequest request = planner.plan(2, 0, held(0));
    assertEquals(7, request.headKeys()[0][0]);
    assertEquals(Long.MAX_VALUE, request.headKeys()[0][1], "other lanes stay left out");
  }

  @Test
  void claimInFullLeavesLowerLanesAsTheyWereAndClosesHigherOnes() {
    planner.serve(List.of(queue(1, 1, null)));
    ClaimRequest request = planner.plan(2, 0, held(0));
    planner.claimed(request, jobs(1, 2));
    ClaimRequest next = planner.plan(2, 0, held(0));
    assertEquals(Long.MAX_VALUE, next.headKeys()[0][9 - 9]);
    assertEquals(1, next.headKeys()[0][9 - 4]);
    assertEquals(2, next.headIds()[0][9 - 4]);
    assertEquals(Long.MIN_VALUE, next.headKeys()[0][9 - 0]);
  }

  @Test
  void onceAMinuteTheLookStartsFromTheBeginning() {
    planner.serve(List.of(queue(1, 1, null)));
    planner.claimed(planner.plan(3, 0, held(0)), jobs(1, 2));
    assertEquals(1, planner.probe().headKeys()[0][9 - 4]);
    clock.addAndGet(60_000_000_000L);
    assertEquals(Long.MIN_VALUE, planner.probe().headKeys()[0][9 - 4]);
  }

  @Test
  void pausedAndVanishedQueuesAreNotAsked() {
    planner.serve(List.of(queue(1, 1, null), queue(2, 1, null)));
    QueueInfo paused =
        new QueueInfo(1, 1, new QueueName("shop", "q1"), 1, null, null, null, null, true);
    planner.serve(List.of(paused));
    assertTrue(planner.plan(4, 0, held(0)).isEmpty());
  }

  private static ClaimedJob job(int queueId, long key, int cost) {
    return new ClaimedJob(
        key,
        1,
        key,
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
        cost,
        null,
        null,
        null);
  }

  private static QueueInfo keyed(int id) {
    return new QueueInfo(id, 1, new QueueName("shop", "q" + id), 1, null, 1, null, null, false);
  }

  private static QueueInfo rated(int id, int perSecond) {
    QueueInfo.Rate rate = new QueueInfo.Rate(perSecond, Duration.ofSeconds(1), 1);
    return new QueueInfo(id, 1, new QueueName("shop", "q" + id), 1, null, null, rate, null, false);
  }

  /** Fails when only starts are shared out: the queue with long jobs would come to hold all. */
  @Test
  void freedSlotGoesToTheQueueBelowItsShare() {
    planner.serve(List.of(queue(1, 1, null), queue(2, 1, null)));
    for (int i = 0; i < 10; i++) {
      ClaimRequest request = planner.plan(1, 0, held(Map.of(1, 4, 2, 3)));
      assertEquals(Map.of(2, 1), wanted(request));
      planner.claimed(request, List.of(job(2, i, 1)));
    }
    planner.serve(List.of(queue(1, 3, null), queue(2, 1, null)));
    assertEquals(Map.of(1, 2), wanted(planner.plan(2, 0, held(Map.of(1, 4, 2, 2)))));
  }

  @Test
  void noSlotStaysIdleBecauseAQueueHasItsShare() {
    planner.serve(List.of(queue(1, 1, null), queue(2, 1, null)));
    planner.claimed(planner.plan(1, 0, held(0)), List.of());
    planner.claimed(planner.plan(1, 0, held(0)), jobs(2, 1));
    assertEquals(Map.of(2, 3), wanted(planner.plan(3, 0, held(Map.of(2, 5)))));
  }

  @Test
  void deficitIsChargedWithTheCost() {
    planner.serve(List.of(queue(1, 1, null), queue(2, 1, null)));
    Map<Integer, Integer> served = new HashMap<>();
    for (int round = 0; round < 400; round++) {
      ClaimRequest request = planner.plan(1, 0, held(0));
      int id = request.queueIds()[0];
      planner.claimed(request, List.of(job(id, round, id == 1 ? 3 : 1)));
      served.merge(id, 1, Integer::sum);
    }
    assertEquals(Map.of(1, 100, 2, 300), served);
  }

  /** A head past a job with a full key would leave it out until the next look from the start. */
  @Test
  void headsOfAQueueWithAKeyLimitMoveByTheLookOnly() {
    planner.serve(List.of(keyed(1)));
    planner.claimed(planner.plan(2, 0, held(0)), jobs(1, 2));
    ClaimRequest next = planner.plan(2, 0, held(0));
    for (int lane = 0; lane < QueueState.LANES; lane++) {
      assertEquals(Long.MIN_VALUE, next.headKeys()[0][lane]);
    }
    ClaimRequest probe = planner.probe();
    assertEquals(Long.MIN_VALUE, probe.headKeys()[0][9 - 4]);
    planner.probed(probe, List.of(new ReadyPlace(1, 4, new Position(7, 7))));
    next = planner.plan(2, 0, held(0));
    assertEquals(7, next.headKeys()[0][9 - 4]);
    assertEquals(Long.MAX_VALUE, next.headKeys()[0][9 - 5]);
  }

  @Test
  void queueShortOfTokensIsAskedWhenTheNextOneComesAndNotBefore() {
    planner.serve(List.of(rated(1, 2)));
    planner.claimed(planner.plan(2, 0, held(0)), List.of());
    assertEquals(1, planner.shortOfTokens()[0]);
    assertEquals(0, planner.shortOfTokens().length);
    planner.tokenIn(1, 400_000_000);
    planner.settled(1);
    planner.ready(new ReadyPlace(1, 4, new Position(7, 7)));
    planner.probed(planner.probe(), List.of(new ReadyPlace(1, 4, new Position(7, 7))));
    assertEquals(Map.of(), plan(2, 0));
    assertEquals(400_000_000, planner.soonIn(1_000_000_000));
    clock.addAndGet(400_000_000);
    assertEquals(Map.of(1, 2), plan(2, 0));
  }

  @Test
  void tokensThatComeFastAreTakenSeveralAtOnceAndAChangedRateIsNoticed() {
    planner.serve(List.of(rated(1, 2)));
    planner.claimed(planner.plan(2, 0, held(0)), List.of());
    planner.tokenIn(1, 1);
    assertEquals(10_000_000, planner.soonIn(1_000_000_000));
    planner.claimed(planner.plan(2, 0, held(0)), List.of());
    planner.tokenIn(1, Long.MAX_VALUE);
    assertEquals(Map.of(), plan(2, 0));
    planner.serve(List.of(rated(1, 3)));
    planner.settled(1);
    assertEquals(Map.of(1, 2), plan(2, 0));
  }

  /** The poll finds a full queue's jobs each second: one claim for that, not three. */
  @Test
  void fullQueueIsTriedOnceForEachPoll() {
    planner.serve(List.of(queue(1, 1, 5)));
    for (int tries = 0; tries < 3; tries++) {
      planner.claimed(planner.plan(2, 0, held(0)), List.of());
      clock.addAndGet(planner.soonIn(1_000_000_000));
    }
    for (int poll = 0; poll < 3; poll++) {
      planner.probed(planner.probe(), List.of(new ReadyPlace(1, 4, new Position(7, 7))));
      planner.claimed(planner.plan(2, 0, held(0)), List.of());
      assertEquals(1_000_000_000, planner.soonIn(1_000_000_000));
      assertEquals(Map.of(), plan(2, 0));
    }
  }

  @Test
  void othersAreToldOfRoomInLimitedQueuesThatMayHoldWork() {
    planner.serve(List.of(queue(1, 1, 5), queue(2, 1, null)));
    assertTrue(planner.isWaitedForElsewhere(1));
    assertFalse(planner.isWaitedForElsewhere(2));
    planner.claimed(planner.plan(2, 0, held(5)), List.of());
    planner.settled(1);
    planner.claimed(planner.plan(2, 0, held(0)), List.of());
    planner.probed(planner.probe(), List.of());
    assertFalse(planner.isWaitedForElsewhere(1));
  }

  @Test
  void failedClaimConcludesNothing() {
    planner.serve(List.of(queue(1, 1, null)));
    planner.failed(planner.plan(2, 0, held(0)));
    assertEquals(Map.of(1, 2), plan(2, 0));
  }
}
