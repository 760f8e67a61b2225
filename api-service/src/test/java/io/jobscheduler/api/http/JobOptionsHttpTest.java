package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class JobOptionsHttpTest {
  private static final String OPTIONS =
      "\"timeout\":\"PT1M30.5S\",\"startBy\":\"2999-01-01T00:00:00.123+02:00\",\"cost\":7,"
          + "\"concurrencyKey\":\"customer 42 é\"";

  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private String project;

  @BeforeEach
  void makeProject() {
    admin = ApiClient.admin(base);
    project = admin.project("p" + UUID.randomUUID());
  }

  private static void assertOptions(JsonNode job) {
    assertEquals("PT1M30.5S", job.path("timeout").asText(), job.toString());
    assertEquals("2998-12-31T22:00:00.123Z", job.path("startBy").asText());
    assertEquals(7, job.path("cost").asInt());
    assertEquals("customer 42 é", job.path("concurrencyKey").asText());
  }

  private JsonNode newest() {
    String id = admin.get(project + "/jobs").json().path("items").path(0).path("id").asText();
    return admin.get(project + "/jobs/" + id).status(200).json();
  }

  @Test
  void comeBackAsTheyWereGivenOnEveryWayIn() {
    String job = "{\"type\":\"t\"," + OPTIONS + "}";
    ApiClient.Answer posted = admin.post(project + "/jobs", job).status(201);
    assertOptions(posted.json());
    assertEquals(posted.json(), admin.get(posted.header("Location")).json());

    admin.post(project + "/jobs/bulk", "[{\"type\":\"t\"}," + job + "]").status(201);
    assertOptions(newest());

    admin
        .post(
            project + "/workflows",
            "{\"name\":\"w\",\"jobs\":[{\"key\":\"a\",\"type\":\"t\"," + OPTIONS + "}]}")
        .status(201);
    assertOptions(newest());
  }

  @Test
  void aJobWithoutThemHasNone() {
    JsonNode job = admin.post(project + "/jobs", "{\"type\":\"t\"}").status(201).json();
    for (String absent :
        List.of(
            "timeout",
            "startBy",
            "concurrencyKey",
            "schedule",
            "plannedAt",
            "cancelRequestedAt",
            "progress")) {
      assertTrue(job.has(absent) && job.path(absent).isNull(), absent + " in " + job);
    }
    assertEquals(1, job.path("cost").asInt());
    assertEquals(0, job.path("generation").asInt());
  }

  @Test
  void whatAJobDoesNotNameIsItsQueues() {
    String name = project.substring(project.lastIndexOf('/') + 1);
    ApiClient.sql(
        "UPDATE queues SET timeout_ms = 5000, retry_policy ="
            + " '{\"strategy\":\"fixed\",\"baseSeconds\":3,\"capSeconds\":3}'"
            + " WHERE project_id = (SELECT id FROM projects WHERE name = '%s')".formatted(name));
    ApiClient.Answer plain = admin.post(project + "/jobs", "{\"type\":\"t\"}").status(201);
    assertEquals("PT5S", plain.json().path("timeout").asText());
    assertEquals("fixed", plain.json().path("retry").path("strategy").asText());
    assertEquals(plain.json(), admin.get(plain.header("Location")).json());

    ApiClient.Answer own =
        admin
            .post(project + "/jobs", "{\"type\":\"t\",\"timeout\":\"PT1S\",\"retry\":{}}")
            .status(201);
    assertEquals("PT1S", own.json().path("timeout").asText());
    assertEquals("exponential", own.json().path("retry").path("strategy").asText());
    assertEquals(own.json(), admin.get(own.header("Location")).json());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "maxAttempts|0",
        "maxAttempts|-1",
        "maxAttempts|1001",
        "maxAttempts|32768",
        "maxAttempts|2147483648",
        "maxAttempts|9223372036854775808",
        "maxAttempts|\"3\"",
        "maxAttempts|3.5",
        "delay|-1",
        "delay|1e18",
        "delay|\"PT-5S\"",
        "delay|\"PT5S \"",
        "delay|\"P99999999D\"",
        "runAt|\"2026-02-30T00:00:00Z\"",
        "runAt|\"2026-01-01T00:00:00\"",
        "runAt|\"0001-01-01T00:00:00Z\"",
        "runAt|\"+10000-01-01T00:00:00Z\"",
        "timeout|\"PT0S\"",
        "timeout|\"-PT1S\"",
        "timeout|\"PT0.0009S\"",
        "timeout|\"P30DT0.001S\"",
        "timeout|\"P1Y\"",
        "timeout|30",
        "timeout|\"\"",
        "startBy|\"tomorrow\"",
        "startBy|0",
        "cost|0",
        "cost|-1",
        "cost|1001",
        "cost|2147483648",
        "cost|1.5",
        "cost|\"1\"",
        "concurrencyKey|\"\"",
        "concurrencyKey|7",
        "concurrencyKey|[\"a\"]"
      })
  void nonsenseIsRefusedAtItsField(String field, String value) {
    String job = "{\"type\":\"t\",\"" + field + "\":" + value + "}";
    assertEquals(
        List.of("/" + field),
        admin.post(project + "/jobs", job).problem(422, "validation-failed").pointers());
  }

  @Test
  void whatIsLongerThanTheColumnIsRefusedBeforeIt() {
    String longest = "é".repeat(255);
    admin
        .post(project + "/jobs", "{\"type\":\"t\",\"concurrencyKey\":\"" + longest + "\"}")
        .status(201);
    assertEquals(
        List.of("/1/concurrencyKey", "/2/cost"),
        admin
            .post(
                project + "/jobs/bulk",
                "[{\"type\":\"t\"},{\"type\":\"t\",\"concurrencyKey\":\"x"
                    + longest
                    + "\"},{\"type\":\"t\",\"cost\":false}]")
            .problem(422, "validation-failed")
            .pointers());
    assertEquals(
        List.of("/concurrencyKey"),
        admin
            .post(project + "/jobs", "{\"type\":\"t\",\"concurrencyKey\":\"a\\u0000\"}")
            .problem(400, "malformed-json")
            .pointers());
  }

  @Test
  void startByBeforeRunAtCanNeverBe() {
    assertEquals(
        List.of("/startBy"),
        admin
            .post(
                project + "/jobs",
                "{\"type\":\"t\",\"runAt\":\"2999-01-01T00:00:01Z\",\"startBy\":\"2999-01-01T00:00:00Z\"}")
            .problem(422, "validation-failed")
            .pointers());
    admin
        .post(
            project + "/workflows",
            "{\"name\":\"w\",\"jobs\":[{\"key\":\"a\",\"type\":\"t\",\"cost\":0}]}")
        .problem(422, "validation-failed");
  }
}
