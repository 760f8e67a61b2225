package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

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

  /** Two of one instant, one that ends meanwhile, and one that starts: each is met once. */
  @Test
  void aWalkMeetsEachWorkerOnce() {
    List<String> started = new ArrayList<>(List.of(worker));
    for (int i = 0; i < 4; i++) {
      started.add(0, ApiClient.worker(name + "/*"));
    }
    ApiClient.sql(
        "UPDATE workers SET started_at = (SELECT w.started_at FROM workers w WHERE w.id = %s) WHERE id = %s"
            .formatted(started.get(2), started.get(1)));
    ApiClient.worker("other-" + name + "/*");
    List<String> met = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode page = admin.get(project + "/workers?limit=2" + cursor).status(200).json();
      page.path("items").forEach(one -> met.add(one.path("id").asText()));
      assertFalse(page.path("count").path("capped").asBoolean(true));
      if (cursor.isEmpty()) {
        assertEquals(5, page.path("count").path("value").asInt());
        ApiClient.sql("SELECT stop_worker(" + met.get(0) + ")");
        ApiClient.sql("SELECT stop_worker(" + started.get(3) + ")");
        ApiClient.worker(name + "/*");
      }
      cursor =
          page.path("nextCursor").isNull() ? "" : "&cursor=" + page.path("nextCursor").asText();
    } while (!cursor.isEmpty());
    assertEquals(5, met.size());
    assertEquals(Set.copyOf(started), Set.copyOf(met));
    assertEquals(started.get(0), met.get(0), "the latest start first");
    assertEquals(started.subList(3, 5), met.subList(3, 5));
    assertEquals(6, admin.get(project + "/workers").json().path("items").size());
    for (String bad : List.of("limit=0", "limit=201", "cursor=x", "cursor=MTox")) {
      admin.get(project + "/workers?" + bad).problem(422, "validation-failed");
    }
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
