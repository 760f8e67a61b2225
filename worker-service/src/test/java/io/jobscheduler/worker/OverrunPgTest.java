package io.jobscheduler.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.TestDatabase;
import io.jobscheduler.worker.handlers.JobOutcome;
import io.jobscheduler.worker.lease.Timings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Attempts that take too long, are cancelled, or come too late. */
class OverrunPgTest {
  @RegisterExtension
  @Order(1)
  final TestDatabase database = new TestDatabase();

  @RegisterExtension
  @Order(2)
  final Rig rig = new Rig(database);

  private final Jobs jobs = new Jobs(database);
  private final TestHandlers.Recorder recorder = new TestHandlers.Recorder();
  private final TestHandlers.Gate gate = new TestHandlers.Gate();
  private final TestHandlers.Deaf deaf = new TestHandlers.Deaf();

  @AfterEach
  void letGo() throws InterruptedException {
    deaf.open.countDown();
    gate.open.countDown();
  }

  private void cancel(long id) {
    database.sql("SELECT jobs.cancel_jobs(1, '{" + id + "}', 'ann', NULL)");
  }

  private String attempt(String columns) {
    return database.sql("SELECT concat_ws(' ', " + columns + ") FROM attempts");
  }

  @Test
  void jobPastItsTimeoutIsInterruptedAndRetriedAsTimedOut() {
    int queue = jobs.queue("mail");
    database.sql("UPDATE queues SET timeout_ms = 3600000");
    rig.ready(gate);
    long id = jobs.ready(queue, "gate", null);
    Await.until("it runs", () -> gate.entered.contains(id));
    database.sql(
        "INSERT INTO jobs (project_id, queue_id, type, state, dispatch_key, ready_at, timeout_ms,"
            + " retry_policy) SELECT project_id, id, 'gate', 'ready',"
            + " micros(clock_timestamp()), now(), 20,"
            + " '{\"baseSeconds\": 600, \"strategy\": \"fixed\"}' FROM queues");
    Await.until("one is timed out", () -> jobs.count("retrying") == 1);
    assertEquals("timed_out timeout 1", attempt("outcome, error_kind, attempt"));
    assertTrue(attempt("error_stack").contains("Gate.run"), "where it was interrupted");
    assertEquals("running", jobs.state(id), "the queue's own timeout is longer");
    assertEquals(1, gate.interrupted.size());
  }

  @Test
  void queuesTimeoutIsForJobsThatNameNone() {
    int queue = jobs.queue("mail");
    database.sql("UPDATE queues SET timeout_ms = 20");
    rig.ready(gate);
    jobs.ready(queue, "gate", null);
    Await.until("it is timed out", () -> jobs.count("retrying") == 1);
    assertEquals("timed_out", attempt("outcome"));
  }

  /** Field case C060. */
  @Test
  void handlersThatNeverEndFreeTheirSlotsTheirQueueAndLoseTheirLeases() throws Exception {
    rig.slots = 2;
    int queue = jobs.queue("narrow", 1, 2);
    rig.ready(deaf, recorder);
    database.sql(
        "INSERT INTO jobs (project_id, queue_id, type, state, dispatch_key, ready_at, timeout_ms,"
            + " max_attempts) SELECT project_id, id, 'deaf', 'ready', n, now(), 20, 1"
            + " FROM queues, generate_series(1, 2) n");
    Await.until("both run", () -> deaf.entered.size() == 2);
    jobs.readyMany(queue, "record", 10);
    Await.until("the others have run", () -> jobs.count("succeeded") == 10);
    Await.until("both are dead", () -> jobs.count("dead") == 2);
    assertTrue(
        database.sql("SELECT min(error_stack) FROM finished_jobs").contains("Deaf.run"),
        "what its thread did");
    deaf.open.countDown();
    deaf.left.await();
    long last = jobs.ready(queue, "record", null);
    Await.until("it works on", () -> "succeeded".equals(jobs.state(last)));
    assertEquals(2, jobs.count("dead"), "what came late is refused");
    assertEquals(11, recorder.seen.size());
  }

  @Test
  void tooManyStuckHandlersEndReadinessAndClaiming() {
    rig.slots = 1;
    rig.stuckLimit = 0;
    int queue = jobs.queue("mail");
    WorkerProcess worker = rig.ready(deaf, recorder);
    long id = jobs.ready(queue, "deaf", null);
    database.sql("UPDATE queues SET timeout_ms = 20");
    Await.until("it runs", () -> deaf.runs(id));
    cancel(id);
    Await.until("it is given up", () -> "cancelled".equals(jobs.state(id)));
    assertTrue(worker.stuckThreads().tooMany());
    assertFalse(worker.isReady());
    long next = jobs.ready(queue, "record", null);
    // Several of the claimer's polls later.
    String beat = database.sql("SELECT max(beat_at) + interval '0.5 s' FROM workers");
    Await.until(
        "beats go on",
        () -> "t".equals(database.sql("SELECT max(beat_at) > '" + beat + "' FROM workers")));
    assertEquals("ready", jobs.state(next), "nothing is claimed");
    deaf.open.countDown();
    Await.until("the thread has ended, and all is well", worker::isReady);
    Await.until("it claims again", () -> "succeeded".equals(jobs.state(next)));
    assertEquals(0, worker.stuckThreads().count());
  }

