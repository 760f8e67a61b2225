package io.jobscheduler.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.jobscheduler.schema.testing.TestDatabase;
import io.jobscheduler.worker.handlers.AddedJob;
import io.jobscheduler.worker.handlers.JobOutcome;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The trace context that a job was handed in under, through a whole worker. */
class TracePgTest {
  private static final String TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  @RegisterExtension
  @Order(1)
  final TestDatabase database = new TestDatabase();

  @RegisterExtension
  @Order(2)
  final Rig rig = new Rig(database);

  private final Jobs jobs = new Jobs(database);
  private final TestHandlers.Recorder recorder = new TestHandlers.Recorder();

  @Test
  void reachesEachAttemptAndTheJobsThatItAdds() {
    Graphs graphs = new Graphs(database, jobs.queue("default"));
    int workflow = graphs.workflow();
    graphs.member(workflow, "root", "split", null);
    graphs.member(workflow, "plain", "record", null);
    database.sql(
        "UPDATE jobs SET traceparent = '" + TRACE + "', max_attempts = 2 WHERE type = 'split'");
    graphs.release(workflow);
    rig.ready(
        TestHandlers.handler(
            "split",
            job -> {
              assertEquals(TRACE, job.traceparent());
              if (job.attempt() == 1) {
                return new JobOutcome.Retry("again", "", Duration.ZERO);
              }
              job.addJobs(List.of(AddedJob.of("more", "record")));
              return JobOutcome.done();
            }),
        recorder);
    Await.until("all have ended", () -> jobs.number("SELECT count(*) FROM jobs") == 0);
    assertEquals("3", database.sql("SELECT count(*) FROM all_jobs WHERE state = 'succeeded'"));
    assertNull(recorder.seen.get(0).traceparent(), "handed in without");
    assertEquals(TRACE, recorder.seen.get(1).traceparent(), "added by the one that has it");
  }
}
