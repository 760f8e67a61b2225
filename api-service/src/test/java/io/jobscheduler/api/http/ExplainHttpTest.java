package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class ExplainHttpTest {
  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private String name;
  private String project;

  @BeforeEach
  void makeProject() {
    admin = ApiClient.admin(base);
    name = "p" + UUID.randomUUID();
    project = admin.project(name);
  }

  private String job(String more) {
    return admin
        .post(project + "/jobs", "{\"type\":\"t\"" + more + "}")
        .status(201)
        .json()
        .path("id")
        .asText();
  }

  private JsonNode explain(String job) {
    return admin.get(project + "/jobs/" + job + "/explain").status(200).json();
  }

  private static List<String> codes(JsonNode explanation) {
    List<String> codes = new ArrayList<>();
    explanation.path("blockers").forEach(b -> codes.add(b.path("code").asText()));
    return codes;
  }

  private static JsonNode blocker(JsonNode explanation, String code) {
    for (JsonNode blocker : explanation.path("blockers")) {
      if (blocker.path("code").asText().equals(code)) {
        return blocker;
      }
    }
    throw new AssertionError("no " + code + " in " + explanation);
  }

  @Test
  void saysThatNoWorkerServesTheQueueOfAJobThatCouldStart() {
    JsonNode it = explain(job(""));
    assertTrue(it.path("claimable").asBoolean());
    assertEquals(List.of("no_worker"), codes(it));
    assertEquals("{\"value\":0,\"capped\":false}", it.path("before").toString());
    assertTrue(it.path("estimatedStart").isNull());
    ApiClient.sql(
        "SELECT register_worker(%d, 'h', 1, 'v', '{%s/def*}', 4)"
            .formatted(System.nanoTime(), name));
    it = explain(it.path("job").asText());
    assertEquals(List.of(), codes(it));
    assertEquals(
        "{\"serving\":1,\"draining\":0,\"slots\":4,\"running\":0}", it.path("workers").toString());
    assertFalse(it.path("estimatedStart").isNull());
  }

  @Test
  void saysAllThatIsInTheWayAtOnce() {
    ApiClient.sql(
        ("UPDATE queues SET max_concurrency = 1, per_key_concurrency = 1, rate_limit = 1, rate_period_ms ="
                + " 60000, rate_burst = 1 WHERE project_id = (SELECT id FROM projects WHERE name = '%s')")
            .formatted(name));
    String running = job(",\"concurrencyKey\":\"k\"");
    ApiClient.sql(
        "UPDATE jobs SET state = 'running', lease_token = 5, worker_id = 3 WHERE id = " + running);
    ApiClient.sql(
        ("INSERT INTO rate_buckets (queue_id, tokens) SELECT queue_id, 0 FROM jobs WHERE id = %s")
            .formatted(running));
    admin
        .post(
            project + "/queues/default/pause",
            "{\"reason\":\"a fire\",\"until\":\"2999-01-01T00:00:00Z\"}")
        .status(200);
    JsonNode it = explain(job(",\"concurrencyKey\":\"k\",\"delay\":\"PT1H\""));
    assertFalse(it.path("claimable").asBoolean());
    assertEquals(
        List.of("not_due", "queue_paused", "queue_limit", "key_limit", "rate_limit", "no_worker"),
        codes(it));
    JsonNode paused = blocker(it, "queue_paused");
    assertEquals("a fire", paused.path("reason").asText());
    assertEquals("2999-01-01T00:00:00.000Z", paused.path("until").asText());
    assertFalse(paused.path("by").isNull());
    assertEquals(running, blocker(it, "queue_limit").path("holders").path(0).asText());
    assertEquals(1, blocker(it, "queue_limit").path("limit").asInt());
    assertEquals("k", blocker(it, "key_limit").path("key").asText());
    assertEquals(running, blocker(it, "key_limit").path("holders").path(0).asText());
    assertFalse(blocker(it, "rate_limit").path("until").isNull());
    assertFalse(blocker(it, "not_due").path("until").isNull());
    assertEquals("running", explain(running).path("state").asText());
    assertEquals(List.of(), codes(explain(running)));
  }

  @Test
  void namesWhatAWorkflowsJobWaitsFor() {
    admin
        .post(
            project + "/workflows",
            "{\"name\":\"w\",\"jobs\":[{\"key\":\"a\",\"type\":\"t\"},{\"key\":\"b\",\"type\":\"t\","
                + "\"dependsOn\":[{\"key\":\"a\",\"on\":\"done\"}]}]}")
        .status(201);
    String child =
        admin.get(project + "/jobs?state=blocked").json().path("items").path(0).path("id").asText();
    JsonNode it = explain(child);
    JsonNode parent = blocker(it, "dependencies").path("dependencies").path(0);
    assertEquals("a", parent.path("key").asText());
    assertEquals("ready", parent.path("state").asText());
    assertEquals("done", parent.path("condition").asText());
    assertTrue(it.path("before").isNull());
  }

  @Test
  void anotherProjectsJobIsNotThere() {
    String job = job("");
    String other = admin.project("o" + UUID.randomUUID());
    admin.get(other + "/jobs/" + job + "/explain").status(404);
    admin.get(project + "/jobs/x/explain").status(404);
  }
}
