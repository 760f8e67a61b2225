package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an edit of a schedule replaces, from when on it counts, and what a stale one leaves. */
@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class ScheduleEditsHttpTest {
  private static final String JOB = "\"job\":{\"type\":\"t\"}";
  private static final String DAILY = "{\"name\":\"s\",\"cron\":\"0 3 * * *\"," + JOB + "}";

  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private String schedules;

  @BeforeEach
  void makeProject() {
    admin = ApiClient.admin(base);
    schedules = admin.project("p" + UUID.randomUUID()) + "/schedules";
  }

  @Test
  void aStaleTagChangesNothing() {
    String first = admin.post(schedules, DAILY).status(201).header("ETag");
    String body = DAILY.replace("0 3", "0 4");
    String second =
        admin.conditional("PUT", schedules + "/s", first, body).status(200).header("ETag");
    assertFalse(first.equals(second));
    for (String method : List.of("PUT", "PATCH", "DELETE")) {
      admin.conditional(method, schedules + "/s", first, DAILY).problem(412, "precondition-failed");
    }
    assertEquals("0 4 * * *", admin.get(schedules + "/s").json().path("cron").asText());
    admin
        .conditional("PUT", schedules + "/absent", "*", DAILY.replace("\"s\"", "\"absent\""))
        .problem(412, "precondition-failed");
    admin
        .conditional("PATCH", schedules + "/s", "\"x\", " + second, "{\"description\":\"d\"}")
        .status(200);
    admin.conditional("PATCH", schedules + "/s", "*", "{\"description\":\"e\"}").status(200);
    String last = admin.get(schedules + "/s").header("ETag");
    admin.conditional("DELETE", schedules + "/s", last, "").status(204);
    // One of the same name is another.
    admin.post(schedules, DAILY).status(201);
    admin.conditional("DELETE", schedules + "/s", first, "").problem(412, "precondition-failed");
  }

  /** What falls before an edit and is not decided yet stays undone: it never fires at once. */
  @Test
  void newTimesCountFromTheEditOn() {
    admin.post(schedules, DAILY).status(201);
    ApiClient.sql(
        "UPDATE schedules SET planned_to = now() - interval '3 days', next_fire_at = now() - interval '2 days'"
            + " WHERE name = 's' AND state = 'active'");
    JsonNode overdue = admin.get(schedules + "/s").json();
    // Another payload leaves alone when it fires: the leader still owes what is due.
    JsonNode kept =
        admin.patch(schedules + "/s", "{\"job\":{\"payload\":[1.50]}}").status(200).json();
    assertTrue(
        Instant.parse(kept.path("nextFireAt").asText()).isBefore(Instant.now()), kept.toString());
    assertTrue(admin.get(schedules + "/s").text().contains("\"payload\":[1.50]"));
    for (String edit :
        List.of(
            "{\"cron\":\"* * * * *\"}",
            "{\"timeZone\":\"Asia/Tokyo\"}",
            "{\"exclusions\":[\"2030-01-01\"]}",
            "{\"endAt\":\"2199-01-01T00:00:00Z\"}",
            "{\"every\":\"PT2S\"}")) {
      ApiClient.sql(
          "UPDATE schedules SET planned_to = now() - interval '3 days', next_fire_at = now() - interval '2 days'"
              + " WHERE name = 's' AND state = 'active'");
      Instant before = Instant.now();
      JsonNode edited = admin.patch(schedules + "/s", edit).status(200).json();
      assertTrue(
          Instant.parse(edited.path("nextFireAt").asText()).isAfter(before), edited.toString());
      ApiClient.sql(
          "DO $$ BEGIN ASSERT (SELECT bool_and(planned_to > now() - interval '1 minute')"
              + " FROM schedules WHERE name = 's' AND state = 'active'"
              + " AND project_id = (SELECT max(id) FROM projects)); END $$");
    }
    assertEquals(overdue.path("createdAt"), admin.get(schedules + "/s").json().path("createdAt"));
  }

  @Test
  void patchReplacesWhatItNamesAndNullTakesBack() {
    admin
        .post(
            schedules,
            "{\"name\":\"s\",\"cron\":\"0 3 * * *\",\"maxRuns\":5,\"misfire\":{\"policy\":\"skip\",\"maxCatchUp\":9},"
                + "\"job\":{\"type\":\"t\",\"payload\":{\"a\":1e2},\"priority\":7}}")
        .status(201);
    ApiClient.Answer patched =
        admin
            .patch(
                schedules + "/s",
                "{\"every\":\"PT1H\",\"maxRuns\":null,\"misfire\":{\"maxCatchUp\":3},\"job\":{\"priority\":null}}")
            .status(200);
    JsonNode schedule = patched.json();
    assertTrue(schedule.path("cron").isNull() && schedule.path("dialect").isNull());
    assertEquals("PT1H", schedule.path("every").asText());
    assertTrue(schedule.path("maxRuns").isNull());
    assertEquals("skip", schedule.path("misfire").path("policy").asText());
    assertEquals(3, schedule.path("misfire").path("maxCatchUp").asInt());
    assertEquals(4, schedule.path("job").path("priority").asInt());
    assertTrue(patched.text().contains("{\"a\":1e2}"), patched.text());

    assertEquals(
        List.of("/job/priority"),
        admin
            .patch(schedules + "/s", "{\"job\":{\"priority\":11}}")
            .problem(422, "validation-failed")
            .pointers());
    assertEquals(
        List.of("/name"),
        admin
            .patch(schedules + "/s", "{\"name\":\"other\"}")
            .problem(422, "validation-failed")
            .pointers());
    assertEquals(
        List.of("/state"),
        admin
            .patch(schedules + "/s", "{\"state\":\"paused\"}")
            .problem(400, "unknown-field")
            .pointers());
    admin.patch(schedules + "/s", "[]").problem(422, "validation-failed");
    admin.patch(schedules + "/absent", "{}").problem(404, "not-found");
    assertEquals(schedule, admin.get(schedules + "/s").json());
  }
}
