package io.jobscheduler.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.TestDatabase;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Field cases C059 and C045: a handler that exhausts the memory of its process. */
class OutOfMemoryPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();

  @Test
  void outOfMemoryEndsTheProcessAndItsJobIsRecovered() throws Exception {
    Jobs jobs = new Jobs(database);
    long id = jobs.ready(jobs.queue("mail"), "hungry", null);
    Process process =
        new ProcessBuilder(
                List.of(
                    ProcessHandle.current().info().command().orElse("java"),
                    "-Xmx64m",
                    "-cp",
                    System.getProperty("java.class.path"),
                    HungryWorker.class.getName(),
                    database.url()))
            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      // Until then its last beat may list the job as not started, and it would be given back.
      Await.until(
          "a beat tells of the start",
          () ->
              "1"
                  .equals(
                      database.sql(
                          "SELECT count(*) FROM workers WHERE running = 1 AND unstarted = '{}'")));
      process.getOutputStream().close();
      assertTrue(process.waitFor(60, TimeUnit.SECONDS), "it goes on half dead");
      assertEquals(3, process.exitValue());
    } finally {
      process.destroyForcibly().waitFor();
    }
    assertEquals("running", jobs.state(id), "nobody could settle it");
    // The session lock went with the process, so the loss shows before the timeout.
    Await.until(
        "its loss shows",
        () -> database.sql("SELECT id FROM mark_lost_workers('0.6 s', '0.1 s')") != null);
    database.sql("SELECT rescue_jobs(10, false)");
    assertEquals("ready", jobs.state(id));
    assertEquals("lost", database.sql("SELECT outcome FROM attempts"));
  }
}
