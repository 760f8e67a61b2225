package io.jobscheduler.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.schema.testing.TestDatabase;
import io.jobscheduler.worker.handlers.RetryAfterException;
import java.time.Duration;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Errors that are larger than what is kept of them, through a whole worker. */
class HugeErrorsPgTest {
  private static final int ATTEMPTS = 25;

  @RegisterExtension
  @Order(1)
  final TestDatabase database = new TestDatabase();

  @RegisterExtension
  @Order(2)
  final Rig rig = new Rig(database);

  private final Jobs jobs = new Jobs(database);

  private static Throwable chain() {
    String words = "x".repeat(100_000);
    Throwable error = new IllegalStateException("the root");
    for (int i = 0; i < 30; i++) {
      error = new IllegalStateException("cause " + i + " " + words, error);
    }
    return error;
  }

  @Test
  void areCutToHeadAndTailInEachOfManyAttempts() {
    Throwable cause = chain();
    long id = jobs.ready(jobs.queue("default"), "huge", null);
    database.sql("UPDATE jobs SET max_attempts = " + ATTEMPTS + " WHERE id = " + id);
    rig.ready(
        TestHandlers.handler(
            "huge",
            job -> {
              RetryAfterException again =
                  new RetryAfterException("huge", "h".repeat(2_000_000), Duration.ZERO);
              again.initCause(cause);
              throw again;
            }));
    Await.until("it is dead", () -> "dead".equals(jobs.state(id)));
    String all =
        "(SELECT error_message, error_stack FROM attempts UNION ALL SELECT error_message, error_stack"
            + " FROM finished_attempts UNION ALL SELECT error_message, error_stack FROM finished_jobs) t";
    assertEquals(
        ATTEMPTS + " true true true",
        database.sql(
            "SELECT concat_ws(' ', count(*), (max(length(error_message)) <= 4096 AND max(length(error_stack))"
                + " <= 16500)::text, bool_and(error_message LIKE '%(cut)' AND error_stack LIKE '%characters cut%')::text,"
                + " bool_and(error_stack LIKE '%RetryAfterException%' AND error_stack LIKE '%the root%')::text) FROM "
                + all));
  }
}
