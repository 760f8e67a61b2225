package io.jobscheduler.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.TestDatabase;
import io.jobscheduler.worker.handlers.EchoHandler;
import io.jobscheduler.worker.handlers.EchoParentsHandler;
import io.jobscheduler.worker.handlers.JobHandler;
import io.jobscheduler.worker.handlers.JobOutcome;
import io.jobscheduler.worker.handlers.LeaseLostException;
import io.jobscheduler.worker.handlers.ParentResults;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a job gets of the jobs before it, through a whole worker. */
class ParentResultsPgTest {
  @RegisterExtension
  @Order(1)
  final TestDatabase database = new TestDatabase();

  @RegisterExtension
  @Order(2)
  final Rig rig = new Rig(database);

  private final Jobs jobs = new Jobs(database);
  private Graphs graphs;
  private int workflow;

  @BeforeEach
  void open() {
    graphs = new Graphs(database, jobs.queue("mail"));
    workflow = graphs.workflow();
  }

  /** Its parents as their keys (or ids), states, and results or why there is none. */
  private static JobHandler tell() {
    return TestHandlers.handler(
        "tell",
        job ->
            JobOutcome.done(
                job.parentResults().all().stream()
                    .map(p -> p.key() + " " + p.state() + " " + p.found() + " " + p.json())
                    .collect(Collectors.joining("; ", "\"", "\""))));
  }

  @Test
  void areHandedOnDigitForDigit() {
    long a = graphs.member(workflow, "a", "echo", "{\"x\": 1e2, \"y\": -0,  \"z\": 1E-3}");
    long b = graphs.member(workflow, "b", "echo", "12345678901234567890.10");
    long c = graphs.member(workflow, "c", "echo", null);
    long sum = graphs.member(workflow, "sum", "echo-parents", null, a, b, c);
    graphs.release(workflow);

    rig.ready(new EchoHandler(), new EchoParentsHandler());

    Await.until("it has ended", () -> "succeeded".equals(jobs.state(sum)));
    assertEquals(
        "{\"a\":{\"x\": 1e2, \"y\": -0,  \"z\": 1E-3},\"b\":12345678901234567890.10}",
        jobs.column("result::text", sum));
  }

  @Test
  void sayWhatIsMissingAndWhy() {
    rig.largestParentResults = 40;
    long none = graphs.member(workflow, "none", "echo", null);
    long large = graphs.member(workflow, "large", "echo", "1234567890".repeat(5));
    long fits = graphs.member(workflow, "fits", "echo", "1234567890");
    long late = graphs.member(workflow, "late", "echo", "[1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6]");
    long gone = graphs.member(workflow, "gone", "echo", "1");
    long skipped = graphs.member(workflow, "skipped", "echo", "1");
    long child =
        graphs.member(workflow, "child", "tell", null, none, large, fits, late, gone, skipped);
    // It waits for nobody's success: whatever became of them.
    database.sql("UPDATE dependencies SET on_outcome = 'done'");
    graphs.release(workflow);
    database.sql("UPDATE jobs SET state = 'blocked', ready_at = NULL WHERE id = " + skipped);
    database.sql("UPDATE jobs SET state = 'blocked', ready_at = NULL WHERE id = " + gone);
    database.sql("SELECT count(*) FROM finish_jobs('{" + skipped + "}', 'skipped', 'x')");
    database.sql("UPDATE dependencies SET outcome = 'skipped' WHERE parent_id = " + skipped);
    database.sql("SELECT count(*) FROM finish_jobs('{" + gone + "}', 'succeeded', NULL)");
    database.sql("DELETE FROM finished_jobs WHERE id = " + gone);
    database.sql("UPDATE dependencies SET outcome = 'succeeded' WHERE parent_id = " + gone);

    rig.ready(new EchoHandler(), tell());

    Await.until("it has ended", () -> "succeeded".equals(jobs.state(child)));
    assertEquals(
        "\"none succeeded NONE null; large succeeded TOO_LARGE null; fits succeeded RESULT 1234567890;"
            + " late succeeded TOO_LARGE null; gone succeeded GONE null; skipped skipped NONE null\"",
        jobs.column("result::text", child));
  }

  /** What a gate took, and what somebody put in a result's place, is read like any result. */
  @Test
  void areThoseOfGatesAndSubstitutesToo() {
    long gate = graphs.member(workflow, "signal", "gate", null);
    database.sql("UPDATE jobs SET gate = 'signal' WHERE id = " + gate);
    long child = graphs.member(workflow, "child", "echo-parents", null, gate);
    database.sql(
        "SELECT count(*) FROM move_to_finished('{"
            + gate
            + "}', '{succeeded}', '{signalled}', ARRAY['{\"approved\": 1.0}'], NULL, NULL, NULL, NULL)");
    database.sql("UPDATE dependencies SET outcome = 'succeeded'");
    database.sql("SELECT count(*) FROM release_children('{" + child + "}')");

    rig.ready(new EchoParentsHandler());

    Await.until("it has ended", () -> "succeeded".equals(jobs.state(child)));
    assertEquals("{\"signal\":{\"approved\": 1.0}}", jobs.column("result::text", child));
  }

  /** Of a job without a workflow: by id, without a key. */
  @Test
  void areThoseOfSingleJobsToo() {
    long parent = graphs.member(workflow, "other", "echo", "7");
    int second = graphs.workflow();
    long child = graphs.member(second, "child", "tell", null, parent);
    graphs.release(workflow);

    rig.ready(new EchoHandler(), tell());

    Await.until("it has ended", () -> "succeeded".equals(jobs.state(child)));
    assertEquals("\"null succeeded RESULT 7\"", jobs.column("result::text", child));
  }

  @Test
  void areNotForAnAttemptThatHasLostItsLease() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch taken = new CountDownLatch(1);
    CountDownLatch refused = new CountDownLatch(1);
    long parent = graphs.member(workflow, "a", "echo", "1");
    long child = graphs.member(workflow, "b", "late", null, parent);
    graphs.release(workflow);
    rig.ready(
        new EchoHandler(),
        TestHandlers.handler(
            "late",
            job -> {
              if (job.attempt() > 1) {
                return JobOutcome.done();
              }
              entered.countDown();
              TestHandlers.awaitDeaf(taken);
              try {
                job.parentResults();
              } catch (LeaseLostException e) {
                refused.countDown();
              }
              return JobOutcome.done();
            }));
    entered.await();
    // Somebody ends the attempt, and the job is claimed again.
    database.sql(
        "UPDATE jobs SET state = 'blocked', lease_token = NULL, worker_id = NULL WHERE id = "
            + child);
    taken.countDown();
    assertTrue(refused.await(20, TimeUnit.SECONDS));
  }

  @Test
  void ofAJobThatWaitsForNobodyAreNone() {
    long single = jobs.ready(jobs.queue("other"), "count", null);
    rig.ready(
        TestHandlers.handler(
            "count",
            job -> {
              ParentResults results = job.parentResults();
              return JobOutcome.done(
                  Integer.toString(results.all().size() + List.copyOf(results.all()).size()));
            }));
    Await.until("it has ended", () -> "succeeded".equals(jobs.state(single)));
    assertEquals("0", jobs.column("result::text", single));
  }
}
