package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Numbers and instants at and beyond their bounds: a meaning or a refusal, never silence. */
@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class EdgeValuesHttpTest {
  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private String project;

  @BeforeEach
  void makeProject() {
    admin = ApiClient.admin(base);
    project = admin.project("p" + UUID.randomUUID());
  }

  private JsonNode taken(String member) {
    return admin.post(project + "/jobs", "{\"type\":\"t\"," + member + "}").status(201).json();
  }

  private void refused(String field, String... values) {
    for (String value : values) {
      ApiClient.Answer answer =
          admin.post(project + "/jobs", "{\"type\":\"t\",\"" + field + "\":" + value + "}");
      assertTrue(Set.of(400, 422).contains(answer.status()), value + ": " + answer.text());
      assertEquals(List.of("/" + field), answer.pointers(), value);
    }
  }

  @Test
  void attemptsAreOneToAThousand() {
    refused(
        "maxAttempts",
        "0",
        "-1",
        "1001",
        "32768",
        "2147483648",
        "9223372036854775808",
        "\"3\"",
        "3.5");
    assertEquals(1, taken("\"maxAttempts\":1").path("maxAttempts").asInt());
    assertEquals(1000, taken("\"maxAttempts\":1000").path("maxAttempts").asInt());
    assertEquals(20, taken("\"maxAttempts\":null").path("maxAttempts").asInt());
  }

  @Test
  void delaysAreDurationsThatAreNotNegative() {
    refused("delay", "-1", "0", "1e18", "\"PT-5S\"", "\"P99999D\"", "\"5 s\"", "\"\"");
    assertEquals("ready", taken("\"delay\":\"PT0S\"").path("state").asText());
    assertEquals("scheduled", taken("\"delay\":\"PT1H\"").path("state").asText());
  }

  @Test
  void instantsHaveAZoneAndExist() {
    refused(
        "runAt",
        "\"0001-01-01T00:00:00Z\"",
        "\"2026-02-30T00:00:00Z\"",
        "\"2026-02-28T00:00:00\"",
        "\"+10000-01-01T00:00:00Z\"",
        "1790000000");
    assertEquals("scheduled", taken("\"runAt\":\"9999-12-31T00:00:00Z\"").path("state").asText());
    assertEquals("ready", taken("\"runAt\":\"1970-01-01T00:00:00Z\"").path("state").asText());
  }

  @Test
  void prioritiesAreZeroToNine() {
    refused("priority", "-1", "10", "100", "32768", "\"high\"", "4.5");
    assertEquals(0, taken("\"priority\":0").path("priority").asInt());
    assertEquals(9, taken("\"priority\":9").path("priority").asInt());
    assertEquals(4, taken("\"priority\":null").path("priority").asInt());
  }

  @Test
  void limitsAreZeroToAMillionOrNone() {
    String queue = project + "/queues/q";
    admin.put(queue, "{}").status(201);
    for (String value : List.of("-1", "1000001", "2147483648", "\"5\"", "1.5")) {
      ApiClient.Answer answer = admin.put(queue, "{\"maxConcurrency\":" + value + "}");
      assertTrue(Set.of(400, 422).contains(answer.status()), value + ": " + answer.text());
      assertEquals(List.of("/maxConcurrency"), answer.pointers(), value);
    }
    List<String> limits = new ArrayList<>();
    for (String value : List.of("0", "1", "1000000", "null")) {
      limits.add(
          admin
              .put(queue, "{\"maxConcurrency\":" + value + "}")
              .status(200)
              .json()
              .path("maxConcurrency")
              .asText());
    }
    assertEquals(List.of("0", "1", "1000000", "null"), limits);
  }
}
