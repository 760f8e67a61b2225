package io.jobscheduler.worker.claim;

import io.jobscheduler.worker.database.Connections;
import io.jobscheduler.worker.dispatch.Held;
import io.jobscheduler.worker.dispatch.HeldLeases;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;

/**
 * The one thread that claims: when a slot is free and a queue is believed to hold work it claims at
 * once; else it waits for a wake-up, and each second it polls.
 *
 * <p>{@link #runOnce} is one turn. It catches everything in one place; after any error it backs off
 * and compares the record with memory before it claims again.
 */
public final class Claimer implements Runnable {
  private static final Logger LOG = Logger.getLogger(Claimer.class);
  private static final long BACK_OFF_LEAST_NANOS = 50_000_000;
  private static final long BACK_OFF_MOST_NANOS = 1_000_000_000;

  /**
   * Its rhythm.
   *
   * @param poll between two polls
   * @param compare between two comparisons of record and memory
   */
  public record Rhythm(Duration poll, Duration compare) {}

  private final long worker;
  private final ClaimStore store;
  private final HeldCheck check;
  private final HeldLeases leases;
  private final ClaimPlanner planner;
  private final HeadNotes notes = new HeadNotes();
  private final List<QueuePattern> patterns;
  private final WakeUps wakeUps;
  private final IntSupplier free;
  private final Prefetch prefetch;
  private final BooleanSupplier trusted;
  private final Runnable onTurn;
  private final ClaimSink sink;
  private final LongSupplier clock;
  private final Rhythm rhythm;

  private final Map<Integer, QueueInfo> known = new HashMap<>();
  private final Set<Integer> freed = new HashSet<>();
  private long claimNumber;
  private long pollNanos;
  private long compareNanos;
  private long notBeforeNanos;
  private long backOffNanos;
  private volatile boolean stopped;

  /**
   * Makes a claimer for one incarnation.
   *
   * @param free slots that would start a job at once, less the jobs that wait
   * @param trusted whether leases may be trusted; asked after each claim
   * @param onTurn called once per turn, whatever comes of it
   */
  public Claimer(
      long worker,
      Connections pool,
      List<QueuePattern> patterns,
      HeldLeases leases,
      WakeUps wakeUps,
      IntSupplier free,
      Prefetch prefetch,
      BooleanSupplier trusted,
      Runnable onTurn,
      ClaimSink sink,
      LongSupplier clock,
      Rhythm rhythm) {
    this.worker = worker;
    this.store = new ClaimStore(pool);
    this.check = new HeldCheck(store, leases, worker);
    this.leases = leases;
    this.planner = new ClaimPlanner(clock);
    this.patterns = patterns;
    this.wakeUps = wakeUps;
    this.free = free;
    this.prefetch = prefetch;
    this.trusted = trusted;
    this.onTurn = onTurn;
    this.sink = sink;
    this.clock = clock;
    this.rhythm = rhythm;
    this.pollNanos = clock.getAsLong();
    this.notBeforeNanos = pollNanos;
    this.compareNanos = pollNanos + rhythm.compare().toNanos();
  }

  /** Claims nothing more; a claim in flight is given back. */
  public void stop() {
    stopped = true;
    wakeUps.claiming(false);
    wakeUps.stir();
  }

