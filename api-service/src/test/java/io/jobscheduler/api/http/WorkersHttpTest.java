package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class WorkersHttpTest {
  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private String name;
  private String project;
  private String worker;

  @BeforeEach
  void makeWorker() {
    admin = ApiClient.admin(base);
    name = "p" + UUID.randomUUID();
    project = admin.project(name);
    worker = ApiClient.worker(name + "/*");
  }

  private JsonNode listed() {
    for (JsonNode one : admin.get(project + "/workers").status(200).json().path("items")) {
      if (one.path("id").asText().equals(worker)) {
        return one;
      }
    }
    throw new AssertionError("not listed");
  }

  private String told() {
    return ApiClient.value("SELECT drain FROM beat(" + worker + ", 0, false, '{}')");
  }

  private String fleet() {
    String job =
        admin.post(project + "/jobs", "{\"type\":\"t\"}").status(201).json().path("id").asText();
    return admin
        .get(project + "/jobs/" + job + "/explain")
        .status(200)
        .json()
        .path("workers")
        .toString();
  }

  @Test
  void aWorkerDrainsFromTheNextBeatUntilItIsToResume() {
    assertEquals("f", told());
    for (int i = 0; i < 2; i++) {
      JsonNode drained =
          admin.post(project + "/workers/" + worker + "/drain", "").status(200).json();
      assertEquals(
          "draining true", drained.path("state").asText() + " " + drained.path("draining"));
    }
    assertEquals("t", told());
    assertEquals("draining", listed().path("state").asText());
    assertEquals("{\"serving\":0,\"draining\":1,\"slots\":0,\"running\":0}", fleet());
    JsonNode resumed =
        admin.post(project + "/workers/" + worker + "/resume", "").status(200).json();
    assertEquals("active", resumed.path("state").asText());
    assertEquals("f", told());
    assertEquals("{\"serving\":1,\"draining\":0,\"slots\":4,\"running\":0}", fleet());
  }

  /** It serves other projects too. */
  @Test
  void aProjectsAdminMayNot() {
    ApiClient member = admin.member(name, name + "@workers.org", "admin");
    for (String action : new String[] {"drain", "resume"}) {
      member.post(project + "/workers/" + worker + "/" + action, "").status(403);
    }
    assertEquals("f", told());
  }

  @Test
  void whatHasEndedOrServesOthersIsNotAsked() {
    ApiClient.sql("SELECT stop_worker(" + worker + ")");
    admin.post(project + "/workers/" + worker + "/drain", "").status(409);
    String other = ApiClient.worker("other-" + name + "/*");
    admin.post(project + "/workers/" + other + "/drain", "").status(404);
    admin.post(project + "/workers/1/drain", "").status(404);
    admin.post(project + "/workers/x/drain", "").status(404);
    assertEquals(
        "0",
        ApiClient.value(
            "SELECT count(*) FROM worker_drains WHERE worker_id IN ("
                + worker
                + ", "
                + other
                + ")"));
  }

  @Test
  void whoAskedIsInTheAuditLog() {
    admin.post(project + "/workers/" + worker + "/drain", "").status(200);
    JsonNode entry = admin.get(project + "/audit").status(200).json().path("items").get(0);
    assertEquals("drainWorker", entry.path("action").asText());
    assertEquals("worker", entry.path("object").path("kind").asText());
    assertEquals(worker, entry.path("object").path("id").asText());
  }
}
