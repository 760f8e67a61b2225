package io.jobscheduler.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.TestDatabase;
import io.jobscheduler.worker.handlers.FailNTimesHandler;
import io.jobscheduler.worker.lease.Timings;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Lost replies, lost leases, and what a worker does about them. */
class LossPgTest {
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
  void claimWhoseReplyWasLostIsGivenBackAndRuns() throws Exception {
    int queue = jobs.queue("mail");
    try (Wire wire = new Wire(database)) {
      WorkerProcess worker = rig.start(wire.connections(), rig.connections(), recorder);
      Await.until("ready", worker::isReady);
      wire.loseReplyTo("jobs.claim(");
      long id = jobs.ready(queue, "record", null);
      Await.until("the reply is lost", wire::hasLostReply);
      Await.until("it has run all the same", () -> "succeeded".equals(jobs.state(id)));
      assertEquals(List.of(id), recorder.ids());
      assertEquals("1", jobs.column("attempt", id), "the lost claim does not count");
      rig.drain(worker);
    }
  }

  @Test
  void settleWhoseReplyWasLostIsRepeatedAndCountsOnce() throws Exception {
    int queue = jobs.queue("mail");
    try (Wire wire = new Wire(database)) {
      WorkerProcess worker = rig.start(wire.connections(), rig.connections(), recorder, gate);
      Await.until("ready", worker::isReady);
      wire.loseReplyTo("jobs.settle(");
      long id = jobs.ready(queue, "record", null);
      Await.until("the reply is lost", wire::hasLostReply);
      Await.until("it is settled", () -> "succeeded".equals(jobs.state(id)));
      // A drain waits for what is unconfirmed: it ends at once since the repetition was confirmed.
      rig.drain(worker);
      assertEquals(List.of(id), recorder.ids());
      assertEquals("1", jobs.column("attempt", id));
    }
  }

  @Test
  void settleIsRepeatedUntilTheDatabaseIsBack() throws Exception {
    int queue = jobs.queue("mail");
    try (Wire wire = new Wire(database)) {
      WorkerProcess worker = rig.start(wire.connections(), rig.connections(), gate);
      Await.until("ready", worker::isReady);
      long id = jobs.ready(queue, "gate", null);
      Await.until("it runs", () -> gate.entered.contains(id));
      wire.breakAndRefuse();
      gate.open.countDown();
      int refused = wire.refusals();
      Await.until("it has tried in vain", () -> wire.refusals() > refused + 3);
      assertEquals("running", jobs.state(id));
      wire.resume();
      Await.until("it is settled", () -> "succeeded".equals(jobs.state(id)));
      assertEquals(List.of(id), gate.entered, "its outcome was kept, not got by another run");
      assertEquals("1", jobs.column("attempt", id));
      rig.drain(worker);
    }
  }

  @Test
  void retryWhoseSettleReplyWasLostGoesOnWithoutALeader() throws Exception {
    int queue = jobs.queue("mail");
    long id = jobs.ready(queue, "fail-n-times", "{\"times\": 1}");
    database.sql("UPDATE jobs SET retry_policy = '{\"strategy\": \"fixed\", \"baseSeconds\": 1}'");
    try (Wire wire = new Wire(database)) {
      wire.loseReplyTo("jobs.settle(");
      WorkerProcess worker =
          rig.start(wire.connections(), rig.connections(), new FailNTimesHandler());
      Await.until("the second attempt", () -> "succeeded".equals(jobs.state(id)));
      assertTrue(wire.hasLostReply());
      rig.drain(worker);
    }
  }

