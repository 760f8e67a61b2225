package io.jobscheduler.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.schema.testing.TestDatabase;
import io.jobscheduler.worker.handlers.JobHandler;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How often a job runs, counted by the handler and compared with the record. */
class AttemptsPgTest {
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
  void alwaysFailingJobRunsExactlyMaxAttemptsTimes() {
    int queue = jobs.queue("mail");
    Map<Long, Integer> starts = new ConcurrentHashMap<>();
    Map<Long, Integer> wanted = new ConcurrentHashMap<>();
    for (int max : List.of(1, 2, 3, 25)) {
      wanted.put(jobs.ready(queue, "fail", null, 4, (long) max), max);
    }
    database.sql(
        "UPDATE jobs SET max_attempts = dispatch_key,"
            + " retry_policy = '{\"strategy\": \"fixed\", \"baseSeconds\": 0}'");
    rig.ready(
        TestHandlers.handler(
            "fail",
            job -> {
              starts.merge(job.jobId(), 1, Integer::sum);
              throw new IllegalStateException("always");
            }));
    Await.until("all are dead", () -> jobs.count("dead") == wanted.size());
    assertEquals(wanted, starts);
    assertEquals(
        "0",
        database.sql(
            "SELECT count(*) FROM finished_jobs f WHERE f.attempt <> f.max_attempts OR f.attempt <>"
                + " 1 + (SELECT count(*) FROM finished_attempts a WHERE a.job_id = f.id)"));
  }

  /** One slot: it must be free again after each of them, and its thread alive. */
  @Test
  void slotSurvivesWhateverAHandlerThrows() {
    rig.slots = 1;
    List<Throwable> thrown =
        List.of(
            new StackOverflowError(),
            new NoClassDefFoundError("x"),
            new AssertionError("x"),
            new Error("of its own") {
              private static final long serialVersionUID = 1L;
            },
            new Exception("checked"),
            new InterruptedException("nobody interrupted it"));
    JobHandler throwing =
        TestHandlers.handler(
            "throw",
            job -> AttemptsPgTest.<RuntimeException>sneak(thrown.get(job.payload().length() - 1)));
    int queue = jobs.queue("mail");
    for (int i = 0; i < thrown.size(); i++) {
      jobs.ready(queue, "throw", "1".repeat(i + 1));
    }
    database.sql("UPDATE jobs SET max_attempts = 1");
    long last = jobs.ready(queue, "record", null);
    rig.ready(throwing, recorder);
    Await.until("the one behind them has run", () -> "succeeded".equals(jobs.state(last)));
    assertEquals(thrown.size(), jobs.count("dead"));
    assertEquals(
        "0",
        database.sql(
            "SELECT count(*) FROM finished_jobs WHERE state = 'dead' AND error_kind IS NULL"));
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> io.jobscheduler.worker.handlers.JobOutcome sneak(
      Throwable it) throws T {
    throw (T) it;
  }

  /** An interruption by a deployment is no failure: a job that may run once still may. */
  @Test
  void fiveDeploymentsInARowUseNoAttempt() {
    rig.drainLimit = Duration.ofMillis(50);
    long id = jobs.ready(jobs.queue("mail"), "gate", null);
    database.sql("UPDATE jobs SET max_attempts = 1");
    for (int deployment = 1; deployment <= 5; deployment++) {
      WorkerProcess worker = rig.ready(gate);
      int starts = deployment;
      Await.until("it runs", () -> gate.entered.size() == starts);
      rig.drain(worker);
      assertEquals("ready", jobs.state(id), "given back at once");
      assertEquals("0", jobs.column("attempt", id));
    }
    gate.open.countDown();
    rig.ready(gate);
    Await.until("it succeeds", () -> "succeeded".equals(jobs.state(id)));
    assertEquals("1", jobs.column("attempt", id));
  }
}
