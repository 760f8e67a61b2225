package io.jobscheduler.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.TestDatabase;
import io.jobscheduler.worker.handlers.JobOutcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The orderly end. */
class DrainPgTest {
  @RegisterExtension
  @Order(1)
  final TestDatabase database = new TestDatabase();

  @RegisterExtension
  @Order(2)
  final Rig rig = new Rig(database);

  private final Jobs jobs = new Jobs(database);
  private final TestHandlers.Recorder recorder = new TestHandlers.Recorder();
  private final TestHandlers.Gate gate = new TestHandlers.Gate();

  @Test
  void givesBackUnstartedJobsAtOnceAndLetsRunningOnesFinish() {
    rig.slots = 1;
    rig.prefetch = 3;
    rig.prefetchHorizon = Duration.ofHours(1);
    int queue = jobs.queue("mail");
    WorkerProcess worker = rig.ready(recorder, gate);
    jobs.ready(queue, "record", null);
    Await.until("a job has run, so it claims ahead", () -> jobs.count("succeeded") == 1);
    long running = jobs.ready(queue, "gate", null);
    Await.until("the slot is taken", () -> gate.entered.contains(running));
    jobs.readyMany(queue, "record", 3);
    Await.until("three wait here", () -> jobs.count("running") == 4);
    Await.until(
        "the beat lists them",
        () -> jobs.number("SELECT max(cardinality(unstarted)) FROM workers") == 3);

    CompletableFuture<Void> draining = CompletableFuture.runAsync(() -> rig.drain(worker));
    Await.until("they are given back", () -> jobs.count("ready") == 3);
    assertEquals("0", database.sql("SELECT max(attempt) FROM jobs WHERE state = 'ready'"));
    assertEquals("running", jobs.state(running));
    assertFalse(worker.isReady());
    jobs.ready(queue, "record", null);
    Await.until(
        "the beat says so",
        () -> "true".equals(database.sql("SELECT bool_or(draining)::text FROM workers")));
    assertFalse(draining.isDone());

    gate.open.countDown();
    draining.join();
    assertEquals("succeeded", jobs.state(running));
    assertEquals(4, jobs.count("ready"));
    assertEquals(1, recorder.seen.size());
    assertEquals("0", database.sql("SELECT count(*) FROM workers WHERE stopped_at IS NULL"));
  }

  @Test
  void askedToItClaimsNothingMoreAndGivesBackWhatHasNotStartedUntilAskedToResume() {
    rig.slots = 1;
    rig.prefetch = 3;
    rig.prefetchHorizon = Duration.ofHours(1);
    int queue = jobs.queue("mail");
    WorkerProcess worker = rig.ready(recorder, gate);
    jobs.ready(queue, "record", null);
    Await.until("a job has run, so it claims ahead", () -> jobs.count("succeeded") == 1);
    long running = jobs.ready(queue, "gate", null);
    Await.until("the slot is taken", () -> gate.entered.contains(running));
    jobs.readyMany(queue, "record", 3);
    Await.until("three wait here", () -> jobs.count("running") == 4);

    database.sql("INSERT INTO worker_drains (worker_id) SELECT id FROM workers");
    Await.until("they are given back", () -> jobs.count("ready") == 3);
    assertEquals("0", database.sql("SELECT max(attempt) FROM jobs WHERE state = 'ready'"));
    assertEquals("running", jobs.state(running));
    assertFalse(worker.isReady());
    gate.open.countDown();
    Await.until("what ran has ended", () -> "succeeded".equals(jobs.state(running)));
    assertEquals("true 0", beatAfter(beat()));
    assertEquals("true 0", beatAfter(beat()));
    assertEquals(3, jobs.count("ready"), "claimed while it drains");

    // Lost and back under another id, it still drains.
    database.sql("UPDATE workers SET lost_at = clock_timestamp()");
    Await.until(
        "it has started over",
        () -> "1".equals(database.sql("SELECT count(*) FROM workers WHERE lost_at IS NULL")));
    assertEquals("true 0", beatAfter(beat()));
    assertEquals(3, jobs.count("ready"), "claimed under its new id");

    database.sql("DELETE FROM worker_drains");
    Await.until("it goes on", () -> jobs.count("succeeded") == 5);
    assertTrue(worker.isReady());
  }

  private String beat() {
    return database.sql("SELECT max(beat_at) FROM workers WHERE lost_at IS NULL");
  }

  /** Whether it drains and how many it runs, by a beat later than that one. */
  private String beatAfter(String beat) {
    Await.until("another beat", () -> !beat.equals(beat()));
    return database.sql(
        "SELECT concat_ws(' ', draining::text, running) FROM workers WHERE lost_at IS NULL");
  }

  @Test
  void atTheLimitInterruptsAndGivesTheAttemptBack() {
    rig.drainLimit = Duration.ofMillis(50);
    int queue = jobs.queue("mail");
    WorkerProcess worker = rig.ready(gate);
    long id = jobs.ready(queue, "gate", null);
    Await.until("it runs", () -> gate.entered.contains(id));
    rig.drain(worker);
    assertEquals(List.of(id), gate.interrupted);
    assertEquals("ready", jobs.state(id));
    assertEquals("0", jobs.column("attempt", id));
    assertEquals(
        "released interrupted 1",
        database.sql("SELECT concat_ws(' ', outcome, error_kind, attempt) FROM attempts"));
  }

  /** Given back instead, what must not run again would. */
  @Test
  void whatAnInterruptedHandlerSaysInSoManyWordsStands() {
    rig.drainLimit = Duration.ofMillis(50);
    CountDownLatch running = new CountDownLatch(1);
    int queue = jobs.queue("mail");
    WorkerProcess worker =
        rig.ready(
            TestHandlers.handler(
                "decided",
                job -> {
                  running.countDown();
                  try {
                    new CountDownLatch(1).await();
                  } catch (InterruptedException e) {
                    return new JobOutcome.Dead("half-done", "must not run twice");
                  }
                  return JobOutcome.done();
                }));
    long id = jobs.ready(queue, "decided", null);
    Await.until("it runs", () -> running.getCount() == 0);
    rig.drain(worker);
    assertEquals("dead", jobs.state(id));
  }

  @Test
  void handlerThatIgnoresTheInterruptIsGivenBackAfterTheGrace() {
    rig.drainLimit = Duration.ofMillis(50);
    rig.interruptGrace = Duration.ofMillis(100);
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    int queue = jobs.queue("mail");
    WorkerProcess worker =
        rig.ready(
            TestHandlers.handler(
                "deaf",
                job -> {
                  running.countDown();
                  while (end.getCount() > 0) {
                    LockSupport.parkNanos(1_000_000);
                    Thread.interrupted();
                  }
                  return JobOutcome.done();
                }));
    long id = jobs.ready(queue, "deaf", null);
    Await.until("it runs", () -> running.getCount() == 0);
    rig.drain(worker);
    assertEquals("ready", jobs.state(id));
    end.countDown();
    assertTrue(jobs.count("succeeded") == 0);
  }
}
