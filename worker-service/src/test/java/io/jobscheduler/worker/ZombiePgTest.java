package io.jobscheduler.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.schema.testing.TestDatabase;
import io.jobscheduler.worker.handlers.JobOutcome;
import io.jobscheduler.worker.lease.Timings;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A handler that goes on after its lease was lost, deaf to the interrupt. */
class ZombiePgTest {
  @RegisterExtension
  @Order(1)
  final TestDatabase database = new TestDatabase();

  @RegisterExtension
  @Order(2)
  final Rig rig = new Rig(database);

  private final Jobs jobs = new Jobs(database);
  private final CountDownLatch firstRuns = new CountDownLatch(1);
  private final CountDownLatch firstMayEnd = new CountDownLatch(1);
  private final CountDownLatch firstEnded = new CountDownLatch(1);
  private final CountDownLatch secondRuns = new CountDownLatch(1);
  private final CountDownLatch secondMayEnd = new CountDownLatch(1);

  private void startWorker() {
    // So long that silence alone would not show within the test.
    rig.timings = new Timings(Duration.ofMillis(200), Duration.ofSeconds(60));
    rig.ready(
        TestHandlers.handler(
            "deaf",
            job -> {
              if (job.attempt() > 1) {
                secondRuns.countDown();
                secondMayEnd.await();
                return JobOutcome.done("\"second\"");
              }
              firstRuns.countDown();
              while (firstMayEnd.getCount() > 0) {
                LockSupport.parkNanos(1_000_000);
                Thread.interrupted();
              }
              firstEnded.countDown();
              return JobOutcome.done("\"zombie\"");
            }));
  }

  /** Starts the job, declares its worker lost and rescues it; its id. */
  private long becomesZombie() {
    startWorker();
    long id = jobs.ready(jobs.queue("mail"), "deaf", null);
    Await.until("the first attempt runs", () -> firstRuns.getCount() == 0);
    database.sql("UPDATE workers SET lost_at = clock_timestamp()");
    assertEquals(1, jobs.number("SELECT count(*) FROM rescue_jobs(10, false)"));
    Await.until("the second attempt runs", () -> secondRuns.getCount() == 0);
    return id;
  }

  @Test
  void outcomeOfAZombieIsDroppedWhileTheNextAttemptRuns() {
    long id = becomesZombie();
    String lease = jobs.column("lease_token", id);
    firstMayEnd.countDown();
    Await.until("the zombie has ended", () -> firstEnded.getCount() == 0);
    assertEquals("running", jobs.state(id));
    assertEquals(lease, jobs.column("lease_token", id));
    secondMayEnd.countDown();
    Await.until("the second attempt ends it", () -> "succeeded".equals(jobs.state(id)));
    assertEquals("\"second\"", jobs.column("result", id));
    assertEquals("2", jobs.column("attempt", id));
  }

  @Test
  void outcomeOfAZombieIsDroppedAfterTheNextAttemptSucceeded() {
    long id = becomesZombie();
    secondMayEnd.countDown();
    Await.until("the second attempt ends it", () -> "succeeded".equals(jobs.state(id)));
    firstMayEnd.countDown();
    Await.until("the zombie has ended", () -> firstEnded.getCount() == 0);
    assertEquals("\"second\"", jobs.column("result", id));
    assertEquals("1", database.sql("SELECT count(*) FROM finished_jobs"));
    assertEquals("lost", database.sql("SELECT string_agg(outcome, ',') FROM finished_attempts"));
  }
}
