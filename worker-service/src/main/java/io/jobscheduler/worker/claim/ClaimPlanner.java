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
 * believed to hold work; a flow is one (project, queue). Confined to the claimer's thread.
 */
final class ClaimPlanner {
  private final DeficitRoundRobin<Integer> fairness = new DeficitRoundRobin<>(1);
  private final Map<Integer, QueueState> queues = new HashMap<>();
  private final LongSupplier clock;

  ClaimPlanner(LongSupplier clock) {
    this.clock = clock;
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
   * @param held jobs in hand, by queue id
   */
  ClaimRequest plan(int free, int prefetch, IntUnaryOperator held) {
    long now = clock.getAsLong();
    for (QueueState queue : queues.values()) {
      if (queue.isAskable(now)) {
        fairness.activate(queue.info().id(), queue.info().weight());
      } else {
        fairness.deactivate(queue.info().id());
      }
    }
    Map<Integer, Integer> wanted =
        new LinkedHashMap<>(fairness.plan(free, id -> room(id, free, held)));
    if (prefetch > 0) {
      fairness
          .plan(prefetch, id -> state(id).info().isLimited() ? 0 : prefetch)
          .forEach((id, more) -> wanted.merge(id, more, Integer::sum));
    }
    return request(wanted);
  }

  private int room(int queueId, int free, IntUnaryOperator held) {
    Integer limit = state(queueId).info().maxConcurrency();
    return limit == null ? free : Math.min(free, limit - held.applyAsInt(queueId));
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
    for (ClaimedJob job : got) {
      Position place = new Position(job.dispatchKey(), job.id());
      if (last[job.lane()] == null || last[job.lane()].isBefore(place)) {
        last[job.lane()] = place;
      }
      lowest = Math.min(lowest, job.lane());
    }
    for (int lane = 0; lane < QueueState.LANES; lane++) {
      if (last[lane] != null) {
        queue.lane(lane).takenTo(last[lane]);
      }
    }
    if (got.size() >= wanted) {
      queue.cameInFull(lowest);
    } else {
      fairness.refund(queueId, wanted - got.size());
      queue.cameShort();
    }
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
        boolean look = queue.isResting() || !head.mayHoldWork();
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
          queue.stir();
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
