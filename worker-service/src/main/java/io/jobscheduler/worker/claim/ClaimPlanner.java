package io.jobscheduler.worker.claim;

import io.jobscheduler.algorithms.fairness.DeficitRoundRobin;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;

/**
 * Decides which queues the next claim asks, for how many jobs, and from where.
 *
 * <p>Deficit Round Robin (Shreedhar and Varghese, 1996) shares the free slots between the queues
 * believed to hold work; a flow is one (project, queue), and what it is charged is its jobs' cost.
 * That shares out starts. So that it shares out slots too, whatever the jobs take, work in flight
 * counts: a queue that fills its share of all slots (by weight, among those that hold or want some)
 * gets another only when none below its share wants it. A share is seldom whole: it is rounded down
 * for queues that have filled more than it lately, up for others. Nothing stays idle for that.
 * Confined to the claimer's thread.
 */
final class ClaimPlanner {
  private final DeficitRoundRobin<Integer> fairness = new DeficitRoundRobin<>(1);
  private final Map<Integer, QueueState> queues = new HashMap<>();
  private final List<Integer> shortOfTokens = new ArrayList<>();
  private final LongSupplier clock;
  private long plannedNanos;

  ClaimPlanner(LongSupplier clock) {
    this.clock = clock;
    this.plannedNanos = clock.getAsLong();
  }

  /** The queues to serve from now on; heads of those known before are kept. */
  void serve(List<QueueInfo> latest) {
    Set<Integer> ids = new HashSet<>();
    for (QueueInfo info : latest) {
      ids.add(info.id());
      QueueState known = queues.get(info.id());
      if (known == null) {
        queues.put(info.id(), new QueueState(info, clock));
      } else {
        known.update(info);
      }
    }
    queues.keySet().removeIf(id -> forgottenUnless(ids, id));
  }

  private boolean forgottenUnless(Set<Integer> ids, Integer id) {
    if (ids.contains(id)) {
      return false;
    }
    fairness.deactivate(id);
    return true;
  }

  /** A job became ready there. */
  void ready(ReadyPlace place) {
    QueueState queue = queues.get(place.queueId());
    if (queue != null) {
      queue.lane(place.lane()).ready(place.position());
      queue.stir();
    }
  }

  /** Every look and scan starts from the beginning once. */
  void forgetHeads() {
    queues.values().forEach(QueueState::forget);
  }

  /** A job of that queue ended: room under its limit. */
  void settled(int queueId) {
    QueueState queue = queues.get(queueId);
    if (queue != null) {
      queue.stir();
    }
  }

  /**
   * Plans a claim.
   *
   * @param free slots that would start a job at once
   * @param prefetch how many more may wait, from queues without a limit
   */
  ClaimRequest plan(int free, int prefetch, InHand held) {
    long now = clock.getAsLong();
    long weights = 0;
    int all = free;
    for (QueueState queue : queues.values()) {
      int id = queue.info().id();
      int slots = held.slots(id);
      boolean askable = queue.isAskable(now);
      if (askable) {
        fairness.activate(id, queue.info().weight());
      } else {
        fairness.deactivate(id);
      }
      queue.shares = askable || slots > 0;
      weights += queue.shares ? queue.info().weight() : 0;
      all += slots;
    }
    account(now, weights, held);
    Shares shares = new Shares(all, weights, held);
    Map<Integer, Integer> wanted = new LinkedHashMap<>();
    // First to those below their share; the slots that they leave go to whoever has room.
    int left =
        free
            - grant(
                wanted, free, id -> Math.min(room(id, free, held), shares.lackedBy(state(id), 0)));
    grant(wanted, left, id -> room(id, free, held));
    // No slot is idle for what is not claimed ahead, so that stays within the shares.
    grant(
        wanted,
        prefetch,
        id -> state(id).info().isLimited() ? 0 : shares.lackedBy(state(id), prefetch));
    return request(wanted);
  }

