package io.jobscheduler.localstack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** One job from the request to its end, in each of the ways in which it can end. */
@ExtendWith(SharedStack.class)
class JobLifecycleE2eIT {
  private static final Map<String, Object> SOON = Map.of("strategy", "fixed", "base", "PT0.2S");

  private final TestProject project;

  JobLifecycleE2eIT(LocalStack stack) {
    project = TestProject.create(stack);
  }

  @Test
  void givesBackResultDigitForDigit() {
    String payload = "{\"n\":[1e2,-0,1E-3,12345678901234567890.10],\"s\":\"ü — \\u2028\"}";
    String id =
        project
            .api()
            .postText(project.path("/jobs"), "{\"type\":\"echo\",\"payload\":" + payload + "}")
            .success()
            .path("id")
            .asText();

    project.awaitState(id, "succeeded");

    String text = project.api().get(project.path("/jobs/" + id)).text();
    assertTrue(text.contains("\"payload\":" + payload), text);
    assertTrue(text.contains("\"result\":" + payload), text);
  }

  @Test
  void retriesUntilItSucceeds() {
    String id =
        project.enqueue(
            Map.of(
                "type",
                "fail-n-times",
                "payload",
                Map.of("times", 2),
                "maxAttempts",
                5,
                "retry",
                SOON));

    JsonNode job = project.awaitState(id, "succeeded");

    assertEquals(3, job.path("attempt").asInt());
    assertEquals(List.of("failed", "failed", "succeeded"), outcomes(id));
  }

  @Test
  void isDeadAfterItsLastAttempt() {
    String id =
        project.enqueue(
            Map.of(
                "type",
                "fail-n-times",
                "payload",
                Map.of("times", 9),
                "maxAttempts",
                2,
                "retry",
                SOON));

    JsonNode job = project.awaitState(id, "dead");

    assertEquals(2, job.path("attempt").asInt());
    assertFalse(job.path("error").path("message").asText().isEmpty(), job.toString());
    assertEquals(List.of("failed", "failed"), outcomes(id));
  }

  @Test
  void doesNotStartDelayedJobBeforeItsTime() {
    String id = project.enqueue(Map.of("type", "echo", "delay", "PT1.5S"));
    JsonNode waiting = project.job(id);

    JsonNode job = project.awaitState(id, "succeeded");

    assertEquals("scheduled", waiting.path("state").asText());
    Instant due = Instant.parse(waiting.path("runAt").asText());
    Instant started = Instant.parse(job.path("startedAt").asText());
    assertFalse(started.isBefore(due), started + " is before " + due);
  }

  @Test
  void runsEachOfManyOnce() {
    List<String> ids = project.enqueue(2_000, Map.of("type", "echo"));

    project.awaitFinished(ids.size());

    assertEquals(ids.size(), ids.stream().distinct().count());
    assertEquals(
        List.of("succeeded 1 2000"),
        project.texts(
            """
            SELECT state || ' ' || attempt || ' ' || count(*) FROM jobs.finished_jobs
             WHERE project_id = (SELECT id FROM jobs.projects WHERE name = ?)
             GROUP BY state, attempt
            """));
  }

  private List<String> outcomes(String id) {
    List<String> outcomes = new ArrayList<>();
    project.attempts(id).forEach(attempt -> outcomes.add(attempt.path("outcome").asText()));
    return outcomes;
  }
}
