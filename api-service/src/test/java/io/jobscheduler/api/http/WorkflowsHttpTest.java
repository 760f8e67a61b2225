package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
class WorkflowsHttpTest {
  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private String project;

  @BeforeEach
  void makeProject() {
    admin = ApiClient.admin(base);
    project = admin.project("w" + UUID.randomUUID());
  }

  private ApiClient.Answer submit(String jobs) {
    return admin.post(project + "/workflows", "{\"name\":\"w\",\"jobs\":[" + jobs + "]}");
  }

  private static String job(String key, String dependsOn) {
    return "{\"key\":\"" + key + "\",\"type\":\"t\",\"dependsOn\":[" + dependsOn + "]}";
  }

  private void assertNothingStored() {
    assertEquals(0, admin.get(project + "/workflows").json().path("count").path("value").asInt());
    assertEquals(0, admin.get(project + "/jobs").json().path("count").path("value").asInt());
  }

  /** The depth-first search at work: without it this graph is stored and never ends. */
  @Test
  void refusesACycleAndNamesIt() {
    ApiClient.Answer answer =
        submit(
                job("start", "")
                    + ","
                    + job("a", "\"start\",\"c\"")
                    + ","
                    + job("b", "\"a\"")
                    + ","
                    + job("c", "{\"key\":\"b\",\"on\":\"done\"}"))
            .problem(422, "workflow-cycle");
    assertEquals("a → b → c → a", answer.json().path("detail").asText());
    assertEquals("[\"a\",\"b\",\"c\",\"a\"]", answer.json().path("cycle").toString());
    assertNothingStored();
  }

  @Test
  void storesNothingOfAWorkflowWithOneBadJob() {
    assertEquals(
        List.of("/jobs/1/queue"),
        submit(job("a", "") + ",{\"key\":\"b\",\"type\":\"t\",\"queue\":\"absent\"}")
            .problem(422, "validation-failed")
            .pointers());
    assertEquals(
        List.of("/jobs/0/dependsOn/0", "/jobs/1/key"),
        submit(job("a", "\"x\"") + "," + job("a", ""))
            .problem(422, "validation-failed")
            .pointers()
            .stream()
            .sorted()
            .toList());
    assertNothingStored();
  }

  @Test
  void showsWhatWasSubmitted() {
    ApiClient.Answer created = submit(job("a", "") + "," + job("b", "\"a\"")).status(201);
    JsonNode workflow = admin.get(created.header("Location")).status(200).json();
    assertEquals(created.json(), workflow);
    assertEquals("running", workflow.path("state").asText());
    assertEquals(1, workflow.path("counts").path("blocked").asInt());
    JsonNode graph = admin.get(created.header("Location") + "/graph").status(200).json();
    assertEquals(
        "[{\"from\":\"a\",\"to\":\"b\",\"on\":\"success\"}]", graph.path("edges").toString());
    assertEquals("ready", graph.path("nodes").path(0).path("state").asText());
    String id = workflow.path("id").asText();
    JsonNode jobs = admin.get(project + "/jobs?workflow=" + id + "&state=blocked").json();
    assertEquals("b", jobs.path("items").path(0).path("workflowKey").asText());
    assertEquals(id, jobs.path("items").path(0).path("workflow").asText());
  }
}
