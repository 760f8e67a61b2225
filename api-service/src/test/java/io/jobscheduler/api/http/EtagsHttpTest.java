package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.Role;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Edits of queues, projects and members, by somebody who says which version was read. */
@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class EtagsHttpTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private String name;
  private String project;
  private String user;

  /** What is edited: the method, two bodies that differ, and where the first of them shows. */
  private enum Edit {
    QUEUE_PUT("PUT", "/queues/mail", "{\"weight\":2}", "{\"weight\":3}", "weight", "queues"),
    QUEUE_PATCH("PATCH", "/queues/mail", "{\"weight\":2}", "{\"weight\":3}", "weight", "queues"),
    PROJECT_PATCH(
        "PATCH",
        "",
        "{\"description\":\"2\"}",
        "{\"description\":\"3\"}",
        "description",
        "projects"),
    // An edit that leaves somebody who is no admin locks all admins anyway; this one does not.
    MEMBER_PUT(
        "PUT",
        "/members/{user}",
        "{\"role\":\"admin\",\"payloadVisible\":false}",
        "{\"role\":\"admin\"}",
        "payloadVisible",
        "project_members");

    private final String method;
    private final String path;
    private final String one;
    private final String other;
    private final String field;
    private final String table;

    Edit(String method, String path, String one, String other, String field, String table) {
      this.method = method;
      this.path = path;
      this.one = one;
      this.other = other;
      this.field = field;
      this.table = table;
    }
  }

  @BeforeEach
  void makeProject() {
    admin = ApiClient.admin(base);
    name = "etag-" + UUID.randomUUID();
    project = admin.project(name);
    admin.put(project + "/queues/mail", "{}").status(201);
    ApiClient member = admin.member(name, name + "@example.org", "operator");
    user = member.get("/api/v1/auth/me").status(200).json().path("id").asText();
    // Else it would be the last admin.
    admin.member(name, name + "-2@example.org", "admin");
  }

  private String path(Edit edit) {
    return project + edit.path.replace("{user}", user);
  }

  @ParameterizedTest
  @EnumSource(Edit.class)
  void aStaleTagChangesNothingAndAFreshOneFits(Edit edit) {
    String path = path(edit);
    ApiClient.Answer read = admin.get(path).status(200);
    String first = read.header("ETag");
    assertTrue(first.matches("\"[0-9]+-[0-9]+\""), first);
    assertEquals(first, admin.get(path).header("ETag"), "nothing has changed");
    assertFalse(read.json().has("etag"), read.text());

    ApiClient.Answer edited = admin.conditional(edit.method, path, first, edit.one).status(200);
    String second = edited.header("ETag");
    assertNotEquals(first, second);
    assertEquals(second, admin.get(path).header("ETag"));

    String before = admin.get(path).text();
    for (String stale : List.of(first, "\"x\"", "W/" + second, "junk", first + ", \"x\"")) {
      admin.conditional(edit.method, path, stale, edit.other).problem(412, "precondition-failed");
      admin.conditional("DELETE", path, stale, "").problem(412, "precondition-failed");
    }
    assertEquals(before, admin.get(path).text());
    assertEquals(second, admin.get(path).header("ETag"));

    admin.conditional(edit.method, path, first + ", " + second, edit.other).status(200);
    assertNotEquals(before, admin.get(path).text());
    admin.conditional(edit.method, path, "*", edit.one).status(200);
    String last =
        (edit.method.equals("PUT") ? admin.put(path, edit.other) : admin.patch(path, edit.other))
            .status(200)
            .header("ETag");
    admin.conditional("DELETE", path, last, "").status(204);
    admin.conditional("DELETE", path, last, "").problem(404, "not-found");
  }

  /** Both wait for the row's lock before either compares. */
  @ParameterizedTest
  @EnumSource(Edit.class)
  void ofTwoEditsOfOneVersionOnePasses(Edit edit) throws Exception {
    String path = path(edit);
    String tag = admin.get(path).header("ETag");
    List<CompletableFuture<ApiClient.Answer>> both = new ArrayList<>();
    try (Connection holder = owner();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute(lock(edit));
      for (String body : List.of(edit.one, edit.other)) {
        both.add(
            CompletableFuture.supplyAsync(() -> admin.conditional(edit.method, path, tag, body)));
      }
      awaitWaiting(2);
      holder.rollback();
    }
    List<String> passed = new ArrayList<>();
    for (CompletableFuture<ApiClient.Answer> one : both) {
      ApiClient.Answer answer = one.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      if (answer.status() != 412) {
        passed.add(answer.status(200).json().path(edit.field).asText());
      }
    }
    assertEquals(List.of(admin.get(path).json().path(edit.field).asText()), passed);
  }

  private String lock(Edit edit) {
    String of =
        " t WHERE t.project_id = (SELECT p.id FROM projects p WHERE p.name = '" + name + "')";
    return "SELECT 1 FROM "
        + edit.table
        + switch (edit.table) {
          case "queues" -> of + " AND t.name = 'mail'";
          case "project_members" -> of + " AND t.user_id = " + user;
          default -> " t WHERE t.name = '" + name + "'";
        }
        + " FOR NO KEY UPDATE";
  }

  private static Connection owner() throws Exception {
    Connection connection =
        DriverManager.getConnection(
            System.getProperty(ApiDatabase.URL), Role.OWNER.databaseName(), Role.OWNER.password());
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET search_path = jobs");
    }
    return connection;
  }

  private static void awaitWaiting(int sessions) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    String waiting = "";
    while (!waiting.equals(Integer.toString(sessions))) {
      assertTrue(System.nanoTime() < deadline, "waiting for the lock: " + waiting);
      waiting =
          ApiClient.value(
              "SELECT count(DISTINCT l.pid) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid"
                  + " WHERE a.datname = current_database() AND NOT l.granted");
    }
  }

  @Test
  void whatIsNotThereHasNoTag() {
    admin
        .conditional("PUT", project + "/queues/none", "*", "{}")
        .problem(412, "precondition-failed");
    admin
        .conditional("PUT", project + "/queues/none", "\"1-1\"", "{}")
        .problem(412, "precondition-failed");
    admin.get(project + "/queues/none").problem(404, "not-found");
    admin.conditional("PATCH", project + "/queues/none", "*", "{}").problem(404, "not-found");

    String member = project + "/members/" + user;
    String tag = admin.get(member).header("ETag");
    admin.delete(member).status(204);
    admin
        .conditional("PUT", member, tag, "{\"role\":\"admin\"}")
        .problem(412, "precondition-failed");
    admin.conditional("DELETE", member, tag, "").problem(404, "not-found");

    // A deleted queue is not there either; made anew, it is another version.
    String queue = project + "/queues/mail";
    String old = admin.get(queue).header("ETag");
    admin.conditional("DELETE", queue, old, "").status(204);
    admin.conditional("PUT", queue, old, "{}").problem(412, "precondition-failed");
    assertNotEquals(old, admin.put(queue, "{}").status(201).header("ETag"));
  }

  @Test
  void aQueuesTagIsThatOfWhatPeopleSetAndNotOfItsJobs() {
    String queue = project + "/queues/mail";
    ApiClient.Answer before = admin.get(queue);
    admin.post(project + "/jobs", "{\"type\":\"echo\",\"queue\":\"mail\"}").status(201);
    ApiClient.Answer after = admin.get(queue);
    assertNotEquals(before.text(), after.text(), "it shows its depth");
    assertEquals(before.header("ETag"), after.header("ETag"));
    for (String edit :
        List.of(
            "{\"weight\":5}",
            "{\"maxConcurrency\":5}",
            "{\"rateLimit\":{\"limit\":1,\"period\":\"PT1S\"}}",
            "{\"aging\":\"PT1M\"}",
            "{\"searchablePaths\":[\"a\"]}")) {
      String tag = admin.get(queue).header("ETag");
      admin.patch(queue, edit).status(200);
      assertNotEquals(tag, admin.get(queue).header("ETag"), edit);
    }
  }
}
