package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.jobscheduler.schema.names.Channels;
import io.jobscheduler.schema.testing.Role;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class JobActionsHttpTest {
  private static final long WORKER = 770_077;

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

  private static Connection owner() throws SQLException {
    Connection owner =
        DriverManager.getConnection(
            System.getProperty(ApiDatabase.URL), Role.OWNER.databaseName(), Role.OWNER.password());
    try (Statement statement = owner.createStatement()) {
      statement.execute("SET search_path = jobs");
    }
    return owner;
  }

  private String enqueue(String body) {
    return admin.post(project + "/jobs", body).status(201).json().path("id").asText();
  }

  private String enqueue() {
    return enqueue("{\"type\":\"t\",\"payload\":[1.0]}");
  }

  /** Makes the job the lease of a worker, as a claim does. */
  private static void start(String id) {
    ApiClient.sql(
        ("UPDATE jobs SET state = 'running', lease_token = nextval('lease_token_seq'), attempt ="
                + " attempt + 1, worker_id = %d, started_at = clock_timestamp() WHERE id = %s")
            .formatted(WORKER, id));
  }

  private static String settle(String id, String outcome) {
    return ("SELECT settle(%d, ARRAY[%s::bigint], ARRAY[(SELECT lease_token FROM jobs WHERE id ="
            + " %2$s)], ARRAY[NULL::int], ARRAY['%s'], NULL, ARRAY['boom'], ARRAY['it broke'],"
            + " NULL, NULL, NULL, NULL)")
        .formatted(WORKER, id, outcome);
  }

  private static void end(String id, String outcome) {
    start(id);
    ApiClient.sql(settle(id, outcome));
  }

  private ApiClient.Answer act(String id, String action) {
    return admin.post(project + "/jobs/" + id + "/" + action, "{}");
  }

  private JsonNode find(String id) {
    return admin.get(project + "/jobs/" + id).status(200).json();
  }

  @Test
  void cancelEndsAWaitingJobForGood() {
    String id = enqueue();
    JsonNode job =
        admin
            .post(project + "/jobs/" + id + "/cancel", "{\"reason\":\"not wanted\"}")
            .status(200)
            .json();
    assertEquals("cancelled", job.path("state").asText());
    assertEquals(
        "cancelled by admin@localhost: not wanted", job.path("error").path("message").asText());
    assertEquals(job, find(id));
    // Again: it is cancelled, which is what was asked for.
    act(id, "cancel").status(200);
  }

  @Test
  void actionsNeedNoBody() {
    String id = enqueue("{\"type\":\"t\",\"delay\":\"PT1H\"}");
    for (String action : List.of("run-now", "cancel", "retry")) {
      admin
          .send(
              admin
                  .request(project + "/jobs/" + id + "/" + action)
                  .POST(java.net.http.HttpRequest.BodyPublishers.noBody()))
          .status(200);
    }
    assertEquals("ready", find(id).path("state").asText());
  }

  @Test
  void cancelOfARunningJobIsARequestThatItsWorkerHearsOf() throws SQLException {
    String id = enqueue();
    start(id);
    try (Connection worker = owner();
        Statement statement = worker.createStatement()) {
      statement.execute("LISTEN " + Channels.CONTROL);
      JsonNode answer = act(id, "cancel").status(202).json();
      assertTrue(answer.path("cancelRequested").asBoolean());
      assertEquals("running", answer.path("job").path("state").asText());
      assertTrue(answer.path("job").path("cancelRequestedAt").isTextual(), answer.toString());
      PGNotification[] heard = worker.unwrap(PGConnection.class).getNotifications(10_000);
      assertEquals(Long.toString(WORKER), heard[0].getParameter());
      statement.execute(settle(id, "failed"));
    }
    assertEquals("cancelled", find(id).path("state").asText());
    assertTrue(find(id).path("cancelRequestedAt").isNull());
  }

  /**
   * The settle has locked the job and not yet committed when the cancel comes: exactly one of both
   * is answered, and it is the final one (C169).
   */
  @Test
  void cancelAgainstACompletionInFlightIsAnsweredByWhatItBecame() throws Exception {
    String id = enqueue();
    start(id);
    CompletableFuture<ApiClient.Answer> answer;
    try (Connection worker = owner();
        Statement statement = worker.createStatement()) {
      worker.setAutoCommit(false);
      statement.execute(settle(id, "succeeded"));
      answer = CompletableFuture.supplyAsync(() -> act(id, "cancel"));
      awaitCanceller(worker.unwrap(PGConnection.class).getBackendPID());
      assertFalse(answer.isDone());
      worker.commit();
    }
    ApiClient.Answer conflict = answer.get(30, TimeUnit.SECONDS).problem(409, "conflict");
    assertTrue(conflict.text().contains("succeeded"), conflict.text());
    assertEquals("succeeded", find(id).path("state").asText());
  }

  /** Until somebody but the settle's session locks rows of jobs. */
  private static void awaitCanceller(int settling) throws SQLException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    boolean seen = false;
    try (Connection owner = owner();
        Statement statement = owner.createStatement()) {
      while (!seen && System.nanoTime() < deadline) {
        try (var row =
            statement.executeQuery(
                "SELECT count(*) FROM pg_locks WHERE relation = 'jobs'::regclass"
                    + " AND mode = 'RowShareLock' AND pid <> "
                    + settling)) {
          row.next();
          seen = row.getLong(1) > 0;
        }
      }
    }
    assertTrue(seen, "no cancel in flight");
  }

  @Test
  void retryBringsAnEndedJobBackWithItsHistory() {
    String id = enqueue("{\"type\":\"t\",\"payload\":[1.0],\"priority\":8,\"maxAttempts\":1}");
    end(id, "failed");
    assertEquals("dead", find(id).path("state").asText());
    JsonNode job = act(id, "retry").status(200).json();
    assertEquals("ready", job.path("state").asText());
    assertEquals(id, job.path("id").asText());
    assertEquals(8, job.path("priority").asInt());
    assertEquals(0, job.path("attempt").asInt());
    assertEquals(1, job.path("generation").asInt());
    assertEquals("[1.0]", job.path("payload").toString());
    end(id, "failed");
    JsonNode attempts = admin.get(project + "/jobs/" + id + "/attempts").json().path("items");
    assertEquals(2, attempts.size());
    for (int generation = 0; generation < 2; generation++) {
      JsonNode attempt = attempts.path(generation);
      assertEquals(generation, attempt.path("generation").asInt());
      assertEquals(1, attempt.path("attempt").asInt());
      assertEquals("failed", attempt.path("outcome").asText());
      assertEquals("it broke", attempt.path("error").path("message").asText());
      assertTrue(attempt.path("startedAt").isTextual() && attempt.path("endedAt").isTextual());
    }
  }

  @Test
  void retryOfASuccessMustBeSaidTwice() {
    String id = enqueue();
    end(id, "succeeded");
    String refusal = act(id, "retry").problem(409, "conflict").text();
    assertTrue(refusal.contains("evenIfSucceeded"), refusal);
    admin.post(project + "/jobs/" + id + "/retry", "{\"evenIfSucceeded\":true}").status(200);
    assertEquals("ready", find(id).path("state").asText());
    act(id, "retry").problem(409, "conflict");
  }

  @Test
  void retryAndRunNowEndAWait() {
    for (String action : List.of("retry", "run-now")) {
      String id = enqueue();
      end(id, "failed");
      assertEquals("retrying", find(id).path("state").asText());
      assertEquals("ready", act(id, action).status(200).json().path("state").asText());
      act(id, "run-now").problem(409, "conflict");
    }
    String later = enqueue("{\"type\":\"t\",\"delay\":\"PT1H\"}");
    act(later, "retry").problem(409, "conflict");
    assertEquals("ready", act(later, "run-now").status(200).json().path("state").asText());
    end(later, "dead");
    act(later, "run-now").problem(409, "conflict");
  }

  @Test
  void onlyOperatorsAct() {
    String id = enqueue();
    ApiClient viewer = admin.member(name, UUID.randomUUID() + "@x.org", "viewer");
    ApiClient operator = admin.member(name, UUID.randomUUID() + "@x.org", "operator");
    for (String action : List.of("cancel", "retry", "run-now")) {
      viewer.post(project + "/jobs/" + id + "/" + action, "{}").problem(403, "forbidden");
    }
    viewer.post(project + "/dead-letters/f/redrive", "").problem(403, "forbidden");
    assertEquals("ready", find(id).path("state").asText());
    operator.post(project + "/jobs/" + id + "/cancel", "{}").status(200);
    operator.post(project + "/jobs/" + id + "/retry", "{}").status(200);
  }

  @Test
  void anotherProjectsJobDoesNotExist() {
    String id = enqueue();
    String dead = enqueue();
    end(dead, "dead");
    String other = admin.project("o" + UUID.randomUUID());
    ApiClient member =
        admin.member(
            other.substring(other.lastIndexOf('/') + 1), UUID.randomUUID() + "@x.org", "admin");
    for (String job : List.of(id, dead, "999999999", "x")) {
      for (String action : List.of("cancel", "retry", "run-now")) {
        for (ApiClient caller : List.of(admin, member)) {
          caller.post(other + "/jobs/" + job + "/" + action, "{}").problem(404, "not-found");
        }
        member.post(project + "/jobs/" + job + "/" + action, "{}").problem(404, "not-found");
      }
    }
    assertEquals("ready", find(id).path("state").asText());
    assertEquals("dead", find(dead).path("state").asText());
  }

  @Test
  void badBodiesAreRefusedAtTheirField() {
    String id = enqueue();
    assertEquals(
        List.of("/reason"),
        admin
            .post(project + "/jobs/" + id + "/cancel", "{\"reason\":\"\"}")
            .problem(422, "validation-failed")
            .pointers());
    assertEquals(
        List.of("/reason"),
        admin
            .post(project + "/jobs/" + id + "/cancel", "{\"reason\":\"" + "x".repeat(1001) + "\"}")
            .problem(422, "validation-failed")
            .pointers());
    assertEquals(
        List.of("/force"),
        admin
            .post(project + "/jobs/" + id + "/cancel", "{\"force\":true}")
            .problem(400, "unknown-field")
            .pointers());
    assertEquals(
        List.of("/evenIfSucceeded"),
        admin
            .post(project + "/jobs/" + id + "/retry", "{\"evenIfSucceeded\":1}")
            .problem(422, "validation-failed")
            .pointers());
    admin.post(project + "/jobs/" + id + "/retry", "[]").problem(422, "validation-failed");
    assertEquals("ready", find(id).path("state").asText());
  }
}