  @Override
  public void run() {
    wakeUps.claiming(true);
    while (!stopped) {
      try {
        wakeUps.await(runOnce());
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** One turn; returns the nanoseconds to wait for something new, 0 for none. */
  long runOnce() {
    onTurn.run();
    try {
      long wait = turn();
      backOffNanos = 0;
      return wait;
    } catch (SQLException | RuntimeException e) {
      if (backOffNanos == 0) {
        LOG.warnf("Claiming failed, will retry worker_id=%d cause=%s", worker, e.toString());
      }
      backOffNanos =
          Math.min(Math.max(backOffNanos * 2, BACK_OFF_LEAST_NANOS), BACK_OFF_MOST_NANOS);
      long now = clock.getAsLong();
      notBeforeNanos = now + backOffNanos;
      // Whatever failed may have been a claim, and it may have happened.
      compareNanos = now;
      return backOffNanos;
    }
  }

  private long turn() throws SQLException {
    WakeUps.News news = wakeUps.take();
    news.settledQueues().forEach(planner::settled);
    news.roomIn().forEach(planner::settled);
    freed.addAll(news.settledQueues());
    news.ready().forEach(planner::ready);
    if (news.everywhere()) {
      planner.forgetHeads();
    }
    long now = clock.getAsLong();
    if (news.poll()) {
      pollNanos = now;
    }
    if (now - notBeforeNanos < 0) {
      return notBeforeNanos - now;
    }
    if (now - compareNanos >= 0) {
      compare();
    }
    if (now - pollNanos >= 0) {
      poll();
    }
    if (stopped || !trusted.getAsBoolean()) {
      return rhythm.poll().toNanos();
    }
    ClaimRequest asked = claim();
    leaveRoom(asked);
    return asked.isEmpty() ? untilNextTurn() : 0;
  }

  /** Tells others of limited queues in which jobs have ended here and that were not asked now. */
  private void leaveRoom(ClaimRequest asked) {
    for (int id : asked.queueIds()) {
      freed.remove(id);
    }
    freed.stream().filter(planner::isWaitedForElsewhere).forEach(sink::room);
    freed.clear();
  }

  private long untilNextTurn() {
    long now = clock.getAsLong();
    long next = Math.min(pollNanos - now, compareNanos - now);
    return Math.max(0, free.getAsInt() > 0 ? planner.soonIn(next) : next);
  }

  /** Claims what there is room for; what it asked. */
  private ClaimRequest claim() throws SQLException {
    int room = free.getAsInt();
    int ahead = prefetch.allowed();
    int open = Math.max(room, 0);
    int more = room + ahead - open;
    // Between busy slots small claims are not worth a round trip each.
    boolean worthwhile = open > 0 || more * 2 > ahead;
    if (!worthwhile || room + ahead <= 0) {
      return NOTHING;
    }
    ClaimRequest request = planner.plan(open, Math.max(more, 0), inHand());
    if (request.isEmpty()) {
      return request;
    }
    List<ClaimedJob> jobs;
    boolean answered = false;
    try {
      jobs = store.claimReadyJobs(worker, ++claimNumber, request, known::get);
      answered = true;
    } finally {
      if (!answered) {
        planner.failed(request);
      }
    }
    planner.claimed(request, jobs);
    if (!jobs.isEmpty()) {
      dispatch(jobs);
    }
    int[] dry = planner.shortOfTokens();
    if (dry.length > 0) {
      store.nextTokens(dry).forEach(planner::tokenIn);
    }
    return request;
  }

  private InHand inHand() {
    Map<Integer, Integer> filled = leases.filledSlots();
    return new InHand() {
      @Override
      public int jobs(int queueId) {
        return leases.countOf(queueId);
      }

      @Override
      public int slots(int queueId) {
        return leases.slotsOf(queueId);
      }

      @Override
      public int filled(int queueId) {
        return filled.getOrDefault(queueId, 0);
      }
    };
  }

  private void dispatch(List<ClaimedJob> jobs) {
    List<Held> held = jobs.stream().map(Held::new).toList();
    held.forEach(leases::add);
    if (!trusted.getAsBoolean() || stopped || !sink.dispatch(held)) {
      for (Held job : held) {
        leases.remove(job);
        sink.release(job.job().id(), job.job().leaseToken(), job.job().workflowId());
      }
    }
  }

  private void poll() throws SQLException {
    boolean look = free.getAsInt() + prefetch.allowed() > 0;
    ClaimRequest probe = look ? planner.probe() : NOTHING;
    PollResult result = store.pollQueues(probe);
    List<QueueInfo> served =
        result.queues().stream()
            .filter(queue -> patterns.stream().anyMatch(p -> p.matches(queue.name())))
            .toList();
    served.forEach(queue -> known.put(queue.id(), queue));
    planner.serve(served);
    planner.probed(probe, result.found());
    notes.news(result.notes()).forEach(planner::ready);
    sink.queuesRead(served);
    pollNanos = clock.getAsLong() + rhythm.poll().toNanos();
  }

  private static final ClaimRequest NOTHING =
      new ClaimRequest(new int[0], new int[0], new long[0][], new long[0][]);

  /** After the thread has ended: gives back what a lost reply may have left. */
  public void lookBack() {
    try {
      compare();
    } catch (SQLException | RuntimeException e) {
      LOG.warnf(
          "Leases of lost replies are left to the reaper worker_id=%d cause=%s",
          worker, e.toString());
    }
  }

  private void compare() throws SQLException {
    HeldCheck.Difference difference = check.compare();
    for (HeldRow row : difference.unknown()) {
      LOG.warnf(
          "Lease of a lost claim reply given back worker_id=%d job_id=%d claim=%d",
          worker, row.id(), row.claimNumber());
      sink.release(row.id(), row.leaseToken(), row.workflowId());
    }
    difference.lost().forEach(sink::revoked);
    compareNanos = clock.getAsLong() + rhythm.compare().toNanos();
  }
}