  @Test
  void childrenOfASettleWhoseReplyWasLostStartWithoutALeader() throws Exception {
    int queue = jobs.queue("mail");
    jobs.number(
        "INSERT INTO workflows (project_id, name, job_count) SELECT id, 'w', 2 FROM projects"
            + " RETURNING id");
    long parent = jobs.ready(queue, "record", null);
    database.sql("UPDATE jobs SET workflow_id = 1, has_dependents = true");
    long child =
        jobs.number(
            "INSERT INTO jobs (project_id, queue_id, type, state, dispatch_key, workflow_id,"
                + " has_dependencies) SELECT project_id, queue_id, 'record', 'blocked',"
                + " dispatch_key - 60000000, 1, true FROM jobs RETURNING id");
    database.sql(
        "INSERT INTO dependencies (child_id, parent_id, workflow_id) VALUES ("
            + child
            + ", "
            + parent
            + ", 1)");
    try (Wire wire = new Wire(database)) {
      wire.loseReplyTo("jobs.settle(");
      WorkerProcess worker = rig.start(wire.connections(), rig.connections(), recorder);
      Await.until("the child has run", () -> "succeeded".equals(jobs.state(child)));
      assertEquals(List.of(parent, child), recorder.ids());
      rig.drain(worker);
    }
  }

  @Test
  void lossIsStickyAndTheProcessStartsOverUnderANewIncarnation() {
    // Long enough that silence alone would not show within the test.
    rig.timings = new Timings(Duration.ofMillis(200), Duration.ofSeconds(60));
    int queue = jobs.queue("mail");
    rig.ready(gate, recorder);
    long held = jobs.ready(queue, "gate", null);
    Await.until("it runs", () -> gate.entered.contains(held));
    String lost = jobs.column("worker_id", held);
    database.sql("UPDATE workers SET lost_at = clock_timestamp() WHERE id = " + lost);
    Await.until("its handler is interrupted", () -> gate.interrupted.contains(held));
    Await.until(
        "a new incarnation beats",
        () -> jobs.number("SELECT count(*) FROM workers WHERE lost_at IS NULL") == 1);
    assertEquals("running", jobs.state(held), "what was dropped is the reaper's, not ours");
    assertEquals(lost, jobs.column("worker_id", held));
    long next = jobs.ready(queue, "record", null);
    Await.until("it works again", () -> "succeeded".equals(jobs.state(next)));
    assertEquals(
        "false",
        database.sql("SELECT alive::text FROM jobs.beat(" + lost + ", 0, false, '{}')"),
        "the lost one stays lost");
  }

  @Test
  void silenceFencesBeforeAnybodyMayTakeTheJobs() throws Exception {
    rig.timings = new Timings(Duration.ofMillis(100), Duration.ofSeconds(1));
    int queue = jobs.queue("mail");
    try (Wire wire = new Wire(database)) {
      WorkerProcess worker = rig.start(wire.connections(), wire.connections(), gate, recorder);
      Await.until("ready", worker::isReady);
      long held = jobs.ready(queue, "gate", null);
      Await.until("it runs", () -> gate.entered.contains(held));
      wire.goSilent();
      Await.until("its handler is interrupted", () -> gate.interrupted.contains(held));
      // By the database's clock, from the last beat: the timeout has not passed.
      assertTrue(
          jobs.number(
                  "SELECT (extract(epoch FROM clock_timestamp() - max(beat_at)) * 1000)::int"
                      + " FROM workers")
              < 1_000);
      wire.resume();
      wire.breakAll();
      long next = jobs.ready(queue, "record", null);
      Await.until("it works again", () -> "succeeded".equals(jobs.state(next)));
      assertEquals("running", jobs.state(held));
      assertEquals(
          1, jobs.number("SELECT count(*) FROM workers WHERE stopped_at IS NULL"), "one lives on");
      rig.drain(worker);
    }
  }

