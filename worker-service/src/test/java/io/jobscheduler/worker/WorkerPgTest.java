package io.jobscheduler.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.TestDatabase;
import io.jobscheduler.worker.handlers.EchoHandler;
import io.jobscheduler.worker.handlers.FailNTimesHandler;
import io.jobscheduler.worker.handlers.JobContext;
import io.jobscheduler.worker.handlers.JobOutcome;
import io.jobscheduler.worker.lease.Timings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a whole worker does with jobs. */
class WorkerPgTest {
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
  void runsWhatItCanAndFailsWhatItDoesNotKnow() {
    int queue = jobs.queue("mail");
    long echo = jobs.ready(queue, "echo", "{\"x\":1.10}");
    long unknown = jobs.ready(queue, "no-such-type", null);
    rig.ready(new EchoHandler());
    Await.until("echo", () -> "succeeded".equals(jobs.state(echo)));
    assertEquals("{\"x\":1.10}", jobs.column("result", echo));
    Await.until("unknown", () -> "retrying".equals(jobs.state(unknown)));
    assertEquals(
        "unknown-type", database.sql("SELECT error_kind FROM attempts WHERE job_id = " + unknown));
  }

  /** Fails when the heap is a FIFO: queue by queue, the urgent ones would come last. */
  @Test
  void startsTheMostUrgentOfAllClaimedJobsFirst() {
    rig.slots = 1;
    // Twice as many as it will hold: even one found by one, each is worth a claim.
    rig.prefetch = 16;
    rig.prefetchHorizon = Duration.ofHours(1);
    int calm = jobs.queue("calm");
    int urgent = jobs.queue("urgent");
    WorkerProcess worker = rig.ready(recorder, gate);
    jobs.ready(calm, "record", null);
    Await.until("a job has run, so it claims ahead", () -> jobs.count("succeeded") == 1);
    recorder.seen.clear();
    long holding = jobs.ready(jobs.queue("other"), "gate", null);
    Await.until("the slot is taken", () -> gate.entered.contains(holding));

    // In one commit, so that one claim gets all.
    database.sql(
        """
        INSERT INTO jobs (project_id, queue_id, type, state, priority, dispatch_lane, dispatch_key, ready_at, payload)
        SELECT 1, q, 'record', 'ready', p, p, k, clock_timestamp(), to_json(n)
          FROM (VALUES ('calmEarly', %1$d, 2, 100), ('calmLate', %1$d, 2, 900), ('urgentLate', %1$d, 9, 5000),
                       ('middle', %2$d, 5, 1), ('urgentEarly', %2$d, 9, 4000)) AS v (n, q, p, k)
        """
            .formatted(calm, urgent));
    Await.until("all are claimed", () -> jobs.count("running") == 6);
    gate.open.countDown();
    Await.until("all have run", () -> recorder.seen.size() == 5);
    assertEquals(
        List.of("urgentEarly", "urgentLate", "middle", "calmEarly", "calmLate"),
        recorder.seen.stream().map(job -> job.payload().replace("\"", "")).toList());
    assertTrue(worker.isReady());
  }

  /** Fails when the planner serves queue after queue: the small ones would wait for all of it. */
  @Test
  void smallQueuesDoNotWaitBehindALargeOne() {
    rig.prefetch = 4;
    int large = jobs.queue("large");
    jobs.readyMany(large, "record", 2_000);
    for (int i = 0; i < 5; i++) {
      jobs.readyMany(jobs.queue("small-" + i), "record", 5);
    }
    rig.start(recorder);
    Await.until("the small queues are served", () -> smallOnes() == 25);
    List<String> order = recorder.seen.stream().map(JobContext::queue).toList();
    int last = 0;
    int small = 0;
    for (int i = 0; small < 25; i++) {
      small += order.get(i).startsWith("small") ? 1 : 0;
      last = i;
    }
    // Five rounds of one job each from six queues, and what was claimed ahead.
    assertTrue(last < 60, "the last small job was number " + last);
  }

  private long smallOnes() {
    return recorder.seen.stream().filter(job -> job.queue().startsWith("small")).count();
  }

  /** Fails when the delay queue is a no-op: nobody else promotes here. */
  @Test
  void retriesStartAtTheirInstantWithoutALeader() {
    int queue = jobs.queue("mail");
    long id = jobs.ready(queue, "fail-n-times", "{\"times\": 2}");
    database.sql(
        "UPDATE jobs SET retry_policy = '{\"strategy\": \"fixed\", \"baseSeconds\": 0.3}'");
    rig.ready(new FailNTimesHandler());
    Await.until("the third attempt", () -> "succeeded".equals(jobs.state(id)));
    assertEquals("3", jobs.column("attempt", id));
    assertEquals(
        "true",
        database.sql(
            "SELECT (min(gap) >= 0.3)::text FROM (SELECT extract(epoch FROM started_at -"
                + " lag(ended_at) OVER (ORDER BY attempt)) AS gap FROM finished_attempts WHERE"
                + " job_id = "
                + id
                + ") g"),
        "never before its instant");
  }

  @Test
  void lastAttemptThatFailsIsDead() {
    int queue = jobs.queue("mail");
    long id = jobs.ready(queue, "fail-n-times", "{\"times\": 9}");
    database.sql("UPDATE jobs SET max_attempts = 1");
    rig.ready(new FailNTimesHandler());
    Await.until("dead", () -> "dead".equals(jobs.state(id)));
    assertEquals("asked-to-fail", jobs.column("error_kind", id));
  }

  @Test
  void twoWorkersNeverRunOneJobTwice() {
    int queue = jobs.queue("mail");
    jobs.readyMany(queue, "record", 600);
    rig.prefetch = 2;
    rig.start(recorder);
    rig.start(recorder);
    Await.until("all have run", () -> jobs.count("succeeded") == 600);
    assertEquals(600, recorder.seen.size());
    assertEquals(600, new HashSet<>(recorder.ids()).size());
  }

