package io.jobscheduler.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.schema.testing.TestDatabase;
import io.jobscheduler.worker.handlers.JobOutcome;
import java.time.Duration;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Outcomes that no database takes: they end their own job at most, and hold up no other's end. */
class UnstorablePgTest {
  @RegisterExtension
  @Order(1)
  final TestDatabase database = new TestDatabase();

  @RegisterExtension
  @Order(2)
  final Rig rig = new Rig(database);

  private final Jobs jobs = new Jobs(database);
  private final TestHandlers.Recorder recorder = new TestHandlers.Recorder();

  @Test
  void resultNestedBeyondTheServersStackFailsItsJobOnly() {
    int queue = jobs.queue("mail");
    String deep = "[".repeat(100_000) + "]".repeat(100_000);
    rig.ready(TestHandlers.handler("deep", job -> JobOutcome.done(deep)), recorder);
    long culprit = jobs.ready(queue, "deep", null);
    long other = jobs.ready(queue, "record", null);
    Await.until("the other is settled", () -> "succeeded".equals(jobs.state(other)));
    Await.until("the culprit waits for a retry", () -> "retrying".equals(jobs.state(culprit)));
    assertEquals("unstorable-result", database.sql("SELECT error_kind FROM attempts"));
  }

  @Test
  void waitBeyondAllCalendarsIsCut() {
    int queue = jobs.queue("mail");
    rig.ready(
        TestHandlers.handler(
            "late",
            job -> new JobOutcome.Retry("later", "later", Duration.ofSeconds(Long.MAX_VALUE))),
        TestHandlers.handler(
            "early",
            job -> new JobOutcome.Retry("later", "sooner", Duration.ofSeconds(Long.MIN_VALUE))),
        recorder);
    long late = jobs.ready(queue, "late", null);
    long other = jobs.ready(queue, "record", null);
    Await.until("it waits", () -> "retrying".equals(jobs.state(late)));
    Await.until("the other is settled", () -> "succeeded".equals(jobs.state(other)));
    assertEquals(
        "true", jobs.column("(run_at < clock_timestamp() + interval '366 days')::text", late));
    long early = jobs.ready(queue, "early", null);
    Await.until(
        "it is tried again at once", () -> Integer.parseInt(jobs.column("attempt", early)) > 1);
  }
}
