package io.jobscheduler.localstack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.jobscheduler.localstack.process.Await;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A schedule from the request to the jobs that it makes. */
@ExtendWith(SharedStack.class)
class ScheduleE2eIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final TestProject project;

  ScheduleE2eIT(LocalStack stack) {
    project = TestProject.create(stack);
  }

  @Test
  void firesEachSecondOnceUntilItsRunsAreUsedUp() {
    String path = project.path("/schedules/tick");
    project
        .api()
        .post(
            project.path("/schedules"),
            Map.of(
                "name",
                "tick",
                "cron",
                "* * * * * ?",
                "maxRuns",
                3,
                "overlap",
                Map.of("policy", "allow"),
                "job",
                Map.of(
                    "type", "echo", "payload", Map.of("at", "{{plannedAt}}", "n", "{{sequence}}"))))
        .success();

    assertTrue(
        Await.until(
            LIMIT,
            () -> project.api().get(path).success().path("state").asText().equals("completed")),
        () -> "not completed within 60 s: " + project.api().get(path).text());
    JsonNode fires = project.api().get(path + "/fires").success().path("items");

    List<Instant> planned = new ArrayList<>();
    for (JsonNode fire : fires) {
      assertEquals("fired", fire.path("outcome").asText(), fires.toString());
      planned.add(Instant.parse(fire.path("plannedAt").asText()));
      JsonNode job = project.awaitState(fire.path("job").asText(), "succeeded");
      assertEquals(fire.path("plannedAt").asText(), job.path("plannedAt").asText());
      assertEquals("tick", job.path("schedule").asText());
      JsonNode result = job.path("result");
      assertEquals(planned.get(planned.size() - 1), Instant.parse(result.path("at").asText()));
      assertEquals(fire.path("sequence").asText(), result.path("n").asText());
    }
    assertEquals(3, planned.size(), fires.toString());
    assertEquals(3, new HashSet<>(planned).size());
    // Newest first, a second apart.
    assertEquals(Duration.ofSeconds(2), Duration.between(planned.get(2), planned.get(0)));

    // By hand, and of the past.
    JsonNode byHand = project.api().post(path + "/trigger", Map.of()).success();
    project.awaitState(byHand.path("id").asText(), "succeeded");
    JsonNode backfill =
        project
            .api()
            .post(
                path + "/backfill",
                Map.of(
                    "from",
                    planned.get(2).minusSeconds(2).toString(),
                    "to",
                    planned.get(0).plusMillis(1).toString()))
            .success();
    assertEquals(5, backfill.path("planned").asInt());
    String progress = path + "/backfills/" + backfill.path("id").asText();
    JsonNode ended =
        Await.value(
                LIMIT,
                () ->
                    Optional.of(project.api().get(progress).success())
                        .filter(b -> b.path("state").asText().equals("completed")))
            .orElseThrow(() -> new AssertionError(project.api().get(progress).text()));
    assertEquals(2, ended.path("accepted").asInt(), ended.toString());
    assertEquals(3, ended.path("leftAlone").asInt(), ended.toString());
    project.awaitFinished(6);
    assertEquals(
        6,
        project
            .api()
            .get(project.path("/jobs?schedule=tick&state=succeeded"))
            .success()
            .path("count")
            .path("value")
            .asInt());
  }
}
