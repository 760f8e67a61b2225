package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.jobscheduler.schedule.cron.CronExpression;
import io.jobscheduler.schedule.times.CronTimes;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class SchedulesHttpTest {
  private static final String JOB = "\"job\":{\"type\":\"t\"}";
  private static final String DAILY = "{\"name\":\"s\",\"cron\":\"0 3 * * *\"," + JOB + "}";

  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private String project;
  private String schedules;

  @BeforeEach
  void makeProject() {
    admin = ApiClient.admin(base);
    project = admin.project("p" + UUID.randomUUID());
    schedules = project + "/schedules";
  }

  private ApiClient member(String role) {
    return admin.member(
        project.substring(project.lastIndexOf('/') + 1), UUID.randomUUID() + "@x.org", role);
  }

  @Test
  void comesBackAsItWasMade() {
    ApiClient.Answer made =
        admin
            .post(
                schedules,
                """
                {"name": "nightly", "description": "d", "cron": " 30 2 13 * fri", "timeZone": "Europe/Berlin",
                 "startAt": "2020-01-01T00:00:00.5Z", "endAt": "2199-01-01T00:00:00+01:00", "maxRuns": 9,
                 "exclusions": ["2199-01-02", "2030-12-24"], "jitter": "PT30S",
                 "misfire": {"policy": "fire_all", "maxCatchUp": 7, "window": "PT2H"},
                 "overlap": {"policy": "queue_all", "bound": 3}, "autoPauseAfter": 4,
                 "job": {"type": "t", "payload": {"n": 1.0e2, "at": "{{plannedAt}}"}, "priority": 8, "maxAttempts": 2,
                         "retry": {"strategy": "fixed"}, "timeout": "PT5S", "startWithin": "PT1M", "cost": 2,
                         "concurrencyKey": "k"}}
                """)
            .status(201);
    JsonNode schedule = made.json();
    assertEquals(schedules + "/nightly", URI.create(made.header("Location")).getPath());
    assertEquals(schedule, admin.get(schedules + "/nightly").json());
    assertEquals(made.header("ETag"), admin.get(schedules + "/nightly").header("ETag"));
    assertEquals(" 30 2 13 * fri", schedule.path("cron").asText());
    assertEquals("unix", schedule.path("dialect").asText());
    assertEquals("2020-01-01T00:00:00.500Z", schedule.path("startAt").asText());
    assertEquals("2198-12-31T23:00:00.000Z", schedule.path("endAt").asText());
    assertEquals("[\"2030-12-24\",\"2199-01-02\"]", schedule.path("exclusions").toString());
    assertEquals(
        "{\"policy\":\"fire_all\",\"maxCatchUp\":7,\"window\":\"PT2H\"}",
        schedule.path("misfire").toString());
    assertEquals("{\"policy\":\"queue_all\",\"bound\":3}", schedule.path("overlap").toString());
    assertEquals("active", schedule.path("state").asText());
    assertEquals("PT1M", schedule.path("job").path("startWithin").asText());
    assertEquals("fixed", schedule.path("job").path("retry").path("strategy").asText());
    assertTrue(made.text().contains("{\"n\": 1.0e2, \"at\": \"{{plannedAt}}\"}"), made.text());
    assertEquals("BOTH_DAYS", schedule.path("warnings").path(0).path("code").asText());
    assertEquals(
        CronTimes.of(CronExpression.parse("30 2 13 * fri"), ZoneId.of("Europe/Berlin"))
            .next(Instant.now())
            .orElseThrow(),
        Instant.parse(schedule.path("nextFireAt").asText()));
    assertEquals(
        List.of("/name"),
        admin
            .post(schedules, DAILY.replace("\"s\"", "\"nightly\""))
            .problem(409, "conflict")
            .pointers());
  }

  @Test
  void aWorkflowTemplateComesBackAsItWasMade() {
    admin.put(project + "/queues/mail", "{}").status(201);
    String jobs =
        """
        [{"key": "a", "type": "t", "queue": "mail", "payload": -0.0, "timeout": "PT3S"},
         {"key": "b", "type": "t", "dependsOn": ["a"]},
         {"key": "c", "type": "t", "dependsOn": ["a", {"key": "b", "on": "done"}]}]
        """;
    ApiClient.Answer made =
        admin
            .post(
                schedules,
                "{\"name\":\"w\",\"every\":\"PT1H\",\"workflow\":{\"name\":\"flow\",\"onFailure\":\"hold\",\"jobs\":"
                    + jobs
                    + "}}")
            .status(201);
    JsonNode flow = made.json().path("workflow");
    assertEquals("hold", flow.path("onFailure").asText());
    assertEquals("mail", flow.path("jobs").path(0).path("queue").asText());
    assertTrue(made.text().contains("\"payload\":-0.0"), made.text());
    assertEquals(
        "[{\"key\":\"a\",\"on\":\"success\"},{\"key\":\"b\",\"on\":\"done\"}]",
        flow.path("jobs").path(2).path("dependsOn").toString());
    assertTrue(made.json().path("job").isNull());
    // Read and sent back, it is the same.
    admin.patch(schedules + "/w", "{\"workflow\":" + flow + "}").status(200);
    assertEquals(flow, admin.get(schedules + "/w").json().path("workflow"));
    // The leader finds what its function needs.
    ApiClient.sql(
        "SELECT 1 / (workflow -> 'jobs' -> 0 ->> 'queueId')::int FROM schedules WHERE name = 'w'");

    String cycle =
        "[{\"key\":\"a\",\"type\":\"t\",\"dependsOn\":[\"b\"]},{\"key\":\"b\",\"type\":\"t\",\"dependsOn\":[\"a\"]}]";
    admin
        .put(
            schedules + "/x",
            "{\"every\":\"PT1H\",\"workflow\":{\"name\":\"f\",\"jobs\":" + cycle + "}}")
        .problem(422, "workflow-cycle");
    assertEquals(
        List.of("/workflow/jobs/0/queue"),
        admin
            .put(
                schedules + "/x",
                "{\"every\":\"PT1H\",\"workflow\":{\"name\":\"f\",\"jobs\":[{\"key\":\"a\",\"type\":\"t\",\"queue\":\"no\"}]}}")
            .problem(422, "validation-failed")
            .pointers());
    assertEquals(
        List.of("/workflow/jobs/0/dependsOn/0", "/workflow/jobs/0/startBy"),
        admin
            .put(
                schedules + "/x",
                "{\"every\":\"PT1H\",\"workflow\":{\"name\":\"f\",\"jobs\":[{\"key\":\"a\",\"type\":\"t\","
                    + "\"startBy\":\"2030-01-01T00:00:00Z\",\"dependsOn\":[\"q\"]}]}}")
            .problem(422, "validation-failed")
            .pointers()
            .stream()
            .sorted()
            .toList());
  }

  /** Each of the engine's refusals is told with the place in the text. */
  @Test
  void aFaultyExpressionIsToldInFull() {
    JsonNode error =
        admin
            .post(schedules, DAILY.replace("0 3 * * *", "0  24 * * *"))
            .problem(422, "validation-failed")
            .json()
            .path("errors")
            .path(0);
    assertEquals("/cron", error.path("pointer").asText());
    assertEquals("OUT_OF_RANGE", error.path("code").asText());
    assertEquals("hour", error.path("field").asText());
    assertEquals(3, error.path("position").asInt());
    assertEquals("24", error.path("value").asText());
    assertEquals("hour: 24 is not between 0 and 23", error.path("detail").asText());

    JsonNode never =
        admin
            .post(schedules, DAILY.replace("0 3 * * *", "0 3 31 2 *"))
            .problem(422, "validation-failed")
            .json()
            .path("errors")
            .path(0);
    assertEquals("NEVER_FIRES", never.path("code").asText());
    assertEquals("/cron", never.path("pointer").asText());

    JsonNode zone =
        admin
            .post(
                schedules,
                "{\"name\":\"s\",\"cron\":\"*/60 * * * *\",\"timeZone\":\"europe/berlin\","
                    + JOB
                    + "}")
            .problem(422, "validation-failed")
            .json();
    assertEquals("ZONE", zone.path("errors").path(0).path("code").asText());
    assertEquals("/timeZone", zone.path("errors").path(0).path("pointer").asText());
    assertEquals("Europe/Berlin", zone.path("errors").path(0).path("hint").asText());
    assertEquals("STEP", zone.path("errors").path(1).path("code").asText());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "/cron|\"cron\":null",
        "/cron|\"cron\":5",
        "/cron|\"cron\":\"\"",
        "/every|\"every\":\"PT1H\"",
        "/every|\"cron\":null,\"every\":\"PT0.5S\"",
        "/every|\"cron\":null,\"every\":\"PT1.5S\"",
        "/every|\"cron\":null,\"every\":\"P3651D\"",
        "/every|\"cron\":null,\"every\":\"P1M\"",
        "/dialect|\"cron\":null,\"every\":\"PT1H\",\"dialect\":\"unix\"",
        "/dialect|\"dialect\":\"UNIX\"",
        "/anchor|\"anchor\":\"2020-01-01T00:00:00Z\"",
        "/timeZone|\"timeZone\":\"EST\"",
        "/timeZone|\"timeZone\":\"\"",
        "/endAt|\"startAt\":\"2030-01-01T00:00:00Z\",\"endAt\":\"2030-01-01T00:00:00Z\"",
        "/endAt|\"endAt\":\"2020-01-01T00:00:00Z\"",
        "/startAt|\"startAt\":\"tomorrow\"",
        "/maxRuns|\"maxRuns\":0",
        "/exclusions/1|\"exclusions\":[\"2030-01-01\",\"2030-02-30\"]",
        "/exclusions|\"exclusions\":\"2030-01-01\"",
        "/jitter|\"jitter\":\"PT1H0.001S\"",
        "/misfire/policy|\"misfire\":{\"policy\":\"FIRE_ONCE\"}",
        "/misfire/maxCatchUp|\"misfire\":{\"maxCatchUp\":1001}",
        "/misfire/window|\"misfire\":{\"window\":\"P366D\"}",
        "/misfire|\"misfire\":\"skip\"",
        "/overlap/policy|\"overlap\":{\"policy\":\"none\"}",
        "/overlap/bound|\"overlap\":{\"bound\":0}",
        "/autoPauseAfter|\"autoPauseAfter\":0",
        "/name|\"name\":\"a/b\"",
        "/name|\"name\":\"heat-map\"",
        "/name|\"name\":null",
        "/job|\"job\":null",
        "/job|\"job\":[]",
        "/job/type|\"job\":{}",
        "/job/queue|\"job\":{\"type\":\"t\",\"queue\":\"absent\"}",
        "/job/priority|\"job\":{\"type\":\"t\",\"priority\":10}",
        "/job/startWithin|\"job\":{\"type\":\"t\",\"startWithin\":\"PT0S\"}",
        "/job/retry/strategy|\"job\":{\"type\":\"t\",\"retry\":{\"strategy\":\"x\"}}",
        "/workflow|\"workflow\":{\"name\":\"w\",\"jobs\":[{\"key\":\"a\",\"type\":\"t\"}]}"
      })
  void nonsenseIsRefusedAtItsField(String pointer, String members) {
    // A name given twice is malformed, so what is tried replaces what would be there.
    List<String> rest = new ArrayList<>(List.of("\"name\":\"s\"", "\"cron\":\"0 3 * * *\"", JOB));
    rest.removeIf(m -> ("," + members).contains("," + m.substring(0, m.indexOf(':') + 1)));
    rest.add(members);
    assertEquals(
        List.of(pointer),
        admin
            .post(schedules, "{" + String.join(",", rest) + "}")
            .problem(422, "validation-failed")
            .pointers());
    assertEquals(0, admin.get(schedules).json().path("items").size());
  }

  @Test
  void aFieldThatNobodyKnowsIsRefused() {
    for (String field : List.of("runAt", "delay", "startBy", "nextFireAt")) {
      assertEquals(
          List.of("/job/" + field),
          admin
              .post(
                  schedules,
                  "{\"name\":\"s\",\"cron\":\"0 3 * * *\",\"job\":{\"type\":\"t\",\""
                      + field
                      + "\":1}}")
              .problem(400, "unknown-field")
              .pointers());
    }
    admin
        .post(schedules, DAILY.replace("\"cron\"", "\"crom\":1,\"cron\""))
        .problem(400, "unknown-field");
    admin.get(schedules + "?tag=1").problem(400, "unknown-field");
  }

  @Test
  void jitterIsAtMostHalfTheSmallestGap() {
    String every = "{\"name\":\"j\",\"cron\":\"0,10 * * * *\",\"jitter\":\"%s\"," + JOB + "}";
    assertEquals(
        List.of("/jitter"),
        admin
            .post(schedules, every.formatted("PT5M0.001S"))
            .problem(422, "validation-failed")
            .pointers());
    admin.post(schedules, every.formatted("PT5M")).status(201);
    admin.patch(schedules + "/j", "{\"cron\":\"* * * * *\"}").problem(422, "validation-failed");
  }

  @Test
  void aNameInThePathThatIsNoneIsNamed() {
    for (String bad : List.of("-x", "x".repeat(129))) {
      assertEquals(
          List.of("{name}"),
          admin
              .put(schedules + "/" + bad, DAILY.replace("\"name\":\"s\",", ""))
              .problem(422, "validation-failed")
              .pointers());
    }
  }

  @Test
  void listsByNameWithFilters() {
    admin.put(project + "/queues/mail", "{}").status(201);
    for (String name : List.of("b", "a", "C", "d")) {
      admin
          .put(
              schedules + "/" + name,
              "{\"every\":\"PT1H\",\"job\":{\"type\":\"t%s\",\"queue\":\"%s\"}}"
                  .formatted(name, name.equals("a") ? "mail" : "default"))
          .status(201);
    }
    ApiClient.sql("UPDATE schedules SET state = 'completed', next_fire_at = NULL WHERE name = 'd'");
    List<String> names = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode page = admin.get(schedules + "?limit=3" + cursor).status(200).json();
      assertEquals(4, page.path("count").path("value").asInt());
      page.path("items").forEach(s -> names.add(s.path("name").asText()));
      cursor =
          page.path("nextCursor").isNull() ? "" : "&cursor=" + page.path("nextCursor").asText();
    } while (!cursor.isEmpty());
    assertEquals(List.of("C", "a", "b", "d"), names);
    JsonNode mail = admin.get(schedules + "?queue=mail").json();
    assertEquals(1, mail.path("count").path("value").asInt());
    assertEquals("mail", mail.path("items").path(0).path("queue").asText());
    assertEquals(1, admin.get(schedules + "?type=tb").json().path("items").size());
    assertEquals(4, admin.get(schedules + "?state=active,completed").json().path("items").size());
    assertEquals(1, admin.get(schedules + "?state=completed").json().path("items").size());
    assertEquals(
        List.of("?state", "?type"),
        admin.get(schedules + "?state=none&type=/").problem(422, "validation-failed").pointers());
  }

  @Test
  void deletingOneLeavesItsJobsAndHistory() {
    admin.post(schedules, DAILY).status(201);
    ApiClient.sql(
        "WITH s AS (SELECT s.id, s.project_id, s.queue_id FROM schedules s JOIN projects p ON p.id = s.project_id"
            + " WHERE '"
            + project
            + "' LIKE '%' || p.name),"
            + " j AS (INSERT INTO jobs (project_id, queue_id, type, state, dispatch_key, ready_at, schedule_id)"
            + " SELECT project_id, queue_id, 't', 'ready', 1, now(), id FROM s RETURNING id, schedule_id)"
            + " INSERT INTO schedule_fires (schedule_id, trigger, outcome, job_id, fired_at)"
            + " SELECT schedule_id, 'manual', 'fired', id, now() FROM j");
    assertEquals(1, admin.get(project + "/jobs").json().path("items").size());
    assertEquals("", admin.delete(schedules + "/s").status(204).text());
    admin.get(schedules + "/s").problem(404, "not-found");
    admin.delete(schedules + "/s").problem(404, "not-found");
    assertEquals(1, admin.get(project + "/jobs?state=ready").json().path("items").size());
  }

  @Test
  void rolesDecideWhoMayWhat() {
    ApiClient viewer = member("viewer");
    ApiClient operator = member("operator");
    admin.post(schedules, DAILY).status(201);
    for (ApiClient caller : List.of(viewer, operator)) {
      caller.get(schedules).status(200);
      caller.get(schedules + "/s").status(200);
      caller.post(schedules + "/preview", "{\"cron\":\"0 3 * * *\"}").status(200);
      caller.get(schedules + "/heat-map").status(200);
      caller.post(schedules, DAILY).problem(403, "forbidden");
      caller.put(schedules + "/s", DAILY).problem(403, "forbidden");
      caller.patch(schedules + "/s", "{}").problem(403, "forbidden");
      caller.delete(schedules + "/s").problem(403, "forbidden");
    }
    ApiClient.anonymous(base).get(schedules).problem(401, "unauthorized");
  }

  @Test
  void anotherProjectsSchedulesDoNotExist() {
    String other = admin.project("o" + UUID.randomUUID());
    ApiClient member = member("admin");
    admin.post(other + "/schedules", DAILY).status(201);
    member.get(schedules + "/s").problem(404, "not-found");
    member.patch(schedules + "/s", "{}").problem(404, "not-found");
    member.delete(schedules + "/s").problem(404, "not-found");
    assertEquals(0, member.get(schedules).json().path("items").size());
    for (String path : List.of("", "/s", "/heat-map")) {
      member.get(other + "/schedules" + path).problem(404, "not-found");
    }
    member.put(other + "/schedules/s", DAILY).problem(404, "not-found");
    member.delete(other + "/schedules/s").problem(404, "not-found");
    // The same name in both: each sees its own.
    member.post(schedules, DAILY.replace("0 3", "0 5")).status(201);
    member.delete(schedules + "/s").status(204);
    assertEquals("0 3 * * *", admin.get(other + "/schedules/s").json().path("cron").asText());
    // Its queue is not there for this one.
    admin.put(other + "/queues/theirs", "{}").status(201);
    member
        .post(schedules, DAILY.replace("\"t\"", "\"t\",\"queue\":\"theirs\""))
        .problem(422, "validation-failed");
  }
}
