package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an operator does to a workflow that was submitted. */
@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class WorkflowSurgeryHttpTest {
  private static final long WORKER = 770_078;

  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private String name;
  private String project;
  private String workflow;

  @BeforeEach
  void makeProject() {
    admin = ApiClient.admin(base);
    name = "s" + UUID.randomUUID();
    project = admin.project(name);
    // a → b → c, and d beside them.
    workflow = submit(job("a") + "," + job("b", "a") + "," + job("c", "b") + "," + job("d"));
  }

  private String submit(String jobs) {
    return admin
        .post(project + "/workflows", "{\"name\":\"w\",\"jobs\":[" + jobs + "]}")
        .status(201)
        .header("Location");
  }

  private static String job(String key, String... parents) {
    String all = parents.length == 0 ? "" : "\"" + String.join("\",\"", parents) + "\"";
    return "{\"key\":\""
        + key
        + "\",\"type\":\"t\",\"payload\":[1.50],\"dependsOn\":["
        + all
        + "]}";
  }

  private String id() {
    return workflow.substring(workflow.lastIndexOf('/') + 1);
  }

  private String of(String key) {
    return "(SELECT job_id FROM workflow_members WHERE workflow_id = "
        + id()
        + " AND key = '"
        + key
        + "')";
  }

  /** Makes a member the lease of a worker, as a claim does. */
  private void start(String key) {
    ApiClient.sql(
        ("UPDATE jobs SET state = 'running', lease_token = nextval('lease_token_seq'), attempt ="
                + " attempt + 1, worker_id = %d, started_at = clock_timestamp() WHERE id = %s AND"
                + " state = 'ready'")
            .formatted(WORKER, of(key)));
  }

  private void end(String key, String outcome) {
    start(key);
    ApiClient.sql(
        "SELECT settle(%d, ARRAY[%s], ARRAY[(SELECT lease_token FROM jobs WHERE id = %2$s)], ARRAY[%3$s], ARRAY['%4$s'], NULL, NULL, NULL, NULL, NULL, NULL, NULL); SELECT release_pending(100); SELECT release_pending(100)"
            .formatted(WORKER, of(key), id(), outcome));
  }

  private String states() {
    TreeMap<String, String> states = new TreeMap<>();
    admin
        .get(workflow + "/graph")
        .json()
        .path("nodes")
        .forEach(n -> states.put(n.path("key").asText(), n.path("state").asText()));
    List<String> shown = new ArrayList<>();
    states.forEach((key, state) -> shown.add(key + "=" + state));
    return String.join(" ", shown);
  }

  private JsonNode act(String action, String body) {
    return admin.post(workflow + "/" + action, body).status(200).json();
  }

  @Test
  void aRetryIsShownBeforeItIsDone() {
    end("d", "succeeded");
    end("a", "dead");
    assertEquals("a=dead b=skipped c=skipped d=succeeded", states());
    for (boolean dryRun : List.of(true, false)) {
      JsonNode answer = act("retry", "{\"dryRun\":" + dryRun + "}");
      assertEquals("[\"a\",\"b\",\"c\"]", answer.path("jobs").toString());
      assertEquals("[]", answer.path("committed").toString());
      assertEquals(3, answer.path("left").path("jobs").asInt());
      assertEquals("PT3S", answer.path("left").path("atLeast").asText());
      assertEquals(3, answer.path("left").path("unknown").asInt());
      assertEquals(
          dryRun
              ? "a=dead b=skipped c=skipped d=succeeded"
              : "a=ready b=blocked c=blocked d=succeeded",
          states());
    }
    // What was asked for is done: another retry finds nothing.
    assertEquals("[]", act("retry", "{}").path("jobs").toString());
    JsonNode all = act("retry", "{\"mode\":\"all\"}");
    assertEquals("[\"d\"]", all.path("jobs").toString());
    assertEquals("[\"d\"]", all.path("committed").toString());
    assertEquals("a=ready b=blocked c=blocked d=ready", states());
  }

  @Test
  void downstreamOfWhatFailedRunsAgainToo() {
    workflow =
        submit(
            job("a")
                + ",{\"key\":\"done\",\"type\":\"t\",\"dependsOn\":[{\"key\":\"a\",\"on\":\"done\"}]},"
                + job("d"));
    end("a", "dead");
    end("done", "succeeded");
    end("d", "succeeded");
    assertEquals("[\"a\"]", act("retry", "{\"dryRun\":true}").path("jobs").toString());
    JsonNode answer = act("retry", "{\"mode\":\"failed-and-downstream\"}");
    assertEquals("[\"a\",\"done\"]", answer.path("jobs").toString());
    assertEquals("[\"done\"]", answer.path("committed").toString());
    assertEquals("a=ready d=succeeded done=blocked", states());
  }

  @Test
  void aJobIsSkippedByHandAndItsChildrenGoOn() {
    assertEquals(3, act("jobs/b/skip", "{\"dryRun\":true}").path("left").path("jobs").asInt());
    assertEquals("a=ready b=blocked c=blocked d=ready", states());
    act("jobs/b/skip", "{\"reason\":\"not needed\"}");
    assertEquals("a=ready b=skipped c=ready d=ready", states());
    // Again: it is skipped, which is what was asked for.
    act("jobs/b/skip", "{}");
    assertEquals("skipped-by-hand", member("b").path("stateReason").asText());
    start("c");
    admin.post(workflow + "/jobs/c/skip", "{}").problem(409, "conflict");
    admin.post(workflow + "/jobs/nobody/skip", "{}").problem(404, "not-found");
  }

  @Test
  void aFailedJobCountsAsSucceededAndWhatWasSkippedForItGoesOn() {
    end("a", "dead");
    JsonNode answer = act("jobs/a/mark-succeeded", "{\"result\":{\"n\":1.50}}");
    assertEquals("[\"b\",\"c\"]", answer.path("jobs").toString());
    assertEquals("a=succeeded b=ready c=blocked d=ready", states());
    assertTrue(admin.get(workflow + "/jobs/a").text().contains("\"result\":{\"n\":1.50}"));
    admin.post(workflow + "/jobs/a/mark-succeeded", "{}").problem(409, "conflict");
  }

  private JsonNode member(String key) {
    return admin.get(workflow + "/jobs/" + key).status(200).json();
  }

  @Test
  void aPayloadIsEditedUnlessItsJobHasChangedOrStarted() {
    ApiClient.Answer read = admin.get(workflow + "/jobs/b").status(200);
    String etag = read.header("ETag");
    ApiClient.Answer edited = edit("b", etag, "{\"payload\":{\"n\":2}}").status(200);
    assertEquals("{\"n\":2}", edited.json().path("payload").toString());
    edit("b", etag, "{\"payload\":3}").problem(412, "precondition-failed");
    edit("b", edited.header("ETag"), "{\"payload\":3}").status(200);
    edit("b", "*", "{\"payload\":4}").status(200);
    edit("b", "*", "{\"priority\":4}").problem(400, "unknown-field");
    edit("b", "*", "{}").problem(422, "validation-failed");
    start("a");
    edit("a", "*", "{\"payload\":5}").problem(409, "conflict");
    assertEquals("4", member("b").path("payload").toString());
  }

  private ApiClient.Answer edit(String key, String etag, String body) {
    return admin.send(
        admin
            .request(workflow + "/jobs/" + key)
            .header("If-Match", etag)
            .method("PATCH", HttpRequest.BodyPublishers.ofString(body)));
  }

  @Test
  void aPausedWorkflowStartsNothing() {
    JsonNode paused = act("pause", "{\"reason\":\"later\"}");
    assertEquals(id(), paused.path("id").asText());
    assertEquals("a=blocked b=blocked c=blocked d=blocked", states());
    assertEquals("workflow-paused", member("a").path("stateReason").asText());
    act("retry", "{\"mode\":\"all\"}");
    act("resume", "");
    assertEquals("a=ready b=blocked c=blocked d=ready", states());
    act("resume", "");
  }

  /** C097: nothing starts after the answer; running ones are asked; any number of times. */
  @Test
  void aCancelledWorkflowEndsAtOnceButForWhatRuns() {
    start("d");
    JsonNode shown = act("cancel", "{\"dryRun\":true}");
    assertEquals("{\"dryRun\":true,\"cancelled\":3,\"cancelRequested\":1}", shown.toString());
    for (int i = 0; i < 2; i++) {
      JsonNode answer =
          admin.post(workflow + "/cancel", "{\"reason\":\"wrong\"}").status(202).json();
      assertEquals(i == 0 ? 3 : 0, answer.path("cancelled").asInt());
      assertEquals(1, answer.path("cancelRequested").asInt());
    }
    assertEquals("a=cancelled b=cancelled c=cancelled d=running", states());
    end("d", "failed");
    assertEquals("a=cancelled b=cancelled c=cancelled d=cancelled", states());
    act("cancel", "");
    assertEquals("cancelled", admin.get(workflow).json().path("state").asText());
    assertEquals("[\"a\",\"b\",\"c\",\"d\"]", act("retry", "").path("jobs").toString());
    assertEquals("a=ready b=blocked c=blocked d=ready", states());
  }

  @Test
  void aFinishedWorkflowIsNeitherCancelledNorPaused() {
    workflow = submit(job("a"));
    end("a", "succeeded");
    admin.post(workflow + "/cancel", "{}").problem(409, "workflow-finished");
    admin.post(workflow + "/pause", "{}").problem(409, "workflow-finished");
    assertEquals("a=succeeded", states());
  }

  @Test
  void onlyOperatorsOfTheProjectMay() {
    ApiClient viewer = admin.member(name, UUID.randomUUID() + "@example.org", "viewer");
    ApiClient operator = admin.member(name, UUID.randomUUID() + "@example.org", "operator");
    String other = admin.project("o" + UUID.randomUUID());
    String foreign = other + "/workflows/" + id();
    for (String action :
        List.of("retry", "cancel", "pause", "jobs/a/skip", "jobs/a/mark-succeeded", "signals/x")) {
      viewer.post(workflow + "/" + action, "{}").problem(403, "forbidden");
      admin.post(foreign + "/" + action, "{}").problem(404, "not-found");
    }
    assertEquals("a=ready b=blocked c=blocked d=ready", states());
    viewer.get(workflow + "/jobs/a").status(200);
    admin.get(foreign + "/jobs/a").problem(404, "not-found");
    admin.get(foreign + "/gates").problem(404, "not-found");
    operator.post(workflow + "/jobs/a/skip", "{}").status(200);
  }
}
