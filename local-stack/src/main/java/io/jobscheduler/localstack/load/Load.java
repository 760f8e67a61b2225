package io.jobscheduler.localstack.load;

import io.jobscheduler.localstack.process.StackFailure;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A mixed load on a running system. {@link #start} makes its projects, queues and schedules; from
 * then on its own threads enqueue, cancel and redrive until {@link #stop}. It holds itself back
 * while more of its jobs live than it hands in within half a minute. Any thread may ask; start,
 * stop and drain are for one.
 */
public final class Load implements AutoCloseable {
  private static final int THREADS = 3;
  private static final int BACKLOG_SECONDS = 30;
  private static final long LOOK_MILLIS = 500;
  private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

  private final LoadPlan plan;
  private final Ledger ledger = new Ledger();
  private final List<LoadQueue> queues = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final LoadClient client;
  private final LoadSetup setup;
  private final LoadLook look;

  /** Of the set-up: a load that was given up is mended all the same. */
  private final LoadClient hands;

  private volatile boolean backlogged;
  private long startedNanos;

  public Load(LoadPlan plan) {
    this.plan = plan;
    this.client = new LoadClient(plan, ledger);
    this.hands = new LoadClient(plan, ledger);
    this.setup = new LoadSetup(plan, hands);
    this.look = new LoadLook(plan);
    plan.projects().forEach(project -> queues.addAll(LoadQueues.of(project)));
  }

  /**
   * Makes what it needs, then begins.
   *
   * @throws StackFailure when the system refuses it
   */
  public void start() {
    setup.make(queues);
    startedNanos = System.nanoTime();
    Random seeds = new Random(plan.seed());
    for (int i = 0; i < THREADS; i++) {
      LoadActions actions =
          new LoadActions(plan, client, ledger, new Random(seeds.nextLong()), setup.keys());
      run(() -> act(actions), "jobs-load-" + i);
    }
    run(this::watchBacklog, "jobs-load-backlog");
  }

  private void run(Runnable body, String name) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
    threads.add(thread);
  }

  private void act(LoadActions actions) {
    while (!awaitStop(0)) {
      if (backlogged || ledger.size() > wanted()) {
        awaitStop(20);
      } else {
        try {
          actions.next();
        } catch (RuntimeException e) {
          ledger.unexpected("the load failed: " + e);
        }
      }
    }
  }

  /** What should have been accepted by now; time lost to an outage is caught up. */
  private long wanted() {
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startedNanos);
    return (seconds + 1) * plan.jobsPerSecond();
  }

  private void watchBacklog() {
    while (!awaitStop(LOOK_MILLIS)) {
      try {
        backlogged = look.alive() > (long) BACKLOG_SECONDS * plan.jobsPerSecond();
      } catch (SQLException away) {
        ledger.count("backlog not seen");
      }
    }
  }

  private boolean awaitStop(long millis) {
    try {
      return stopping.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /**
   * Hands in nothing more; returns once every request under way is answered. What has no answer
   * after 30 s is given up, and nothing counts as promised by it.
   */
  public void stop() {
    stopping.countDown();
    long end = System.nanoTime() + STOP_LIMIT.toNanos();
    try {
      for (Thread thread : threads) {
        thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
        if (thread.isAlive()) {
          client.giveUp();
          thread.join();
        }
      }
    } catch (InterruptedException e) {
      client.giveUp();
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Puts the queues right again, pauses each schedule once it keeps up and nothing waits behind its
   * run, and waits until no job of the load lives. Call it after {@link #stop}, when every fault is
   * over and at least one worker, scheduler and API runs.
   *
   * @return whether it came to that; false when a limit passed first
   */
  public boolean drain(Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    CompletableFuture.delayedExecutor(limit.toNanos(), TimeUnit.NANOSECONDS).execute(hands::giveUp);
    try {
      setup.mend(queues);
      return new Drain(look, setup, ledger).run(end);
    } catch (StackFailure unanswered) {
      // It is judged all the same, as one that has not drained.
      ledger.unexpected("drain: " + unanswered.getMessage());
      return false;
    }
  }

  /** Its queues: faults may edit and pause the elastic ones. */
  public List<LoadQueue> queues() {
    return List.copyOf(queues);
  }

  public Ledger ledger() {
    return ledger;
  }

  /** The seed of the plan. */
  public long seed() {
    return plan.seed();
  }

  @Override
  public void close() {
    stop();
    client.giveUp();
    hands.giveUp();
  }
}
