package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How a bulk retry feels its way: canary, stop on renewed failure, rate. */
class BulkPacePgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Bulk bulk;

  @BeforeEach
  void open() {
    bulk = new Bulk(database);
  }

  /** Runs so many of the jobs that are ready, the first ones first. */
  private void run(int jobs, String outcome) throws SQLException {
    try (Connection worker = bulk.sql.asWorker()) {
      List<Sql.Claimed> claimed = bulk.sql.claim(worker, 1, 1, bulk.queue, jobs);
      assertEquals(jobs, claimed.size());
      bulk.sql.settle(worker, 1, claimed, outcome);
    }
  }

  @Test
  void theOthersWaitUntilTheCanaryHasEndedWell() throws SQLException {
    bulk.ended("dead", 10);
    long action = bulk.submit(Bulk.DEAD + ", \"canary\": 3, \"stop_ratio\": 0.4", 1000);
    bulk.drain(action);
    assertEquals("canary 3", bulk.shown(action, "state, done"));
    run(2, "succeeded");
    bulk.drain(action);
    assertEquals("canary 3 2", bulk.shown(action, "state, done, succeeded_since"));
    run(1, "failed");
    bulk.drain(action);
    assertEquals(
        "running 10 2 1", bulk.shown(action, "state, done, succeeded_since, failed_since"));
    run(7, "succeeded");
    bulk.drain(action);
    assertEquals(
        "completed 10 9 1", bulk.shown(action, "state, done, succeeded_since, failed_since"));
  }

  /** One of three is more than a fifth, whatever becomes of the third. */
  @Test
  void aCanaryThatFailsStopsItWithoutAWordOfTheLast() throws SQLException {
    bulk.ended("dead", 10);
    long action = bulk.submit(Bulk.DEAD + ", \"canary\": 3, \"stop_ratio\": 0.2", 1000);
    bulk.drain(action);
    // A first attempt that fails is a failure, though the job may be tried again.
    run(1, "failed");
    assertEquals("retrying", database.sql("SELECT state FROM jobs ORDER BY state DESC LIMIT 1"));
    bulk.drain(action);
    assertEquals("stopped canary-failed 3", bulk.shown(action, "state, state_reason, done"));
    assertEquals("7", database.sql("SELECT count(*) FROM finished_jobs WHERE state = 'dead'"));
  }

  @Test
  void renewedFailureStopsItLaterToo() throws SQLException {
    bulk.ended("dead", 40);
    long action = bulk.submit(Bulk.DEAD + ", \"stop_ratio\": 0.5", 1000);
    assertEquals(20, bulk.step(action, 20));
    run(9, "failed");
    bulk.step(action, 1);
    assertEquals("running 21", bulk.shown(action, "state, done"), "nine are too few to judge by");
    run(1, "succeeded");
    bulk.drain(action);
    assertEquals(
        "stopped failed-again 21 1 9",
        bulk.shown(action, "state, state_reason, done, succeeded_since, failed_since"));
  }

  /** It is the only one of which anything is known, and none is under way. */
  @Test
  void oneFailureIsTooLittleToJudgeByWhileOthersAreToFollow() throws SQLException {
    bulk.ended("dead", 40);
    long action = bulk.submit(Bulk.DEAD + ", \"stop_ratio\": 0.5", 1000);
    assertEquals(1, bulk.step(action, 1));
    run(1, "failed");
    assertEquals(1, bulk.step(action, 1));
    assertEquals("running 2 1", bulk.shown(action, "state, done, failed_since"));
  }

  /** Two of four are no more than half, though the first two were. */
  @Test
  void aCanaryThatMayYetComeOutWellIsWaitedFor() throws SQLException {
    bulk.ended("dead", 6);
    long action = bulk.submit(Bulk.DEAD + ", \"canary\": 4, \"stop_ratio\": 0.5", 1000);
    bulk.step(action, 2);
    run(2, "failed");
    bulk.drain(action);
    assertEquals("canary 4 2", bulk.shown(action, "state, done, failed_since"));
    run(2, "succeeded");
    bulk.step(action, 1);
    assertEquals("running", bulk.shown(action, "state"));
  }

  @Test
  void renewedFailureOfTheLastStopsItToo() throws SQLException {
    bulk.ended("dead", 3);
    long action = bulk.submit(Bulk.DEAD + ", \"stop_ratio\": 0.5", 1000);
    bulk.drain(action);
    assertEquals("running 3", bulk.shown(action, "state, done"), "nothing is known of them");
    run(3, "failed");
    bulk.drain(action);
    assertEquals("stopped failed-again 3", bulk.shown(action, "state, state_reason, done"));
  }

  @Test
  void itGoesNoFurtherAheadOfWhatIsKnownThanTheWindow() throws SQLException {
    bulk.ended("dead", 1010);
    long action = bulk.submit(Bulk.DEAD + ", \"stop_ratio\": 0.5", 2000);
    bulk.drain(action);
    assertEquals("running 1000", bulk.shown(action, "state, done"));
    run(3, "succeeded");
    bulk.drain(action);
    assertEquals("running 1003", bulk.shown(action, "state, done"));
  }

  @Test
  void earlierFailuresOfAJobThatWasBetweenAttemptsDoNotCount() throws SQLException {
    bulk.sql.ready(bulk.queue, 1);
    run(1, "failed");
    long action =
        bulk.submit(
            "\"action\": \"retry\", \"states\": [\"retrying\"], \"canary\": 1, \"stop_ratio\": 0",
            9);
    bulk.drain(action);
    assertEquals("canary 1 0", bulk.shown(action, "state, done, failed_since"));
    run(1, "succeeded");
    bulk.drain(action);
    assertEquals("completed 1 0", bulk.shown(action, "state, done, failed_since"));
  }

  @Test
  void aCanaryThatSomebodyElseDecidesAboutLetsNoOtherFollow() throws SQLException {
    bulk.ended("dead", 4);
    long action = bulk.submit(Bulk.DEAD + ", \"canary\": 2, \"stop_ratio\": 0", 1000);
    bulk.drain(action);
    database.sql(
        "SELECT count(*) FROM cancel_jobs(%d, ARRAY(SELECT id FROM jobs), 'x', NULL)"
            .formatted(bulk.project));
    bulk.drain(action);
    assertEquals(
        "stopped canary-unknown 2 0 0",
        bulk.shown(action, "state, state_reason, done, succeeded_since, failed_since"));
  }

  @Test
  void aRateIsKeptByTheDatabasesClock() {
    bulk.ended("dead", 10);
    long action = bulk.submit(Bulk.DEAD + ", \"rate_per_second\": 3", 1000);
    // The first second's worth at once.
    assertEquals(3, bulk.step(action, 100));
    database.sql(
        "UPDATE bulk_actions SET tokens = 0, refilled_at = clock_timestamp() + interval '1 hour'");
    assertEquals(0, bulk.step(action, 100), "a clock that was put back gives nothing");
    database.sql("UPDATE bulk_actions SET refilled_at = clock_timestamp() - interval '0.7 s'");
    assertEquals(2, bulk.step(action, 100));
    database.sql("UPDATE bulk_actions SET refilled_at = clock_timestamp() - interval '1 hour'");
    assertEquals(3, bulk.step(action, 100), "no more than a second's worth is saved up");
    assertEquals("8", bulk.shown(action, "done"));
  }

  /** Slower than one a second: a job now and then. */
  @Test
  void aSlowRateWorksToo() {
    bulk.ended("dead", 3);
    long action = bulk.submit(Bulk.DEAD + ", \"rate_per_second\": 0.5", 1000);
    database.sql(
        "UPDATE bulk_actions SET tokens = 0.2, refilled_at = clock_timestamp() - interval '1 s'");
    assertEquals(0, bulk.step(action, 100));
    database.sql("UPDATE bulk_actions SET refilled_at = clock_timestamp() - interval '2 s'");
    assertEquals(1, bulk.step(action, 100));
    assertTrue(
        Double.parseDouble(bulk.shown(action, "tokens")) < 1, "what it cost has been taken away");
  }
}
