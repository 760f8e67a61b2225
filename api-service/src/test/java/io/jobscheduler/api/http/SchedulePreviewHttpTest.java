package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.jobscheduler.schedule.cron.CronExpression;
import io.jobscheduler.schedule.misfire.Misfire;
import io.jobscheduler.schedule.misfire.MisfirePlan;
import io.jobscheduler.schedule.misfire.MisfirePolicy;
import io.jobscheduler.schedule.misfire.MisfireRule;
import io.jobscheduler.schedule.times.CronTimes;
import io.jobscheduler.schedule.times.Preview;
import io.jobscheduler.schedule.times.ScheduleTimes;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class SchedulePreviewHttpTest {
  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private String schedules;

  @BeforeEach
  void makeProject() {
    admin = ApiClient.admin(base);
    schedules = admin.project("p" + UUID.randomUUID()) + "/schedules";
  }

  private JsonNode preview(String body) {
    return admin.post(schedules + "/preview", body).status(200).json();
  }

  @Test
  void saysWhatTheEngineSays() {
    Instant from = Instant.parse("2027-03-20T12:00:00Z");
    JsonNode shown =
        preview(
            "{\"cron\":\"30 2 * * *\",\"timeZone\":\"Europe/Berlin\",\"from\":\""
                + from
                + "\",\"count\":12}");
    Preview expected =
        Preview.of(
            CronTimes.of(CronExpression.parse("30 2 * * *"), ZoneId.of("Europe/Berlin")), from, 12);
    assertEquals("fixed", shown.path("kind").asText());
    assertEquals(expected.description(), shown.path("description").asText());
    assertEquals(12, shown.path("fires").size());
    for (int i = 0; i < 12; i++) {
      assertEquals(
          expected.fires().get(i).plannedAt(),
          Instant.parse(shown.path("fires").path(i).path("plannedAt").asText()));
    }
    JsonNode shifted = shown.path("fires").path(7);
    assertEquals(
        "{\"plannedAt\":\"2027-03-28T01:00:00.000Z\",\"local\":\"2027-03-28T03:00:00+02:00\","
            + "\"flag\":\"gap_shifted\",\"skipped\":\"2027-03-28T02:30:00\"}",
        shifted.toString());
    assertTrue(shown.path("fires").path(0).path("flag").isNull());
    assertEquals(2, shown.path("transitions").size());
    assertEquals("moved", shown.path("transitions").path(0).path("effect").asText());
    assertEquals("once", shown.path("transitions").path(1).path("effect").asText());
    assertEquals(
        "02:30 does not exist on 2027-03-28 in Europe/Berlin: that day it runs at 03:00",
        shown.path("warnings").path(0).path("message").asText());
    assertEquals("DST", shown.path("warnings").path(0).path("code").asText());
    assertEquals(
        expected.smallestGap().orElseThrow(), Duration.parse(shown.path("smallestGap").asText()));
    assertEquals("PT1H", shown.path("longestJitter").asText());
    assertTrue(shown.path("outage").isNull());
  }

  @Test
  void honoursLimitsAndIntervals() {
    JsonNode shown =
        preview(
            "{\"every\":\"PT6H\",\"anchor\":\"2030-01-01T01:00:00Z\",\"from\":\"2030-01-01T01:00:00Z\","
                + "\"exclusions\":[\"2030-01-02\"],\"endAt\":\"2030-01-03T07:00:00Z\",\"count\":9}");
    assertEquals("every 6 hours", shown.path("description").asText());
    assertEquals(
        List.of(
            "2030-01-01T07:00:00.000Z",
            "2030-01-01T13:00:00.000Z",
            "2030-01-01T19:00:00.000Z",
            "2030-01-03T01:00:00.000Z"),
        shown.path("fires").findValuesAsText("plannedAt"));
    assertEquals(5, preview("{\"cron\":\"@hourly\"}").path("fires").size());
    // Beginning is inclusive, and the default beat is the epoch's.
    assertEquals(
        "2030-01-01T00:10:00.000Z",
        preview("{\"every\":\"PT10M\",\"from\":\"2030-01-01T00:05:00Z\"}")
            .path("fires")
            .path(0)
            .path("plannedAt")
            .asText());
  }

  @Test
  void simulatesAnOutageUnderEachPolicy() {
    Instant start = Instant.parse("2030-01-01T00:00:30Z");
    JsonNode outage =
        preview(
                "{\"cron\":\"*/10 * * * *\",\"outage\":{\"start\":\""
                    + start
                    + "\",\"length\":\"PT3H5M\",\"maxCatchUp\":4}}")
            .path("outage");
    ScheduleTimes times = CronTimes.of(CronExpression.parse("*/10 * * * *"), ZoneId.of("UTC"));
    Instant end = start.plus(Duration.ofMinutes(185));
    assertEquals(end, Instant.parse(outage.path("to").asText()));
    for (JsonNode shown : outage.path("policies")) {
      MisfirePlan plan =
          Misfire.plan(
              times,
              start,
              end,
              new MisfireRule(
                  MisfirePolicy.valueOf(shown.path("policy").asText().toUpperCase()),
                  Duration.ofHours(24),
                  4));
      assertEquals(plan.fires().size(), shown.path("runCount").asInt(), shown.toString());
      assertEquals(plan.fires().size(), shown.path("runs").size());
      assertEquals(
          plan.missed().orElseThrow().count(), shown.path("missed").path("count").asLong());
      assertEquals(plan.next().orElseThrow(), Instant.parse(shown.path("next").asText()));
    }
    assertEquals(
        List.of("fire_once", "fire_all", "skip"),
        outage.path("policies").findValuesAsText("policy"));
    assertEquals(
        "catch_up", outage.path("policies").path(1).path("runs").path(0).path("trigger").asText());
  }

  @Test
  void refusesWhatNoScheduleMayBe() {
    for (String[] bad :
        new String[][] {
          {"/cron", "{\"cron\":\"0 3 31 2 *\"}"},
          {"/cron", "{\"cron\":\"0 3 * *\"}"},
          {"/cron", "{}"},
          {"/count", "{\"cron\":\"@daily\",\"count\":101}"},
          {"/count", "{\"cron\":\"@daily\",\"count\":0}"},
          {"/from", "{\"cron\":\"@daily\",\"from\":\"now\"}"},
          {"/outage/length", "{\"cron\":\"@daily\",\"outage\":{}}"},
          {"/outage/length", "{\"cron\":\"@daily\",\"outage\":{\"length\":\"P366D\"}}"},
          {"/outage/window", "{\"cron\":\"@daily\",\"outage\":{\"length\":\"PT1H\",\"window\":1}}"}
        }) {
      assertEquals(
          List.of(bad[0]),
          admin.post(schedules + "/preview", bad[1]).problem(422, "validation-failed").pointers());
    }
  }

  @Test
  void heatMapCountsActiveSchedulesOfTheProjectOnly() {
    String other = admin.project("o" + UUID.randomUUID());
    for (String name : List.of("a", "b", "c")) {
      admin
          .put(schedules + "/" + name, "{\"cron\":\"30 * * * *\",\"job\":{\"type\":\"t\"}}")
          .status(201);
    }
    admin.put(schedules + "/s", "{\"every\":\"PT1S\",\"job\":{\"type\":\"t\"}}").status(201);
    admin
        .put(other + "/schedules/x", "{\"cron\":\"30 * * * *\",\"job\":{\"type\":\"t\"}}")
        .status(201);
    JsonNode map = admin.get(schedules + "/heat-map").status(200).json();
    assertEquals(1440, map.path("minutes").size());
    assertEquals(4, map.path("schedules").asInt());
    assertEquals(3 * 24 + 86_400, map.path("fires").asInt());
    long hottest = 0;
    for (JsonNode minute : map.path("minutes")) {
      hottest = Math.max(hottest, minute.asLong());
    }
    assertEquals(63, hottest);
    ApiClient.sql(
        "UPDATE schedules SET state = 'paused', paused_at = now(), next_fire_at = NULL WHERE name IN ('s', 'a')");
    assertEquals(2 * 24, admin.get(schedules + "/heat-map").json().path("fires").asInt());
  }
}
