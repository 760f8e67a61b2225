package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is recorded of what people do to workflows: what it was, and what it became. */
@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class WorkflowAuditHttpTest {
  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private String project;

  @BeforeEach
  void makeProject() {
    admin = ApiClient.admin(base);
    project = admin.project("wa" + UUID.randomUUID());
  }

  private String submit(String jobs) {
    return admin
        .post(project + "/workflows", "{\"name\":\"w\",\"jobs\":[" + jobs + "]}")
        .status(201)
        .header("Location");
  }

  private JsonNode changes(String action) {
    JsonNode row =
        admin.get(project + "/audit?action=" + action).status(200).json().path("items").path(0);
    assertFalse(row.toString().contains("secret"), row.toString());
    return row.path("changes");
  }

  private static void assertChange(String before, String after, JsonNode change) {
    assertEquals(before, change.path("before").toString());
    assertEquals(after, change.path("after").toString());
  }

  @Test
  void theMembersThatChangeTheirState() {
    String workflow =
        submit(
            "{\"key\":\"a\",\"type\":\"t\"},{\"key\":\"b\",\"type\":\"t\",\"dependsOn\":[\"a\"]},"
                + "{\"key\":\"c\",\"type\":\"t\",\"dependsOn\":[\"b\"]}");
    admin.post(workflow + "/jobs/a/skip", "{\"reason\":\"by hand\"}").status(200);
    JsonNode skipped = changes("skipWorkflowJob");
    assertChange("\"ready\"", "\"skipped\"", skipped.path("state"));
    assertChange("{\"blocked\":2}", "{\"blocked\":1,\"skipped\":1}", skipped.path("jobs"));
    assertTrue(skipped.path("message").path("after").asText().endsWith(": by hand"));

    admin.post(workflow + "/jobs/b/mark-succeeded", "{\"result\":{\"secret\":1}}").status(200);
    JsonNode marked = changes("markWorkflowJobSucceeded");
    assertChange("\"ready\"", "\"succeeded\"", marked.path("state"));
    assertTrue(marked.path("result").path("after").asText().startsWith("sha256:"));

    admin.patch(workflow + "/jobs/c", "{\"payload\":{\"secret\":2}}").status(200);
    JsonNode edited = changes("editWorkflowJob");
    assertTrue(edited.path("payload").path("before").isNull());
    assertTrue(edited.path("payload").path("after").asText().startsWith("sha256:"));

    admin.post(workflow + "/cancel", "{\"reason\":\"enough\",\"dryRun\":true}").status(200);
    assertTrue(changes("cancelWorkflow").isMissingNode(), "a rehearsal changes nothing");
    admin.post(workflow + "/cancel", "{\"reason\":\"enough\"}").status(200);
    JsonNode cancelled = changes("cancelWorkflow");
    assertChange("{\"ready\":1}", "{\"cancelled\":1}", cancelled.path("jobs"));
    assertEquals("enough", cancelled.path("reason").path("after").asText());

    admin.post(workflow + "/retry", "{\"mode\":\"failed\"}").status(200);
    JsonNode again = changes("retryWorkflow");
    assertEquals(1, again.path("rerun").path("after").asInt());
    assertChange("{\"cancelled\":1}", "{\"ready\":1}", again.path("jobs"));
  }

  @Test
  void jobsThatAreAddedAndWhatHasToWaitForThem() {
    String workflow = submit("{\"key\":\"a\",\"type\":\"t\"},{\"key\":\"b\",\"type\":\"t\"}");
    String more =
        "{\"jobs\":[{\"key\":\"c\",\"type\":\"t\",\"payload\":{\"secret\":1}}],"
            + "\"dependencies\":[{\"from\":\"c\",\"to\":\"b\"}]}";
    admin.post(workflow + "/jobs", more).status(201);
    JsonNode added = changes("addWorkflowJobs");
    assertChange("0", "1", added.path("addedCount"));
    assertChange("[]", "[\"c\"]", added.path("added"));
    assertChange("0", "1", added.path("dependencyCount"));
    assertChange("[]", "[\"c -> b\"]", added.path("dependencies"));

    admin.post(workflow + "/jobs", more).status(422);
    assertEquals(
        1,
        admin
            .get(project + "/audit?action=addWorkflowJobs")
            .status(200)
            .json()
            .path("items")
            .size());
  }

  @Test
  void pausesSignalsAndDecisions() {
    String workflow =
        submit(
            "{\"key\":\"a\",\"type\":\"t\"},{\"key\":\"s\",\"gate\":{\"signal\":{\"name\":\"go\"}}},"
                + "{\"key\":\"d\",\"gate\":{\"approval\":{}}}");
    admin.post(workflow + "/pause", "{\"reason\":\"moving\"}").status(200);
    JsonNode paused = changes("pauseWorkflow");
    assertChange("false", "true", paused.path("paused"));
    assertEquals("moving", paused.path("pauseReason").path("after").asText());
    admin.post(workflow + "/resume", "").status(200);
    assertChange("true", "false", changes("resumeWorkflow").path("paused"));

    admin.post(workflow + "/signals/go", "{\"payload\":{\"secret\":1}}").status(200);
    JsonNode signal = changes("signalWorkflow");
    assertTrue(signal.path("payload").path("after").asText().startsWith("sha256:"));
    assertEquals(1, signal.path("jobs").path("after").path("succeeded").asInt());

    admin
        .post(workflow + "/approvals/d", "{\"decision\":\"approve\",\"comment\":\"fine\"}")
        .status(200);
    JsonNode decided = changes("decideWorkflowApproval");
    assertEquals("approve", decided.path("decision").path("after").asText());
    assertEquals("fine", decided.path("comment").path("after").asText());
    assertEquals(2, decided.path("jobs").path("after").path("succeeded").asInt());
  }
}
