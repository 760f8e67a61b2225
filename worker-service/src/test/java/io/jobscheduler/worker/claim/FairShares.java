package io.jobscheduler.worker.claim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * One worker's planner over queues that are a model, on a virtual clock: every claim, start and end
 * happens at its instant, so a run is exact and takes no time. Claims are instantaneous.
 */
final class FairShares {
  static final long MILLI = 1_000_000;

  private record Job(int queue, long readyAt, long id) {}

  private record Ahead(long claim, Job job) {}

  private record Running(Job job, long startedAt, long endsAt) {}

  private final int slots;
  private final int prefetch;
  private final Map<Integer, Long> runNanos = new HashMap<>();
  private final Map<Integer, Deque<Job>> ready = new HashMap<>();
  private final PriorityQueue<Job> arrivals =
      new PriorityQueue<>(Comparator.comparingLong(Job::readyAt).thenComparingLong(Job::id));
  private final PriorityQueue<Running> running =
      new PriorityQueue<>(Comparator.comparingLong(Running::endsAt));
  // As in the dispatcher: claim by claim, and of one claim by ready time.
  private final PriorityQueue<Ahead> claimedAhead =
      new PriorityQueue<>(
          Comparator.comparingLong(Ahead::claim)
              .thenComparingLong(ahead -> ahead.job().readyAt())
              .thenComparingLong(ahead -> ahead.job().id()));
  private final Map<Integer, Integer> held = new HashMap<>();
  private final Map<Integer, Integer> filled = new HashMap<>();
  private final Map<Integer, Long> busy = new HashMap<>();
  private final Map<Integer, List<Long>> waits = new HashMap<>();
  private final List<QueueInfo> queues = new ArrayList<>();
  private final ClaimPlanner planner = new ClaimPlanner(() -> this.now);
  private long now;
  private long ids;
  private long claims;

  FairShares(int slots, int prefetch) {
    this.slots = slots;
    this.prefetch = prefetch;
  }

  void queue(int id, int weight, long runMillis) {
    QueueName name = new QueueName("shop", "q" + id);
    queues.add(new QueueInfo(id, 1, name, weight, null, null, null, null, false));
    ready.put(id, new ArrayDeque<>());
    waits.put(id, new ArrayList<>());
    runNanos.put(id, runMillis * MILLI);
    planner.serve(queues);
  }

  void arrive(int queue, long atNanos, int jobs) {
    for (int i = 0; i < jobs; i++) {
      arrivals.add(new Job(queue, atNanos, ++ids));
    }
  }

  /** Runs up to that instant. */
  void runTo(long nanos) {
    while (true) {
      long next = Math.min(nextArrival(), running.isEmpty() ? Long.MAX_VALUE : nextEnd());
      if (next > nanos) {
        now = nanos;
        return;
      }
      now = next;
      while (nextArrival() == now) {
        Job job = arrivals.remove();
        ready.get(job.queue()).add(job);
        planner.ready(new ReadyPlace(job.queue(), 4, new Position(job.readyAt(), job.id())));
      }
      while (!running.isEmpty() && nextEnd() == now) {
        Running ended = running.remove();
        int queue = ended.job().queue();
        held.merge(queue, -1, Integer::sum);
        filled.merge(queue, -1, Integer::sum);
        busy.merge(queue, ended.endsAt() - ended.startedAt(), Long::sum);
        planner.settled(queue);
        startNext();
      }
      claim();
    }
  }

  private long nextArrival() {
    return arrivals.isEmpty() ? Long.MAX_VALUE : arrivals.peek().readyAt();
  }

  private long nextEnd() {
    return running.peek().endsAt();
  }

  private void claim() {
    while (true) {
      int free = slots - running.size() - claimedAhead.size();
      int open = Math.max(free, 0);
      ClaimRequest request =
          planner.plan(open, Math.max(free + prefetch - open, 0), new Hand(held, filled, 0));
      if (request.isEmpty()) {
        return;
      }
      List<ClaimedJob> got = new ArrayList<>();
      claims++;
      for (int i = 0; i < request.queueIds().length; i++) {
        Deque<Job> from = ready.get(request.queueIds()[i]);
        for (int n = 0; n < request.wanted()[i] && !from.isEmpty(); n++) {
          Job job = from.remove();
          held.merge(job.queue(), 1, Integer::sum);
          claimedAhead.add(new Ahead(claims, job));
          got.add(
              new ClaimedJob(
                  job.id(),
                  1,
                  job.readyAt(),
                  4,
                  job.queue(),
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
                  null));
        }
      }
      planner.claimed(request, got);
      while (startNext()) {
        continue;
      }
    }
  }

  private boolean startNext() {
    if (running.size() == slots || claimedAhead.isEmpty()) {
      return false;
    }
    Job job = claimedAhead.remove().job();
    waits.get(job.queue()).add(now - job.readyAt());
    filled.merge(job.queue(), 1, Integer::sum);
    running.add(new Running(job, now, now + runNanos.get(job.queue())));
    return true;
  }

  /** What the queue's ended jobs have filled, in slot nanoseconds, since the last call. */
  long takeBusy(int queue) {
    Long nanos = busy.remove(queue);
    return nanos == null ? 0 : nanos;
  }

  int started(int queue) {
    return waits.get(queue).size();
  }

  /** Nanoseconds from ready to start of the jobs that have started. */
  List<Long> waits(int queue) {
    return waits.get(queue);
  }

  /** 1 when all are equal, 1/n when one has all (Jain, Chiu and Hawe, 1984). */
  static double jain(List<Double> shares) {
    double sum = shares.stream().mapToDouble(Double::doubleValue).sum();
    double squares = shares.stream().mapToDouble(x -> x * x).sum();
    return sum * sum / (shares.size() * squares);
  }
}
