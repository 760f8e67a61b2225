package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class ScheduleActionsHttpTest {
  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private String project;
  private String schedule;
  private String mine;

  @BeforeEach
  void makeSchedule() {
    admin = ApiClient.admin(base);
    String name = "p" + UUID.randomUUID();
    project = admin.project(name);
    schedule = project + "/schedules/s";
    mine =
        "(SELECT s.id FROM schedules s JOIN projects p ON p.id = s.project_id WHERE p.name = '"
            + name
            + "' AND s.name = 's')";
    put("\"cron\":\"0 3 * * *\"");
  }

  private void put(String rule) {
    admin.put(schedule, "{" + rule + ",\"job\":{\"type\":\"t\",\"payload\":\"{{trigger}}\"}}");
  }

  private ApiClient member(String role) {
    return admin.member(
        project.substring(project.lastIndexOf('/') + 1), UUID.randomUUID() + "@x.org", role);
  }

  @Test
  void aPauseSaysWhoAndWhyAndEndsWithNowAsItsBeginning() {
    ApiClient operator = member("operator");
    JsonNode paused =
        operator
            .post(schedule + "/pause", "{\"reason\":\"move\",\"until\":\"2199-01-01T00:00:00Z\"}")
            .status(200)
            .json();
    assertEquals("paused", paused.path("state").asText());
    assertTrue(paused.path("nextFireAt").isNull());
    assertEquals("move", paused.path("paused").path("reason").asText());
    assertTrue(paused.path("paused").path("by").asText().endsWith("@x.org"));
    assertEquals("2199-01-01T00:00:00.000Z", paused.path("paused").path("until").asText());
    // Again: another reason, the same beginning.
    JsonNode again = operator.post(schedule + "/pause", "{}").status(200).json();
    assertEquals(paused.path("paused").path("at"), again.path("paused").path("at"));
    assertTrue(again.path("paused").path("reason").isNull());
    // An edit does not end it.
    assertEquals(
        "paused",
        admin
            .patch(schedule, "{\"cron\":\"0 4 * * *\"}")
            .status(200)
            .json()
            .path("state")
            .asText());

    ApiClient.sql("UPDATE schedules SET planned_to = now() - interval '9 days' WHERE id = " + mine);
    Instant before = Instant.now();
    JsonNode resumed = operator.post(schedule + "/resume", "").status(200).json();
    assertEquals("active", resumed.path("state").asText());
    assertTrue(resumed.path("paused").isNull());
    assertTrue(Instant.parse(resumed.path("nextFireAt").asText()).isAfter(before));
    ApiClient.sql(
        "DO $$ BEGIN ASSERT (SELECT planned_to > now() - interval '1 minute' FROM schedules WHERE id = "
            + mine
            + "); END $$");
    assertEquals(resumed, operator.post(schedule + "/resume", "").status(200).json());
    assertEquals(
        List.of("/until"),
        operator
            .post(schedule + "/pause", "{\"until\":\"2020-01-01T00:00:00Z\"}")
            .problem(422, "validation-failed")
            .pointers());
  }

  @Test
  void whatIsOverCannotBePausedOrResumed() {
    ApiClient.sql(
        "UPDATE schedules SET state = 'completed', next_fire_at = NULL WHERE id = " + mine);
    admin.post(schedule + "/pause", "{}").problem(409, "conflict");
    admin.post(schedule + "/resume", "").problem(409, "conflict");
    // Given times again, it goes on; given the same, it stays over.
    JsonNode same = admin.patch(schedule, "{\"description\":\"d\",\"endAt\":null}").json();
    assertEquals("active", same.path("state").asText(), same.toString());
    ApiClient.sql(
        "UPDATE schedules SET run_count = 3, max_runs = 3, state = 'completed', next_fire_at = NULL WHERE id = "
            + mine);
    assertEquals(
        "completed",
        admin.patch(schedule, "{\"description\":\"e\"}").status(200).json().path("state").asText());
    assertEquals(
        "completed",
        admin
            .patch(schedule, "{\"cron\":\"* * * * *\"}")
            .status(200)
            .json()
            .path("state")
            .asText());
    assertEquals(
        "active",
        admin.patch(schedule, "{\"maxRuns\":4}").status(200).json().path("state").asText());
  }

  @Test
  void aDisabledOneIsReckonedAgainWhenItIsResumed() {
    ApiClient.sql(
        "UPDATE schedules SET state = 'disabled', disabled_reason = 'r', next_fire_at = NULL, time_zone = 'No/Where'"
            + " WHERE id = "
            + mine);
    JsonNode disabled = admin.get(schedule).status(200).json();
    assertEquals("r", disabled.path("disabledReason").asText());
    assertTrue(disabled.path("inWords").isNull());
    admin.get(project + "/schedules").status(200);
    admin.get(project + "/schedules/heat-map").status(200);
    admin.post(schedule + "/resume", "").problem(409, "conflict");
    admin.patch(schedule, "{\"description\":\"d\"}").problem(422, "validation-failed");
    assertEquals(
        "active",
        admin.patch(schedule, "{\"timeZone\":\"UTC\"}").status(200).json().path("state").asText());
  }

  @Test
  void historyTellsWhatBecameOfEachTime() {
    ApiClient.sql(
        "INSERT INTO schedule_fires (schedule_id, planned_at, planned_local, trigger, outcome, reason, sequence, job_id,"
            + " fired_at, missed_from, missed_to, missed_count) SELECT "
            + mine
            + ", v.planned_at::timestamptz, v.local, v.trigger, v.outcome, v.reason, v.sequence, v.job,"
            + " v.fired::timestamptz, v.f::timestamptz, v.t::timestamptz, v.n FROM (VALUES"
            + " (NULL, NULL, 'scheduled', 'missed', 'misfire-policy', NULL, NULL::bigint, NULL, '2026-01-01T03:00Z',"
            + " '2026-01-03T03:00Z', 3),"
            + " ('2026-01-04T03:00Z', '2026-01-04T03:00:00Z', 'catch_up', 'fired', NULL, 1, 77, '2026-01-04T04:00Z',"
            + " NULL, NULL, 3),"
            + " ('2026-01-05T03:00Z', '2026-01-05T03:00:00Z', 'scheduled', 'skipped', 'overlap', NULL, NULL, NULL,"
            + " NULL, NULL, 0)) AS v (planned_at, local, trigger, outcome, reason, sequence, job, fired, f, t, n)");
    JsonNode page = member("viewer").get(schedule + "/fires").status(200).json();
    assertEquals(
        List.of("skipped", "fired", "missed"), page.path("items").findValuesAsText("outcome"));
    assertEquals("overlap", page.path("items").path(0).path("reason").asText());
    JsonNode fired = page.path("items").path(1);
    assertEquals("77", fired.path("job").asText());
    assertEquals(3, fired.path("standsFor").asInt());
    assertEquals("2026-01-04T03:00:00.000Z", fired.path("plannedAt").asText());
    JsonNode missed = page.path("items").path(2);
    assertEquals(
        "{\"from\":\"2026-01-01T03:00:00.000Z\",\"to\":\"2026-01-03T03:00:00.000Z\",\"count\":3}",
        missed.path("missed").toString());
    assertTrue(missed.path("plannedAt").isNull());
    List<String> outcomes = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode part = admin.get(schedule + "/fires?limit=2" + cursor).json();
      outcomes.addAll(part.path("items").findValuesAsText("outcome"));
      cursor =
          part.path("nextCursor").isNull() ? "" : "&cursor=" + part.path("nextCursor").asText();
    } while (!cursor.isEmpty());
    assertEquals(List.of("skipped", "fired", "missed"), outcomes);
    JsonNode some = admin.get(schedule + "/fires?outcome=missed,skipped").json();
    assertEquals(2, some.path("count").path("value").asInt());
    assertTrue(some.path("nextCursor").isNull());
    assertEquals(
        List.of("?outcome"),
        admin.get(schedule + "/fires?outcome=x").problem(422, "validation-failed").pointers());
  }

  @Test
  void rolesAndProjectsBoundWhatIsDone() {
    ApiClient viewer = member("viewer");
    for (String action : List.of("/pause", "/resume")) {
      viewer.post(schedule + action, "{}").problem(403, "forbidden");
    }
    String other = admin.project("o" + UUID.randomUUID()) + "/schedules/s";
    ApiClient operator = member("operator");
    for (String action : List.of("/pause", "/resume")) {
      operator.post(other + action, "{}").problem(404, "not-found");
      admin.post(other + action, "{}").problem(404, "not-found");
    }
    admin.get(other + "/fires").problem(404, "not-found");
    operator.get(other + "/fires").problem(404, "not-found");
  }
}
