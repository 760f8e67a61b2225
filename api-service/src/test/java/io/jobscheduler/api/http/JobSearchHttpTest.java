package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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

@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class JobSearchHttpTest {
  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private String jobs;

  @BeforeEach
  void makeProject() {
    admin = ApiClient.admin(base);
    jobs = admin.project("p" + UUID.randomUUID()) + "/jobs";
    admin.post(jobs, "{\"type\":\"t\",\"tags\":[\"vip\"],\"payload\":{\"o\":[{\"id\":\"x y\"}]}}");
    admin.post(jobs, "{\"type\":\"t\",\"payload\":{\"o\":[{\"id\":1.0}]}}");
  }

  private JsonNode list(String query) {
    return admin.get(jobs + query).status(200).json().path("items");
  }

  @Test
  void findsByTagTimeWorkerAndPayload() {
    assertEquals(1, list("?tag=vip").size());
    assertEquals(1, list("?payload.o.0.id=x%20y").size());
    assertEquals(1, list("?payload.o.0.id=1.0").size(), "digits as typed");
    assertEquals(0, list("?payload.o.0.id=1").size());
    assertEquals(0, list("?worker=5").size());
    assertEquals(2, list("?createdAfter=2020-01-01T00:00:00Z").size());
    assertEquals(0, list("?createdBefore=2020-01-01T00:00:00Z").size());
  }

  /** Else a list would be an oracle for what its reader may not see. */
  @Test
  void payloadsAreSearchedOnlyByWhomTheyAreShownTo() {
    String project = jobs.substring(0, jobs.lastIndexOf('/'));
    ApiClient key =
        admin.withToken(
            admin
                .post(project + "/api-keys", "{\"name\":\"k\",\"scopes\":[\"read\"]}")
                .status(201)
                .json()
                .path("secret")
                .asText());
    key.get(jobs + "?tag=vip").status(200);
    key.get(jobs + "?payload.o.0.id=x").problem(403, "forbidden");
  }

  @Test
  void pathsAreDeclaredByQueue() {
    String queue = jobs.replace("/jobs", "/queues/default");
    admin.patch(queue, "{\"searchablePaths\":[\"o.0.id\"]}").status(200);
    admin.post(jobs, "{\"type\":\"t\",\"payload\":{\"o\":[{\"id\":\"z\"}]}}").status(201);
    assertEquals(1, list("?queue=default&payload.o.0.id=z").size());
    assertEquals(1, list("?queue=default&payload.o.0.id=1.0").size(), "handed in before");
    assertEquals(
        "o.0.id", admin.get(queue).status(200).json().path("searchablePaths").path(0).asText());
    assertTrue(
        admin.get(queue.replace("/queues/default", "/audit")).text().contains("searchPaths"));
    for (String wrong :
        List.of(
            "[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\"]", "[\"\"]", "[\"a\",\"a\"]", "[1]", "\"a\"")) {
      admin.patch(queue, "{\"searchablePaths\":" + wrong + "}").status(422);
    }
    admin.patch(queue, "{\"searchablePaths\":null}").status(200);
  }

  /** Lists have one order, newest first: nothing of a query becomes part of a statement. */
  @Test
  void noListTakesAnOrderToSortBy() {
    for (String sort :
        List.of(
            "id%3Bselect%20pg_sleep(5)",
            "(case%20when%201=1%20then%20id%20else%20priority%20end)",
            "payload-%3E%3E'x'",
            "ID",
            "absent",
            "x".repeat(3_000))) {
      for (String path : List.of("/jobs", "/queues", "/workflows", "/schedules", "/workers")) {
        String answer =
            admin
                .get(jobs.replace("/jobs", path) + "?sort=" + sort)
                .problem(400, "unknown-field")
                .text();
        assertTrue(answer.contains("?sort"), answer);
        assertFalse(answer.contains("ORDER BY") || answer.contains("pg_sleep"), answer);
      }
    }
  }

  @Test
  void refusesWhatItDoesNotKnow() {
    admin.get(jobs + "?payloads.o=1").status(400);
    admin.get(jobs + "?payload=1").status(400);
    assertEquals(List.of("?payload."), admin.get(jobs + "?payload.=1").status(422).pointers());
    admin.get(jobs + "?createdAfter=yesterday").status(422);
    assertTrue(admin.get(jobs + "?worker=x").status(422).json().toString().contains("?worker"));
  }

  @Test
  void ofSeveralPathsTheWrongOneIsNamed() {
    String face = "\ud83d\ude00";
    String tooLong = "payload." + "x".repeat(193) + face.repeat(4);
    assertEquals(
        List.of("?payload.b", "?" + tooLong.substring(0, 207)),
        admin
            .get(
                jobs + "?payload.a=1&payload.b=%00&" + tooLong.replace(face, "%F0%9F%98%80") + "=2")
            .problem(422, "validation-failed")
            .pointers()
            .stream()
            .sorted()
            .toList());
  }
}
