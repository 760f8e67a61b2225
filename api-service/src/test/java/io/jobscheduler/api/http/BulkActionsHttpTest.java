package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How bulk actions are asked for, shown, ended and refused; no leader works them here. */
@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class BulkActionsHttpTest {
  private static final String RETRY_DEAD = "\"action\":\"retry\",\"filter\":{\"state\":\"dead\"}";

  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private String name;
  private String project;
  private String actions;

  @BeforeEach
  void makeProject() {
    admin = ApiClient.admin(base);
    name = "p" + UUID.randomUUID();
    project = admin.project(name);
    actions = project + "/bulk-actions";
  }

  private String enqueue(String queue) {
    return admin
        .post(project + "/jobs", "{\"type\":\"t\",\"queue\":\"" + queue + "\"}")
        .status(201)
        .json()
        .path("id")
        .asText();
  }

  private String dead(String queue) {
    String id = enqueue(queue);
    ApiClient.sql(
        "SELECT count(*) FROM move_to_finished('{%s}', '{dead}', '{x}', NULL, '{boom}', '{broken}', NULL, '{f1}')"
            .formatted(id));
    return id;
  }

  private JsonNode submit(String body) {
    return admin.post(actions, "{" + body + "}").status(202).json();
  }

  private ApiClient.Answer again(ApiClient caller, String key, String body) {
    return caller.send(
        caller
            .request(actions)
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", key)
            .POST(HttpRequest.BodyPublishers.ofString("{" + body + "}")));
  }

  private ApiClient key(String... queues) {
    String list =
        queues.length == 0 ? "" : ",\"queues\":[\"" + String.join("\",\"", queues) + "\"]";
    return ApiClient.anonymous(base)
        .withToken(
            admin
                .post(
                    project + "/api-keys",
                    "{\"name\":\"k%s\",\"scopes\":[\"operate\"]%s}"
                        .formatted(UUID.randomUUID(), list))
                .status(201)
                .json()
                .path("secret")
                .asText());
  }

  @Test
  void anActionIsAcceptedListedReadAndAborted() {
    String id = dead("default");
    ApiClient.Answer answer =
        admin
            .post(
                actions,
                "{%s,\"reason\":\"fixed\",\"canary\":5,\"ratePerSecond\":2.5,\"maxJobs\":1}"
                    .formatted(RETRY_DEAD))
            .status(202);
    JsonNode action = answer.json();
    String at = actions + "/" + action.path("id").asText();
    assertTrue(answer.header("Location").endsWith(at), answer.header("Location"));
    assertEquals("running", action.path("state").asText());
    assertEquals("retry", action.path("action").asText());
    assertEquals("fixed", action.path("reason").asText());
    assertEquals("admin@localhost", action.path("requestedBy").asText());
    assertEquals("{\"state\":[\"dead\"]}", action.path("filter").toString());
    assertEquals(2.5, action.path("ratePerSecond").asDouble());
    assertEquals(0, action.path("stopWhenFailureRatioOver").asDouble(-1));
    assertEquals(
        "{\"found\":1,\"foundAll\":true,\"open\":1,\"done\":0,\"cancelRequested\":0,\"skipped\":{},"
            + "\"failed\":0,\"succeededSince\":0,\"failedSince\":0,\"undone\":0,\"notUndone\":{}}",
        action.path("progress").toString());
    assertEquals(action, admin.get(at).status(200).json());
    JsonNode list = admin.get(actions).status(200).json();
    assertEquals(action, list.path("items").path(0));
    assertEquals(1, list.path("count").path("value").asInt());

    JsonNode aborted = admin.post(at + "/abort", "").status(200).json();
    assertEquals("aborted", aborted.path("state").asText());
    assertTrue(aborted.path("endedAt").isTextual());
    assertEquals(aborted, admin.post(at + "/abort", "").status(200).json());
    assertEquals("dead", admin.get(project + "/jobs/" + id).json().path("state").asText());
  }

  @Test
  void aDryRunCountsAndStoresNothing() {
    List<String> ids = List.of(dead("default"), dead("default"), enqueue("default"));
    JsonNode counted =
        admin.post(actions, "{%s,\"dryRun\":true}".formatted(RETRY_DEAD)).status(200).json();
    assertEquals("{\"value\":2,\"capped\":false}", counted.path("count").toString());
    assertEquals(
        List.of(ids.get(0), ids.get(1)),
        List.of(
            counted.path("sampleIds").path(0).asText(),
            counted.path("sampleIds").path(1).asText()));
    assertEquals(0, admin.get(actions).json().path("count").path("value").asInt());
    assertEquals(
        "0",
        ApiClient.value(
            "SELECT count(*) FROM audit_log a JOIN projects p ON p.id = a.project_id WHERE p.name ="
                + " '%s' AND a.object_kind = 'bulk-action'".formatted(name)));

    // What comes later is not in what was confirmed.
    dead("default");
    JsonNode action =
        submit(
            RETRY_DEAD
                + ",\"maxJobs\":2,\"snapshotAt\":\"%s\""
                    .formatted(counted.path("snapshotAt").asText()));
    assertEquals(2, action.path("progress").path("found").asInt());
  }

  @Test
  void moreThanConfirmedIsRefused() {
    dead("default");
    dead("default");
    admin.post(actions, "{%s,\"maxJobs\":1}".formatted(RETRY_DEAD)).problem(409, "conflict");
    assertEquals(0, admin.get(actions).json().path("count").path("value").asInt());
  }

  @Test
  void aFilterThatNamesNothingIsRefusedUnlessAllIsMeant() {
    enqueue("default");
    for (String filter : List.of("{}", "{\"state\":[]}", "{\"all\":false}")) {
      assertEquals(
          List.of("/filter"),
          admin
              .post(actions, "{\"action\":\"cancel\",\"filter\":" + filter + "}")
              .problem(422, "validation-failed")
              .pointers());
    }
    admin
        .post(actions, "{\"action\":\"cancel\",\"filter\":{\"all\":true,\"type\":\"t\"}}")
        .problem(422, "validation-failed");
    JsonNode action = submit("\"action\":\"cancel\",\"filter\":{\"all\":true}");
    assertEquals(1, action.path("progress").path("found").asInt());
    assertEquals(
        "[\"scheduled\",\"blocked\",\"ready\",\"running\",\"retrying\"]",
        action.path("filter").path("state").toString());
  }

  @Test
  void whatMakesNoSenseIsRefusedAndNamed() {
    Map<String, String> refusals =
        Map.ofEntries(
            Map.entry("{}", "/action"),
            Map.entry("{\"action\":\"redo\",\"filter\":{\"all\":true}}", "/action"),
            Map.entry("{\"action\":\"retry\"}", "/filter"),
            Map.entry("{\"action\":\"retry\",\"filter\":{\"state\":\"ready\"}}", "/filter/state"),
            Map.entry("{\"action\":\"retry\",\"filter\":{\"state\":\"odd\"}}", "/filter/state"),
            Map.entry(
                "{\"action\":\"delete\",\"filter\":{\"state\":\"running\"}}", "/filter/state"),
            Map.entry(
                "{\"action\":\"discard\",\"filter\":{\"state\":\"cancelled\"}}", "/filter/state"),
            Map.entry("{\"action\":\"retry\",\"filter\":{\"queue\":\"a b\"}}", "/filter/queue"),
            Map.entry("{\"action\":\"retry\",\"filter\":{\"queue\":\"nowhere\"}}", "/filter/queue"),
            Map.entry(
                "{\"action\":\"retry\",\"filter\":{\"schedule\":\"never\"}}", "/filter/schedule"),
            Map.entry("{\"action\":\"retry\",\"filter\":{\"workflow\":\"x\"}}", "/filter/workflow"),
            Map.entry("{\"action\":\"retry\",\"filter\":{\"tag\":\"a b\"}}", "/filter/tag"),
            Map.entry("{\"action\":\"retry\",\"filter\":{\"worker\":\"x\"}}", "/filter/worker"),
            Map.entry(
                "{\"action\":\"retry\",\"filter\":{\"createdAfter\":\"today\"}}",
                "/filter/createdAfter"),
            Map.entry("{\"action\":\"retry\",\"filter\":{\"ids\":[\"x\"]}}", "/filter/ids/0"),
            Map.entry(
                "{\"action\":\"retry\",\"filter\":{\"payload.a\":\"1\",\"state\":\"dead\"}}",
                "/filter/payload.a"),
            Map.entry(
                "{\"action\":\"cancel\",\"filter\":{\"type\":\"t\"},\"canary\":1}", "/canary"),
            Map.entry("{\"action\":\"retry\",\"filter\":{\"type\":\"t\"},\"canary\":0}", "/canary"),
            Map.entry(
                "{\"action\":\"retry\",\"filter\":{\"type\":\"t\"},\"ratePerSecond\":0}",
                "/ratePerSecond"),
            Map.entry(
                "{\"action\":\"retry\",\"filter\":{\"type\":\"t\"},\"stopWhenFailureRatioOver\":1.1}",
                "/stopWhenFailureRatioOver"));
    refusals.forEach(
        (body, pointer) ->
            assertTrue(
                admin
                    .post(actions, body)
                    .problem(422, "validation-failed")
                    .pointers()
                    .contains(pointer),
                body));
    admin
        .post(actions, "{\"action\":\"retry\",\"filter\":{\"colour\":\"red\"}}")
        .problem(400, "unknown-field");
    assertEquals(0, admin.get(actions).json().path("count").path("value").asInt());
  }

  @Test
  void aDoubleClickIsOneAction() {
    dead("default");
    ApiClient.Answer first = again(admin, "click", RETRY_DEAD).status(202);
    ApiClient.Answer second = again(admin, "click", RETRY_DEAD).status(202);
    assertEquals(first.text(), second.text());
    assertEquals("true", second.header("Idempotent-Replayed"));
    assertEquals(1, admin.get(actions).json().path("count").path("value").asInt());
    again(admin, "click", "\"action\":\"retry\",\"filter\":{\"all\":true}")
        .problem(422, "idempotency-mismatch");
  }

  @Test
  void aKeyOfSomeQueuesActsThereAndSeesNothingElse() {
    for (String queue : List.of("in", "out")) {
      admin.put(project + "/queues/" + queue, "{}").status(201);
    }
    dead("in");
    dead("out");
    ApiClient key = key("in");
    JsonNode narrow = key.post(actions, "{" + RETRY_DEAD + "}").status(202).json();
    assertEquals(1, narrow.path("progress").path("found").asInt());
    key.post(actions, "{\"action\":\"retry\",\"filter\":{\"queue\":\"out\"}}")
        .problem(403, "forbidden");
    key.post(actions, "{\"action\":\"retry\",\"filter\":{\"queue\":\"nowhere\"}}")
        .problem(403, "forbidden");

    JsonNode wide = again(admin, "wide", RETRY_DEAD).status(202).json();
    assertEquals(2, wide.path("progress").path("found").asInt());
    String at = actions + "/" + wide.path("id").asText();
    key.get(at).problem(404, "not-found");
    key.post(at + "/abort", "").problem(404, "not-found");
    key.post(at + "/undo", "").problem(404, "not-found");
    again(key, "wide", RETRY_DEAD).problem(404, "not-found");
    assertEquals(1, key.get(actions).json().path("items").size());
    assertEquals(1, key.get(actions).json().path("count").path("value").asInt());
    assertFalse(admin.get(at).json().path("endedAt").isTextual());
  }

  @Test
  void whatWasAskedForAndWhoEndedItAreOnRecord() {
    dead("default");
    String id = submit(RETRY_DEAD + ",\"reason\":\"fixed\"").path("id").asText();
    admin.post(actions + "/" + id + "/abort", "").status(200);
    JsonNode entries =
        admin
            .get(project + "/audit?object=bulk-action/" + id + "&action=createBulkAction")
            .json()
            .path("items");
    assertEquals(
        "bulk-action", entries.path(0).path("object").path("kind").asText(), entries.toString());
    JsonNode changes = entries.path(0).path("changes");
    assertEquals("retry", changes.path("action").path("after").asText());
    assertEquals("fixed", changes.path("reason").path("after").asText());
    assertEquals("dead", changes.path("filter").path("after").path("state").path(0).asText());
    changes =
        admin
            .get(project + "/audit?object=bulk-action/" + id + "&action=abortBulkAction")
            .json()
            .path("items")
            .path(0)
            .path("changes");
    assertEquals("running", changes.path("state").path("before").asText());
    assertEquals("aborted", changes.path("state").path("after").asText());
  }

  @Test
  void undoIsBegunOnceAndNeverOfWhatWasDeleted() {
    dead("default");
    String id = submit(RETRY_DEAD).path("id").asText();
    assertEquals(
        "undoing",
        admin.post(actions + "/" + id + "/undo", "").status(200).json().path("state").asText());
    assertEquals(
        "undoing",
        admin.post(actions + "/" + id + "/undo", "").status(200).json().path("state").asText());
    String discard =
        submit("\"action\":\"discard\",\"filter\":{\"error\":\"f1\"}").path("id").asText();
    admin.post(actions + "/" + discard + "/undo", "").problem(409, "conflict");
  }
}
