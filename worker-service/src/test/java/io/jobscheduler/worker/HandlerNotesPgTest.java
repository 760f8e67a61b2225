package io.jobscheduler.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.schema.testing.TestDatabase;
import io.jobscheduler.worker.handlers.AttemptNotes.Level;
import io.jobscheduler.worker.handlers.JobOutcome;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What handlers say of themselves, through a whole worker. */
class HandlerNotesPgTest {
  @RegisterExtension
  @Order(1)
  final TestDatabase database = new TestDatabase();

  @RegisterExtension
  @Order(2)
  final Rig rig = new Rig(database);

  private final Jobs jobs = new Jobs(database);
  private final CountDownLatch open = new CountDownLatch(1);

  private String lines(long id) {
    return database.sql(
        "SELECT string_agg(message, ' ' ORDER BY line) FROM job_logs WHERE job_id = " + id);
  }

  @Test
  void areReadableWhileItRunsAndItsLastWordsSurviveTheDrain() {
    int queue = jobs.queue("mail");
    WorkerProcess worker =
        rig.ready(
            TestHandlers.handler(
                "talk",
                job -> {
                  job.log(Level.INFO, "begins");
                  job.progress(0.5, "half");
                  open.await();
                  job.log(Level.INFO, "ends");
                  return JobOutcome.done();
                }));
    long id = jobs.ready(queue, "talk", null);
    Await.until("its words are written", () -> "begins".equals(lines(id)));
    assertEquals(
        "0.5 half",
        database.sql("SELECT fraction || ' ' || message FROM job_progress WHERE job_id = " + id));
    open.countDown();
    Await.until("it has ended", () -> "succeeded".equals(jobs.state(id)));
    rig.drain(worker);
    assertEquals("begins ends", lines(id));
    assertEquals("0", database.sql("SELECT count(*) FROM job_progress"));
  }

  @Test
  void neitherDelayNorFailAHandlerWhileTheDatabaseIsAway() throws Exception {
    int queue = jobs.queue("mail");
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch said = new CountDownLatch(1);
    try (Wire wire = new Wire(database)) {
      WorkerProcess worker =
          rig.start(
              wire.connections(),
              rig.connections(),
              TestHandlers.handler(
                  "talk",
                  job -> {
                    entered.countDown();
                    open.await();
                    for (int i = 1; i <= 5_000; i++) {
                      job.log(Level.INFO, "line");
                      job.progress(i / 5_000.0, null);
                    }
                    said.countDown();
                    return JobOutcome.done();
                  }));
      Await.until("ready", worker::isReady);
      long id = jobs.ready(queue, "talk", null);
      entered.await();
      wire.breakAndRefuse();
      open.countDown();
      said.await();
      wire.resume();
      Await.until("it is settled", () -> "succeeded".equals(jobs.state(id)));
      rig.drain(worker);
      // What the second was too full for is known to be missing: numbers go on.
      assertEquals(
          "4001 5000 1000",
          database.sql("SELECT concat_ws(' ', min(line), max(line), count(*)) FROM job_logs"));
    }
  }
}
