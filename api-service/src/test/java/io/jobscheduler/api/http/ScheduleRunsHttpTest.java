package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class ScheduleRunsHttpTest {
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
    admin
        .put(
            schedule,
            "{\"cron\":\"0 * * * *\",\"timeZone\":\"Europe/Berlin\",\"job\":{\"type\":\"t\",\"payload\":"
                + "{\"by\":\"{{trigger}}\",\"n\":\"{{sequence}}\"},\"priority\":7,\"timeout\":\"PT9S\"}}")
        .status(201);
  }

  private ApiClient member(String role) {
    return admin.member(
        project.substring(project.lastIndexOf('/') + 1), UUID.randomUUID() + "@x.org", role);
  }

  private String range(String from, String to, String more) {
    return "{\"from\":\"" + from + "\",\"to\":\"" + to + "\"" + more + "}";
  }

  @Test
  void aTriggerMakesTheJobOfTheTemplateNow() {
    JsonNode before = admin.get(schedule).json();
    ApiClient operator = member("operator");
    ApiClient.Answer made = operator.post(schedule + "/trigger", "").status(201);
    JsonNode job = made.json();
    assertEquals("t", job.path("type").asText());
    assertEquals("ready", job.path("state").asText());
    assertEquals(7, job.path("priority").asInt());
    assertEquals("PT9S", job.path("timeout").asText());
    assertEquals("s", job.path("schedule").asText());
    assertTrue(job.path("plannedAt").isNull());
    assertEquals(
        "{\"by\":\"manual\",\"n\":1}",
        admin.get(made.header("Location")).json().path("payload").toString());
    JsonNode fire = admin.get(schedule + "/fires").json().path("items").path(0);
    assertEquals("manual", fire.path("trigger").asText());
    assertEquals(job.path("id"), fire.path("job"));
    assertTrue(fire.path("requestedBy").asText().endsWith("@x.org"));
    assertEquals(before.path("nextFireAt"), admin.get(schedule).json().path("nextFireAt"));

    // It lives: the schedule's policy, skip, holds unless another is named.
    operator.post(schedule + "/trigger", "{}").problem(409, "conflict");
    assertEquals(
        "queued",
        operator
            .post(schedule + "/trigger", "{\"overlap\":\"queue_one\"}")
            .status(202)
            .json()
            .path("outcome")
            .asText());
    operator.post(schedule + "/trigger", "{\"overlap\":\"allow\"}").status(201);
    assertEquals(
        List.of("fired", "queued", "skipped", "fired"),
        admin.get(schedule + "/fires").json().path("items").findValuesAsText("outcome"));
    assertEquals(
        List.of("/overlap"),
        operator
            .post(schedule + "/trigger", "{\"overlap\":\"no\"}")
            .problem(422, "validation-failed")
            .pointers());
  }

  @Test
  void aTriggerOfAWorkflowTemplateSubmitsIt() {
    admin
        .put(
            project + "/schedules/w",
            "{\"every\":\"P1D\",\"workflow\":{\"name\":\"flow\",\"jobs\":[{\"key\":\"a\",\"type\":\"t\"},"
                + "{\"key\":\"b\",\"type\":\"t\",\"dependsOn\":[\"a\"]}]}}")
        .status(201);
    ApiClient.Answer made = admin.post(project + "/schedules/w/trigger", "{}").status(201);
    assertEquals("flow", made.json().path("name").asText());
    assertEquals(2, made.json().path("jobs").asInt());
    assertEquals(1, made.json().path("counts").path("blocked").asInt());
    assertEquals(made.json(), admin.get(made.header("Location")).json());
  }

  @Test
  void aDryRunSaysWhatABackfillWouldRun() {
    Instant hour = Instant.now().truncatedTo(ChronoUnit.HOURS);
    String from = hour.minus(9, ChronoUnit.HOURS).toString();
    String to = hour.minus(3, ChronoUnit.HOURS).toString();
    ApiClient.sql(
        "INSERT INTO schedule_fires (schedule_id, planned_at, trigger, outcome, reason, job_id, fired_at) SELECT "
            + mine
            + ", '"
            + from
            + "'::timestamptz + v.h * interval '1 hour', 'scheduled', v.o, v.r, v.j, v.f::timestamptz FROM (VALUES"
            + " (0, 'fired', NULL, -1::bigint, now()), (1, 'skipped', 'overlap', NULL, NULL)) AS v (h, o, r, j, f)");
    JsonNode missing =
        admin.post(schedule + "/backfill", range(from, to, ",\"dryRun\":true")).status(200).json();
    assertEquals(6, missing.path("planned").asInt(), missing.toString());
    assertEquals(5, missing.path("toRun").asInt());
    assertEquals(1, missing.path("leftAlone").asInt());
    assertEquals(hour.minus(8, ChronoUnit.HOURS), Instant.parse(missing.path("first").asText()));
    assertEquals(hour.minus(4, ChronoUnit.HOURS), Instant.parse(missing.path("last").asText()));
    JsonNode all =
        admin
            .post(schedule + "/backfill", range(from, to, ",\"dryRun\":true,\"reprocess\":\"all\""))
            .status(200)
            .json();
    assertEquals(6, all.path("toRun").asInt());
    assertEquals(0, admin.get(schedule + "/backfills").json().path("items").size());
  }

  @Test
  void aBackfillIsTrackedAndCanBeAborted() {
    Instant hour = Instant.now().truncatedTo(ChronoUnit.HOURS);
    ApiClient.Answer started =
        member("operator")
            .post(
                schedule + "/backfill",
                range(
                    hour.minus(5, ChronoUnit.HOURS).toString(),
                    hour.minus(1, ChronoUnit.HOURS).toString(),
                    ",\"overlap\":\"allow\",\"reprocess\":\"failed\",\"priority\":2"))
            .status(202);
    JsonNode backfill = started.json();
    assertEquals("running", backfill.path("state").asText());
    assertEquals(4, backfill.path("planned").asInt());
    assertEquals("allow", backfill.path("overlap").asText());
    assertEquals("failed", backfill.path("reprocess").asText());
    assertEquals(2, backfill.path("priority").asInt());
    assertTrue(backfill.path("requestedBy").asText().endsWith("@x.org"));
    String path = URI.create(started.header("Location")).getPath();
    assertEquals(backfill, admin.get(path).status(200).json());
    JsonNode list = admin.get(schedule + "/backfills").json();
    assertEquals(backfill, list.path("items").path(0));
    assertEquals(1, list.path("count").path("value").asInt());

    JsonNode aborted = admin.post(path + "/abort", "").status(200).json();
    assertEquals("aborted", aborted.path("state").asText());
    assertEquals("aborted by admin@localhost", aborted.path("error").asText());
    assertEquals(aborted, admin.post(path + "/abort", "").status(200).json());
    ApiClient.sql(
        "UPDATE backfills SET state = 'completed' WHERE id = " + backfill.path("id").asText());
    admin.post(path + "/abort", "").problem(409, "conflict");
  }

  /** What the leader has still to decide is not a backfill's, or a time might run twice. */
  @Test
  void aBackfillEndsWhereTheSchedulersOwnWorkBegins() {
    ApiClient.sql(
        "UPDATE schedules SET planned_to = date_trunc('hour', now(), 'UTC') - interval '3 hours',"
            + " next_fire_at = date_trunc('hour', now(), 'UTC') - interval '2 hours' WHERE id = "
            + mine);
    Instant hour = Instant.now().truncatedTo(ChronoUnit.HOURS);
    JsonNode cut =
        admin
            .post(
                schedule + "/backfill",
                range(hour.minus(6, ChronoUnit.HOURS).toString(), hour.toString(), ""))
            .status(202)
            .json();
    assertEquals(4, cut.path("planned").asInt(), cut.toString());
    assertEquals(hour.minus(2, ChronoUnit.HOURS), Instant.parse(cut.path("to").asText()));
    assertEquals(
        List.of("/from"),
        admin
            .post(
                schedule + "/backfill",
                range(hour.minus(2, ChronoUnit.HOURS).toString(), hour.toString(), ""))
            .problem(409, "conflict")
            .pointers());
    // While it is paused nobody else decides them.
    admin.post(schedule + "/pause", "").status(200);
    assertEquals(
        6,
        admin
            .post(
                schedule + "/backfill",
                range(
                    hour.minus(6, ChronoUnit.HOURS).toString(),
                    hour.toString(),
                    ",\"dryRun\":true"))
            .status(200)
            .json()
            .path("planned")
            .asInt());
  }

  @Test
  void refusesWhatIsNoRange() {
    String now = Instant.now().toString();
    for (String[] bad :
        new String[][] {
          {"/from", "{\"to\":\"2026-01-01T00:00:00Z\"}"},
          {"/to", "{\"from\":\"2026-01-01T00:00:00Z\"}"},
          {"/to", range("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "")},
          {"/to", range("2026-01-01T00:00:00Z", "2199-01-01T00:00:00Z", "")},
          {"/to", range("2020-01-01T00:00:00Z", now, "")},
          {"/overlap", range("2026-01-01T00:00:00Z", now, ",\"overlap\":\"queue_one\"")},
          {"/reprocess", range("2026-01-01T00:00:00Z", now, ",\"reprocess\":\"none\"")},
          {"/priority", range("2026-01-01T00:00:00Z", now, ",\"priority\":10")},
          {"/dryRun", range("2026-01-01T00:00:00Z", now, ",\"dryRun\":\"yes\"")}
        }) {
      assertEquals(
          List.of(bad[0]),
          admin.post(schedule + "/backfill", bad[1]).problem(422, "validation-failed").pointers(),
          bad[1]);
    }
    admin.post(schedule + "/backfill", "").problem(400, "malformed-json");
  }

  @Test
  void rolesAndProjectsBoundWhatIsRun() {
    ApiClient viewer = member("viewer");
    String body = range("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "");
    viewer.post(schedule + "/trigger", "{}").problem(403, "forbidden");
    viewer.post(schedule + "/backfill", body).problem(403, "forbidden");
    String id = admin.post(schedule + "/backfill", body).status(202).json().path("id").asText();
    viewer.get(schedule + "/backfills/" + id).status(200);
    viewer.post(schedule + "/backfills/" + id + "/abort", "{}").problem(403, "forbidden");

    String other = admin.project("o" + UUID.randomUUID());
    admin.put(other + "/schedules/s", "{\"every\":\"PT1H\",\"job\":{\"type\":\"t\"}}").status(201);
    admin.put(other + "/schedules/t", "{\"every\":\"PT1H\",\"job\":{\"type\":\"t\"}}").status(201);
    ApiClient operator = member("operator");
    for (String path : List.of("/s/trigger", "/s/backfill", "/s/backfills/" + id + "/abort")) {
      operator.post(other + "/schedules" + path, body).problem(404, "not-found");
    }
    // The admin of both: an id under another parent, or in another project, is none.
    for (String name : List.of("s", "t")) {
      String path = other + "/schedules/" + name + "/backfills/" + id;
      admin.get(path).problem(404, "not-found");
      admin.post(path + "/abort", "").problem(404, "not-found");
    }
    admin.post(other + "/schedules/absent/trigger", "{}").problem(404, "not-found");
    assertEquals("running", admin.get(schedule + "/backfills/" + id).json().path("state").asText());
    assertEquals(0, admin.get(other + "/jobs").json().path("items").size());
    admin.get(schedule + "/backfills/none").problem(404, "not-found");
  }

  @Test
  void jobsCanBeListedBySchedule() {
    admin.put(project + "/schedules/o", "{\"every\":\"P1D\",\"job\":{\"type\":\"u\"}}").status(201);
    admin.post(project + "/jobs", "{\"type\":\"t\"}").status(201);
    admin.post(project + "/schedules/o/trigger", "").status(201);
    for (int i = 0; i < 3; i++) {
      admin.post(schedule + "/trigger", "{\"overlap\":\"allow\"}").status(201);
    }
    JsonNode page = admin.get(project + "/jobs?schedule=s&limit=2").status(200).json();
    assertEquals(3, page.path("count").path("value").asInt());
    assertEquals(2, page.path("items").size());
    JsonNode rest =
        admin
            .get(project + "/jobs?schedule=s&limit=2&cursor=" + page.path("nextCursor").asText())
            .json();
    assertEquals(1, rest.path("items").size());
    assertTrue(rest.path("nextCursor").isNull());
    assertEquals(0, admin.get(project + "/jobs?schedule=s&state=dead").json().path("items").size());
    assertEquals(0, admin.get(project + "/jobs?schedule=s&type=u").json().path("items").size());
    assertEquals(1, admin.get(project + "/jobs?schedule=o&type=u").json().path("items").size());
    assertEquals(0, admin.get(project + "/jobs?schedule=none").json().path("items").size());
    assertEquals(
        List.of("?schedule"),
        admin.get(project + "/jobs?schedule=/").problem(422, "validation-failed").pointers());
    String other = admin.project("o" + UUID.randomUUID());
    assertEquals(0, admin.get(other + "/jobs?schedule=s").json().path("items").size());
  }
}