  /** Adds to what is wanted, up to so much of each queue in all; how much it was. */
  private int grant(Map<Integer, Integer> wanted, int slots, IntUnaryOperator most) {
    if (slots <= 0) {
      return 0;
    }
    int granted = 0;
    for (Map.Entry<Integer, Integer> grant :
        fairness.plan(slots, id -> most.applyAsInt(id) - wanted.getOrDefault(id, 0)).entrySet()) {
      wanted.merge(grant.getKey(), grant.getValue(), Integer::sum);
      granted += grant.getValue();
    }
    return granted;
  }

  /** Adds up what each queue has filled beyond its share since the last plan. */
  private void account(long now, long weights, InHand held) {
    double filled = 0;
    for (QueueState queue : queues.values()) {
      filled += queue.lastFilled;
    }
    for (QueueState queue : queues.values()) {
      double share = filled * queue.info().weight() / Math.max(weights, 1);
      queue.account(now - plannedNanos, share, held.filled(queue.info().id()));
    }
    plannedNanos = now;
  }

  private record Shares(long slots, long weights, InHand held) {
    /** How many slots a queue lacks of its share; what is claimed ahead is for those behind. */
    int lackedBy(QueueState queue, int ahead) {
      int standing = queue.standing();
      long parts = (slots + (standing > 0 ? 0 : ahead)) * queue.info().weight();
      // One that is behind may catch up even if its share is whole.
      long rounding = standing > 0 ? 0 : standing == 0 ? weights - 1 : weights;
      long share = (parts + rounding) / Math.max(weights, 1);
      return (int) Math.max(share - held.slots(queue.info().id()), 0);
    }
  }

  private int room(int queueId, int free, InHand held) {
    Integer limit = state(queueId).info().maxConcurrency();
    return limit == null ? free : Math.min(free, limit - held.jobs(queueId));
  }

  /** Nanoseconds until a queue that rests for milliseconds may be asked, or {@code atMost}. */
  long soonIn(long atMost) {
    long now = clock.getAsLong();
    long soonest = atMost;
    for (QueueState queue : queues.values()) {
      long soon = queue.soonIn(now);
      if (soon >= 0) {
        soonest = Math.min(soonest, soon);
      }
    }
    return soonest;
  }

  private ClaimRequest request(Map<Integer, Integer> wanted) {
    int n = wanted.size();
    ClaimRequest request =
        new ClaimRequest(
            new int[n], new int[n], new long[n][QueueState.LANES], new long[n][QueueState.LANES]);
    int i = 0;
    for (Map.Entry<Integer, Integer> entry : wanted.entrySet()) {
      request.queueIds()[i] = entry.getKey();
      request.wanted()[i] = entry.getValue();
      QueueState queue = state(entry.getKey());
      for (int lane = 0; lane < QueueState.LANES; lane++) {
        put(request, i, lane, queue.lane(lane).start());
      }
      i++;
    }
    return request;
  }

  /** What a claim brought. */
  void claimed(ClaimRequest request, List<ClaimedJob> jobs) {
    Map<Integer, List<ClaimedJob>> byQueue = new HashMap<>();
    for (ClaimedJob job : jobs) {
      byQueue.computeIfAbsent(job.queueId(), id -> new ArrayList<>()).add(job);
    }
    for (int i = 0; i < request.queueIds().length; i++) {
      int id = request.queueIds()[i];
      note(id, request.wanted()[i], byQueue.getOrDefault(id, List.of()));
    }
  }

  private void note(int queueId, int wanted, List<ClaimedJob> got) {
    QueueState queue = queues.get(queueId);
    if (queue == null) {
      return;
    }
    Position[] last = new Position[QueueState.LANES];
    int lowest = QueueState.LANES;
    int filled = 0;
    for (ClaimedJob job : got) {
      filled += job.cost();
      Position place = new Position(job.dispatchKey(), job.id());
      if (last[job.lane()] == null || last[job.lane()].isBefore(place)) {
        last[job.lane()] = place;
      }
      lowest = Math.min(lowest, job.lane());
    }
    // Where full keys were passed by, jobs stand before the last one that was taken.
    for (int lane = 0; lane < QueueState.LANES && !queue.info().isKeyed(); lane++) {
      if (last[lane] != null) {
        queue.lane(lane).takenTo(last[lane]);
      }
    }
    if (filled >= wanted) {
      fairness.charge(queueId, filled - wanted);
      queue.cameInFull(lowest);
    } else {
      fairness.refund(queueId, wanted - filled);
      queue.cameShort(!got.isEmpty());
      if (queue.info().rate() != null) {
        shortOfTokens.add(queueId);
      }
    }
  }

