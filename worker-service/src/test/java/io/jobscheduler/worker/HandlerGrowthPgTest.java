package io.jobscheduler.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.TestDatabase;
import io.jobscheduler.worker.handlers.AddedJob;
import io.jobscheduler.worker.handlers.EchoHandler;
import io.jobscheduler.worker.handlers.EchoParentsHandler;
import io.jobscheduler.worker.handlers.GrowthException;
import io.jobscheduler.worker.handlers.JobHandler;
import io.jobscheduler.worker.handlers.JobOutcome;
import io.jobscheduler.worker.handlers.LeaseLostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs that a running job adds behind itself, through a whole worker. */
class HandlerGrowthPgTest {
  @RegisterExtension
  @Order(1)
  final TestDatabase database = new TestDatabase();

  @RegisterExtension
  @Order(2)
  final Rig rig = new Rig(database);

  private final Jobs jobs = new Jobs(database);
  private Graphs graphs;
  private int workflow;
  private long root;

  @BeforeEach
  void open() {
    graphs = new Graphs(database, jobs.queue("default"));
    workflow = graphs.workflow();
    root = graphs.member(workflow, "root", "split", null);
    graphs.release(workflow);
  }

  private static JobHandler split(TestHandlers.Body body) {
    return TestHandlers.handler("split", body);
  }

  private static AddedJob part(int number) {
    return AddedJob.of("part" + number, "echo").withPayload(Integer.toString(number));
  }

  private static JobOutcome again() {
    return new JobOutcome.Retry("again", "", Duration.ZERO);
  }

  private void ends() {
    Await.until("all have ended", () -> jobs.number("SELECT count(*) FROM jobs") == 0);
  }

  @Test
  void startBehindItAndGetItsResult() {
    database.sql("UPDATE workflows SET planned_at = clock_timestamp()");
    rig.ready(
        split(
            job -> {
              job.addJobs(
                  List.of(
                      AddedJob.of("sum", "echo-parents").after("part1", "part2", "root"),
                      part(1),
                      part(2)));
              return JobOutcome.done("[\"root\"]");
            }),
        new EchoHandler(),
        new EchoParentsHandler());
    ends();

    assertEquals(
        "part1=succeeded part2=succeeded root=succeeded sum=succeeded", graphs.states(workflow));
    assertEquals(
        "{\"root\":[\"root\"],\"part1\":1,\"part2\":2}",
        database.sql("SELECT result::text FROM all_jobs WHERE workflow_key = 'sum'"));
    assertEquals(
        "4 true",
        database.sql("SELECT job_count || ' ' || (planned_at IS NULL)::text FROM workflows"));
  }

  /** Fails when what an earlier attempt has added is refused as a duplicate, or added again. */
  @Test
  void areThereOnceWhenAnAttemptAddsThemAgain() {
    rig.ready(
        split(
            job -> {
              if (job.attempt() == 1) {
                job.addJobs(List.of(part(1), part(2).after("part1")));
                return again();
              }
              job.addJobs(List.of(part(1), part(2).after("part1")));
              // One that it had not known of before.
              job.addJobs(List.of(part(3).after("part2"), part(2).after("part1"), part(1)));
              return JobOutcome.done();
            }),
        new EchoHandler());
    ends();

    assertEquals(
        "part1=succeeded part2=succeeded part3=succeeded root=succeeded", graphs.states(workflow));
    assertEquals("4", database.sql("SELECT count(*) FROM workflow_members"));
    assertEquals("4", database.sql("SELECT job_count FROM workflows"));
    assertEquals("3", database.sql("SELECT count(*) FROM dependencies"));
  }

  @Test
  void areNotAddedWhenAnotherJobHasTheKey() {
    rig.ready(
        split(
            job -> {
              job.addJobs(List.of(part(1), part(2)));
              try {
                job.addJobs(List.of(part(3), part(1).withPayload("1.0"), part(2).after("part1")));
                return JobOutcome.done();
              } catch (GrowthException e) {
                return JobOutcome.done('"' + e.getMessage() + '"');
              }
            }),
        new EchoHandler());
    ends();

    assertEquals("\"different: part1, part2\"", jobs.column("result::text", root));
    assertEquals("3", database.sql("SELECT count(*) FROM workflow_members"));
  }

  @Test
  void failTheAttemptThatAddsToAQueueThatIsNotThere() {
    database.sql("UPDATE jobs SET max_attempts = 1");
    rig.ready(
        split(
            job -> {
              job.addJobs(List.of(part(1).inQueue("nowhere")));
              return JobOutcome.done();
            }));
    ends();

    assertEquals(
        "growth-exception unknown-queue: nowhere",
        jobs.column("error_kind || ' ' || error_message", root));
  }

  /** Fails when growth does not look at the lease token. */
  @Test
  void areNotAddedByAnAttemptThatHasLostItsLease() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch taken = new CountDownLatch(1);
    CountDownLatch refused = new CountDownLatch(1);
    rig.ready(
        split(
            job -> {
              if (job.attempt() > 1) {
                return JobOutcome.done();
              }
              entered.countDown();
              TestHandlers.awaitDeaf(taken);
              try {
                job.addJobs(List.of(part(1)));
              } catch (LeaseLostException e) {
                refused.countDown();
              }
              return JobOutcome.done();
            }));
    entered.await();
    // Somebody else has the job now, under a newer token.
    database.sql(
        "UPDATE jobs SET lease_token = nextval('lease_token_seq'), worker_id = 1 WHERE id = "
            + root);
    taken.countDown();
    assertTrue(refused.await(20, TimeUnit.SECONDS));

    assertEquals("1", database.sql("SELECT count(*) FROM workflow_members"));
    database.sql("DELETE FROM jobs");
  }

  @Test
  void haveNoPlaceOutsideAWorkflow() {
    long single = jobs.ready(jobs.queue("other"), "split", null);
    database.sql("DELETE FROM jobs WHERE id = " + root);
    rig.ready(
        split(
            job -> {
              try {
                job.addJobs(List.of(part(1)));
                return JobOutcome.done();
              } catch (GrowthException e) {
                return JobOutcome.done('"' + e.reason() + '"');
              }
            }));
    ends();

    assertEquals("\"no-workflow\"", jobs.column("result::text", single));
  }
}