  @Test
  void brokenConnectionIsHealedByABeatOverAnother() throws Exception {
    int queue = jobs.queue("mail");
    try (Wire wire = new Wire(database)) {
      rig.timings = new Timings(Duration.ofSeconds(1), Duration.ofSeconds(60));
      WorkerProcess worker = rig.start(rig.connections(), wire.connections(), gate);
      Await.until("ready", worker::isReady);
      long held = jobs.ready(queue, "gate", null);
      Await.until("it runs", () -> gate.entered.contains(held));
      String lockedBy =
          "SELECT coalesce(max(pid), 0) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1"
              + " AND ((classid::bigint << 32) | objid::bigint) = "
              + jobs.column("worker_id", held);
      long formerSession = jobs.number(lockedBy);
      wire.breakAll();
      Await.until(
          "another session holds its lock",
          () -> jobs.number(lockedBy) > 0 && jobs.number(lockedBy) != formerSession);
      long before = jobs.number("SELECT (extract(epoch FROM beat_at) * 1e6)::bigint FROM workers");
      Await.until(
          "beats go on",
          () ->
              jobs.number("SELECT (extract(epoch FROM beat_at) * 1e6)::bigint FROM workers")
                  > before);
      gate.open.countDown();
      Await.until("it is settled", () -> "succeeded".equals(jobs.state(held)));
      assertEquals(List.of(), gate.interrupted);
      assertEquals(1, jobs.number("SELECT count(*) FROM workers"));
      rig.drain(worker);
    }
  }

  @Test
  void brokenConnectionThatCannotBeReplacedFencesEarly() throws Exception {
    rig.timings = new Timings(Duration.ofMillis(200), Duration.ofSeconds(60));
    int queue = jobs.queue("mail");
    try (Wire wire = new Wire(database)) {
      WorkerProcess worker = rig.start(rig.connections(), wire.connections(), gate);
      Await.until("ready", worker::isReady);
      long held = jobs.ready(queue, "gate", null);
      Await.until("it runs", () -> gate.entered.contains(held));
      wire.breakAndRefuse();
      // Silence alone would be endured for 48 s.
      Await.until(
          "its handler is interrupted",
          Duration.ofSeconds(10),
          () -> gate.interrupted.contains(held));
      wire.resume();
      Await.until("it starts over", worker::isReady);
      rig.drain(worker);
    }
  }

  /** Good-bye would let its jobs start elsewhere at once, beside a handler that still runs here. */
  @Test
  void saysNoGoodByeWhileAHandlerOfItsFormerLifeRunsOn() throws Exception {
    rig.timings = new Timings(Duration.ofMillis(200), Duration.ofSeconds(60));
    int queue = jobs.queue("mail");
    TestHandlers.Deaf deaf = new TestHandlers.Deaf();
    try (Wire wire = new Wire(database)) {
      WorkerProcess worker = rig.start(rig.connections(), wire.connections(), deaf, recorder);
      Await.until("ready", worker::isReady);
      long held = jobs.ready(queue, "deaf", null);
      Await.until("it runs", () -> deaf.runs(held));
      wire.breakAndRefuse();
      Await.until("it fences", () -> deaf.entered.get(0).isCancelled());
      wire.resume();
      Await.until("it starts over", worker::isReady);
      assertEquals(2, jobs.number("SELECT count(*) FROM workers WHERE stopped_at IS NULL"));
      assertEquals(1, worker.stuckThreads().count());
      deaf.open.countDown();
      Await.until("the thread has ended", () -> worker.stuckThreads().count() == 0);
      assertEquals("running", jobs.state(held), "what it says at last is not heard");
      rig.drain(worker);
    }
  }

  @Test
  void leaseTakenAwayInTheRecordInterruptsItsHandlerAndDropsTheOutcome() {
    int queue = jobs.queue("mail");
    rig.ready(gate);
    long held = jobs.ready(queue, "gate", null);
    Await.until("it runs", () -> gate.entered.contains(held));
    database.sql(
        "UPDATE jobs SET lease_token = NULL, worker_id = NULL, claim_number = NULL,"
            + " state = 'scheduled', run_at = 'infinity'");
    Await.until("its handler is interrupted", () -> gate.interrupted.contains(held));
    Await.until("nothing is held", () -> "scheduled".equals(jobs.state(held)));
    assertEquals(0, jobs.number("SELECT count(*) FROM attempts"));
  }
}