  /** The queues with a rate that have come short since the last call. */
  int[] shortOfTokens() {
    int[] ids = shortOfTokens.stream().mapToInt(Integer::intValue).toArray();
    shortOfTokens.clear();
    return ids;
  }

  /** The next token of that queue comes in so many nanoseconds; 0: it has one. */
  void tokenIn(int queueId, long nanos) {
    QueueState queue = queues.get(queueId);
    if (queue != null && nanos > 0) {
      queue.restUntilTokenIn(nanos);
    }
  }

  /** Whether another worker may want to know that a job of that queue has ended. */
  boolean isWaitedForElsewhere(int queueId) {
    QueueState queue = queues.get(queueId);
    return queue != null && queue.info().isLimited() && queue.mayHoldWork();
  }

  /** The claim's outcome is not known: nothing is concluded from it. */
  void failed(ClaimRequest request) {
    for (int i = 0; i < request.queueIds().length; i++) {
      fairness.refund(request.queueIds()[i], request.wanted()[i]);
    }
  }

  /**
   * Where the poll looks for work that no wake-up announced: in lanes believed empty, and in all
   * lanes of a limited queue that rests.
   */
  ClaimRequest probe() {
    long now = clock.getAsLong();
    List<QueueState> asked = new ArrayList<>();
    for (QueueState queue : queues.values()) {
      queue.forgetWhenDue(now);
      if (!queue.info().paused()) {
        asked.add(queue);
      }
    }
    int n = asked.size();
    ClaimRequest probe =
        new ClaimRequest(
            new int[n], new int[n], new long[n][QueueState.LANES], new long[n][QueueState.LANES]);
    for (int i = 0; i < n; i++) {
      QueueState queue = asked.get(i);
      probe.queueIds()[i] = queue.info().id();
      for (int lane = 0; lane < QueueState.LANES; lane++) {
        LaneHead head = queue.lane(lane);
        boolean look = queue.isResting() || queue.info().isKeyed() || !head.mayHoldWork();
        put(probe, i, lane, look ? head.probeStart() : Position.NOWHERE);
      }
    }
    return probe;
  }

  private static void put(ClaimRequest request, int row, int lane, Position place) {
    request.headKeys()[row][QueueState.LANES - 1 - lane] = place.key();
    request.headIds()[row][QueueState.LANES - 1 - lane] = place.jobId();
  }

  /** What the poll found: the first ready job of each lane that it looked into. */
  void probed(ClaimRequest probe, List<ReadyPlace> found) {
    Map<Integer, Position[]> firsts = new HashMap<>();
    for (ReadyPlace place : found) {
      firsts.computeIfAbsent(place.queueId(), id -> new Position[QueueState.LANES])[place.lane()] =
          place.position();
    }
    Position[] none = new Position[QueueState.LANES];
    for (int i = 0; i < probe.queueIds().length; i++) {
      QueueState queue = queues.get(probe.queueIds()[i]);
      if (queue == null) {
        continue;
      }
      Position[] first = firsts.getOrDefault(probe.queueIds()[i], none);
      for (int lane = 0; lane < QueueState.LANES; lane++) {
        if (probe.headKeys()[i][QueueState.LANES - 1 - lane] == Position.NOWHERE.key()) {
          continue;
        }
        if (first[lane] == null) {
          queue.lane(lane).exhausted();
        } else {
          queue.lane(lane).found(first[lane]);
          queue.wake();
        }
      }
    }
  }

  private QueueState state(int queueId) {
    QueueState queue = queues.get(queueId);
    if (queue == null) {
      throw new IllegalStateException("queue " + queueId + " is planned and not served");
    }
    return queue;
  }
}