  @Test
  void limitHoldsAcrossWorkersAndIsReached() {
    int queue = jobs.queue("narrow", 1, 3);
    jobs.readyMany(queue, "count", 150);
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    var counting =
        TestHandlers.handler(
            "count",
            job -> {
              most.accumulateAndGet(now.incrementAndGet(), Math::max);
              Thread.yield();
              now.decrementAndGet();
              return JobOutcome.done();
            });
    rig.start(counting);
    rig.start(counting);
    List<Long> sampled = new ArrayList<>();
    Await.until(
        "all have run",
        () -> {
          sampled.add(jobs.number("SELECT count(*) FROM jobs WHERE state = 'running'"));
          return jobs.count("succeeded") == 150;
        });
    assertTrue(most.get() <= 3, most + " at once");
    assertTrue(sampled.stream().allMatch(n -> n <= 3), sampled::toString);
    assertTrue(sampled.contains(3L), () -> "the limit is never reached: " + sampled);
  }

  @Test
  void outcomeThatCannotBeStoredFailsAloneAndTheOthersSucceed() {
    rig.slots = 12;
    int queue = jobs.queue("mail");
    long bad = jobs.ready(queue, "result", "\"{not json\"");
    for (int i = 0; i < 11; i++) {
      jobs.ready(queue, "result", "\"[]\"");
    }
    rig.ready(
        TestHandlers.handler(
            "result",
            job -> JobOutcome.done(job.payload().substring(1, job.payload().length() - 1))));
    Await.until("the others", () -> jobs.count("succeeded") == 11);
    Await.until("the culprit", () -> "retrying".equals(jobs.state(bad)));
    assertEquals(
        "unstorable-result", database.sql("SELECT error_kind FROM attempts WHERE job_id = " + bad));
  }

  @Test
  void childStartsOnlyAfterItsParentAndAWideFanIsReleased() {
    int queue = jobs.queue("mail");
    jobs.number(
        "INSERT INTO workflows (project_id, name, job_count) SELECT id, 'w', 602 FROM projects"
            + " RETURNING id");
    long parent = jobs.ready(queue, "gate", null);
    database.sql("UPDATE jobs SET workflow_id = 1, has_dependents = true");
    // Before the parent's own key, as for children on the critical path.
    database.sql(
        "WITH child AS (INSERT INTO jobs (project_id, queue_id, type, state, dispatch_key,"
            + " workflow_id, has_dependencies) SELECT project_id, queue_id, 'record', 'blocked',"
            + " dispatch_key - 60000000, 1, true FROM jobs, generate_series(1, 601) RETURNING id)"
            + " INSERT INTO dependencies (child_id, parent_id, workflow_id) SELECT id, "
            + parent
            + ", 1 FROM child");
    rig.ready(gate, recorder);
    Await.until("the parent runs", () -> gate.entered.contains(parent));
    assertEquals(601, jobs.count("blocked"));
    assertEquals(List.of(), recorder.seen);
    gate.open.countDown();
    Await.until("the children have run", () -> jobs.count("succeeded") == 602);
    assertEquals(601, recorder.seen.size());
  }

  @Test
  void wakeUpStartsAJobLongBeforeThePoll() {
    rig.poll = Duration.ofSeconds(60);
    int queue = jobs.queue("mail");
    rig.ready(recorder);
    Await.until("it listens", () -> jobs.listeners() == 1);
    long first = jobs.ready(queue, "record", null);
    database.sql("SELECT pg_notify('jobs_ready', '" + queue + ":4:0:" + first + "')");
    Await.until("it starts", Duration.ofSeconds(10), () -> recorder.seen.size() == 1);
  }

  @Test
  void waitsForASchemaItUnderstandsAndStopsForOneItNeverWill() {
    database.sql("UPDATE schema_versions SET version = -version");
    WorkerProcess worker = rig.start(recorder);
    assertFalse(worker.isReady());
    assertEquals(0, jobs.number("SELECT count(*) FROM workers"));
    database.sql("UPDATE schema_versions SET version = -version");
    Await.until("the schema fits now", worker::isReady);
    rig.drain(worker);

    database.sql("INSERT INTO schema_versions (version, compat) VALUES (999, 'breaking')");
    WorkerProcess old = rig.start(recorder);
    Await.until("it gives up", () -> rig.tooNew.get() > 0);
    assertFalse(old.isReady());
  }

  @Test
  void idleWorkerNeedsAtMostTwoStatementsASecond() throws Exception {
    jobs.queue("mail");
    jobs.queue("narrow", 1, 3);
    rig.poll = Duration.ofSeconds(1);
    rig.compare = Duration.ofSeconds(5);
    rig.timings = new Timings(Duration.ofSeconds(2), Duration.ofSeconds(15));
    try (Wire wire = new Wire(database)) {
      WorkerProcess worker = rig.start(rig.pool(wire.url()), wire.connections(), recorder);
      Await.until("ready", worker::isReady);
      Await.until("it listens", () -> jobs.listeners() == 1);
      Await.until("its first looks are over", () -> wire.quietNanos() > 800_000_000L);
      long start = System.nanoTime();
      int before = wire.requests();
      Await.until("five seconds", () -> System.nanoTime() - start >= 5_000_000_000L);
      // Ten for polls and beats and a comparison at most, and one that fell just into it.
      int requests = wire.requests() - before;
      assertTrue(requests <= 10, requests + " statements in five seconds");
      assertTrue(requests >= 6, requests + " statements: it does not poll");
      rig.drain(worker);
    }
  }
}