  @Test
  void cancelInterruptsTheHandlerByTheNextBeatAtTheLatest() {
    int queue = jobs.queue("mail");
    rig.ready(gate);
    long id = jobs.ready(queue, "gate", null);
    Await.until("it runs", () -> gate.entered.contains(id));
    cancel(id);
    Await.until("it has ended", () -> "cancelled".equals(jobs.state(id)));
    assertEquals(List.of(id), gate.interrupted);
    assertEquals("cancel-requested", jobs.column("state_reason", id));
    assertEquals("0", database.sql("SELECT count(*) FROM cancel_requests"));
  }

  @Test
  void signalMakesTheCancelPrompt() {
    // Beats too far apart for the test to wait for one.
    rig.timings = new Timings(Duration.ofSeconds(60), Duration.ofSeconds(600));
    int queue = jobs.queue("mail");
    rig.ready(gate);
    Await.until("it listens", () -> jobs.listeners() == 1);
    long id = jobs.ready(queue, "gate", null);
    Await.until("it runs", () -> gate.entered.contains(id));
    cancel(id);
    database.sql("SELECT pg_notify('jobs_control', '" + jobs.column("worker_id", id) + "')");
    Await.until("it has ended", () -> "cancelled".equals(jobs.state(id)));
  }

  @Test
  void successAfterACancelStands() {
    int queue = jobs.queue("mail");
    CountDownLatch running = new CountDownLatch(1);
    rig.ready(
        TestHandlers.handler(
            "stubborn",
            job -> {
              running.countDown();
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                return JobOutcome.done("\"" + job.isCancelled() + "\"");
              }
              return JobOutcome.done();
            }));
    long id = jobs.ready(queue, "stubborn", null);
    Await.until("it runs", () -> running.getCount() == 0);
    cancel(id);
    Await.until("it has ended", () -> "succeeded".equals(jobs.state(id)));
    assertEquals("\"true\"", jobs.column("result", id), "it was told");
    assertEquals("0", database.sql("SELECT count(*) FROM cancel_requests"));
  }

  @Test
  void leaseOfACancelledJobIsRevokedWhenItsHandlerDoesNotEnd() {
    rig.slots = 1;
    int queue = jobs.queue("mail");
    rig.ready(deaf, recorder);
    long id = jobs.ready(queue, "deaf", null);
    Await.until("it runs", () -> deaf.runs(id));
    cancel(id);
    Await.until("it is given up", () -> "cancelled".equals(jobs.state(id)));
    assertEquals("revoked", jobs.column("state_reason", id));
    assertTrue(jobs.column("error_stack", id).contains("Deaf.run"));
    long next = jobs.ready(queue, "record", null);
    Await.until("its slot is free", () -> "succeeded".equals(jobs.state(next)));
  }

  @Test
  void cancelOfAJobClaimedAheadIsGivenBackUnstarted() {
    rig.slots = 1;
    rig.prefetch = 3;
    rig.prefetchHorizon = Duration.ofHours(1);
    int queue = jobs.queue("mail");
    rig.ready(recorder, gate);
    jobs.ready(queue, "record", null);
    Await.until("a job has run, so it claims ahead", () -> jobs.count("succeeded") == 1);
    long running = jobs.ready(queue, "gate", null);
    Await.until("the slot is taken", () -> gate.entered.contains(running));
    long waiting = jobs.ready(queue, "record", null);
    Await.until("it waits here", () -> "running".equals(jobs.state(waiting)));
    cancel(waiting);
    Await.until("it has ended", () -> "cancelled".equals(jobs.state(waiting)));
    assertEquals(1, recorder.seen.size());
    assertEquals(List.of(), gate.interrupted);
  }

  @Test
  void jobClaimedAfterItsTimeToStartIsNotRun() {
    jobs.queue("mail");
    database.sql(
        "INSERT INTO jobs (project_id, queue_id, type, state, dispatch_key, ready_at, start_by)"
            + " SELECT project_id, id, 'record', 'ready', n, now(),"
            + " now() + (n - 2) * interval '1 hour' FROM queues, generate_series(1, 3, 2) n");
    rig.ready(recorder);
    Await.until("both have ended", () -> jobs.number("SELECT count(*) FROM jobs") == 0);
    assertEquals(1, recorder.seen.size());
    assertEquals(
        "cancelled expired 0",
        database.sql(
            "SELECT concat_ws(' ', state, state_reason, attempt) FROM finished_jobs ORDER BY id"));
  }

  @Test
  void snoozedJobComesAgainAsTheSameAttempt() {
    int queue = jobs.queue("mail");
    rig.ready(
        TestHandlers.handler(
            "later",
            job -> {
              recorder.run(job);
              return recorder.seen.size() < 3
                  ? JobOutcome.snooze(Duration.ofMillis(10))
                  : JobOutcome.done();
            }));
    long id = jobs.ready(queue, "later", null);
    Await.until("it is done", () -> "succeeded".equals(jobs.state(id)));
    assertEquals(List.of(1, 1, 1), recorder.seen.stream().map(job -> job.attempt()).toList());
    assertEquals("1", jobs.column("attempt", id));
  }
}
