package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Changing, deleting and waiting for single jobs. */
@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class JobEditsHttpTest {
  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private String project;

  @BeforeEach
  void makeProject() {
    admin = ApiClient.admin(base);
    project = admin.project("p" + UUID.randomUUID());
  }

  private String job(String more) {
    return admin
        .post(project + "/jobs", "{\"type\":\"t\"" + more + "}")
        .status(201)
        .header("Location");
  }

  private ApiClient.Answer patchIf(String path, String etag, String body) {
    return admin.send(
        admin
            .request(path)
            .header("Content-Type", "application/json")
            .header("If-Match", etag)
            .method("PATCH", HttpRequest.BodyPublishers.ofString(body)));
  }

  private static void run(String path) {
    ApiClient.sql(
        "UPDATE jobs SET state = 'running', lease_token = 1, worker_id = 1, attempt = 1 WHERE id = "
            + path.substring(path.lastIndexOf('/') + 1));
  }

  @Test
  void aWaitingJobIsChanged() {
    String path = job(",\"payload\":{\"a\":1},\"tags\":[\"x\"]");
    JsonNode after =
        admin
            .patch(path, "{\"priority\":9,\"payload\":{\"b\": 1e2},\"tags\":[]}")
            .status(200)
            .json();
    assertEquals(9, after.path("priority").asInt());
    assertEquals("[]", after.path("tags").toString());
    ApiClient.Answer read = admin.get(path);
    assertTrue(read.text().contains("\"payload\":{\"b\": 1e2}"), read.text());
    assertEquals(after, read.json());
    // The new priority is its place in the queue: the claim's index reads the lane.
    ApiClient.sql(
        "DO $$ BEGIN ASSERT (SELECT dispatch_lane FROM jobs WHERE id = %s) = 9; END $$"
            .formatted(path.substring(path.lastIndexOf('/') + 1)));

    assertEquals(
        "scheduled",
        admin
            .patch(path, "{\"runAt\":\"2999-01-01T00:00:00Z\"}")
            .status(200)
            .json()
            .path("state")
            .asText());
    assertEquals(
        "ready",
        admin
            .patch(path, "{\"runAt\":\"2001-01-01T00:00:00Z\"}")
            .status(200)
            .json()
            .path("state")
            .asText());
  }

  @Test
  void aStaleCopyChangesNothing() {
    String path = job("");
    String etag = admin.get(path).header("ETag");
    ApiClient.Answer first = patchIf(path, etag, "{\"priority\":8}").status(200);
    assertNotEquals(etag, first.header("ETag"));
    patchIf(path, etag, "{\"priority\":1}").problem(412, "precondition-failed");
    patchIf(path, "\"x\"", "{\"priority\":1}").problem(412, "precondition-failed");
    assertEquals(8, admin.get(path).json().path("priority").asInt());
    patchIf(path, etag + ", " + first.header("ETag"), "{\"priority\":2}").status(200);
    patchIf(path, "*", "{\"priority\":3}").status(200);
  }

  @Test
  void whatRunsOrHasEndedIsNotChanged() {
    String path = job("");
    run(path);
    admin.patch(path, "{\"priority\":8}").problem(409, "conflict");
    admin.delete(path).problem(409, "conflict");
    String ended = job("");
    admin.post(ended + "/cancel", "").status(200);
    admin.patch(ended, "{\"tags\":[\"x\"]}").problem(409, "conflict");
    admin.patch(path, "{}").problem(422, "validation-failed");
    admin.patch(path, "{\"queue\":\"x\"}").problem(400, "unknown-field");
    admin.patch(path, "{\"payload\":\"\\u0000\"}").problem(400, "malformed-json");
  }

  @Test
  void aJobThatWaitsOrHasEndedIsDeletedWithItsKey() {
    String waiting = job(",\"unique\":{\"key\":\"K\"}");
    admin.delete(waiting).status(204);
    admin.get(waiting).problem(404, "not-found");
    admin.delete(waiting).problem(404, "not-found");
    String next = job(",\"unique\":{\"key\":\"K\"}");
    admin.post(next + "/cancel", "").status(200);
    admin.delete(next).status(204);
    admin.get(next).problem(404, "not-found");
    assertFalse(admin.get(project + "/jobs").json().path("items").elements().hasNext());
  }

  @Test
  void aJobOfAWorkflowOrOfAnotherProjectIsNotDeleted() {
    admin
        .post(
            project + "/workflows",
            "{\"name\":\"w\",\"jobs\":[{\"key\":\"a\",\"type\":\"t\"},{\"key\":\"b\",\"type\":\"t\",\"dependsOn\":[\"a\"]}]}")
        .status(201);
    String id = admin.get(project + "/jobs").json().path("items").path(0).path("id").asText();
    admin.delete(project + "/jobs/" + id).problem(409, "conflict");
    String other = admin.project("q" + UUID.randomUUID());
    admin.delete(other + "/jobs/" + id).problem(404, "not-found");
    admin.patch(other + "/jobs/" + id, "{\"priority\":1}").problem(404, "not-found");
  }

  @Test
  void ofAWorkflowsJobThePayloadAndOfAGateNothingIsChangedHere() {
    admin
        .post(
            project + "/workflows",
            "{\"name\":\"w\",\"jobs\":[{\"key\":\"a\",\"type\":\"t\"},"
                + "{\"key\":\"ok\",\"gate\":{\"approval\":{\"expiresIn\":\"PT1H\"}},\"dependsOn\":[\"a\"]}]}")
        .status(201);
    JsonNode items = admin.get(project + "/jobs").json().path("items");
    String gate = project + "/jobs/" + items.path(0).path("id").asText();
    String member = project + "/jobs/" + items.path(1).path("id").asText();
    admin.patch(gate, "{\"payload\":{\"expiresInMs\":\"x\"}}").problem(409, "conflict");
    admin.patch(gate, "{\"priority\":1}").problem(409, "conflict");
    admin.patch(member, "{\"payload\":1}").problem(409, "conflict");
    admin.patch(member, "{\"priority\":1}").status(200);
  }

  private ApiClient.Answer preferring(String prefer, String body) {
    return admin.send(
        admin
            .request(project + "/jobs")
            .header("Content-Type", "application/json")
            .header("Prefer", prefer)
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  @Test
  void anEnqueueThatPrefersToWaitHearsTheEnd() throws Exception {
    CompletableFuture<ApiClient.Answer> answer =
        CompletableFuture.supplyAsync(
            () -> preferring("respond-async, wait=60", "{\"type\":\"t\",\"payload\":7}"));
    String id = "";
    while (id.isEmpty()) {
      id = admin.get(project + "/jobs").json().path("items").path(0).path("id").asText();
    }
    assertFalse(answer.isDone());
    admin.post(project + "/jobs/" + id + "/cancel", "").status(200);
    ApiClient.Answer ended = answer.get(30, TimeUnit.SECONDS).status(201);
    assertEquals("cancelled", ended.json().path("state").asText());
    assertEquals("wait=60", ended.header("Preference-Applied"));
    assertEquals(admin.get(ended.header("Location")).json(), ended.json());
  }

  @Test
  void aWaitEndsByItsTimeToo() {
    ApiClient.Answer answer = preferring("wait=1", "{\"type\":\"t\"}").status(201);
    assertEquals("ready", answer.json().path("state").asText());
    assertEquals("", preferring("wait=x", "{\"type\":\"t\"}").header("Preference-Applied"));
  }
}
