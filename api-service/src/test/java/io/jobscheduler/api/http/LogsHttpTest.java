package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
class LogsHttpTest {
  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private String name;
  private String project;
  private String id;
  private String logs;

  @BeforeEach
  void makeJob() {
    admin = ApiClient.admin(base);
    name = "p" + UUID.randomUUID();
    project = admin.project(name);
    id = admin.post(project + "/jobs", "{\"type\":\"t\"}").json().path("id").asText();
    logs = project + "/jobs/" + id + "/logs";
  }

  /** The job's lease by that token, as a claim gives it. */
  private void start(int attempt, long token) {
    ApiClient.sql(
        ("UPDATE jobs SET state = 'running', lease_token = %d, attempt = %d, worker_id = 3,"
                + " started_at = now() WHERE id = %s")
            .formatted(token, attempt, id));
  }

  private void end(long token, String outcome) {
    ApiClient.sql(
        ("SELECT settle(3, '{%s}', '{%d}', '{NULL}', '{%s}', NULL, NULL, NULL, NULL, NULL, NULL,"
                + " NULL)")
            .formatted(id, token, outcome));
  }

  private void say(long token, int from, int to) {
    ApiClient.sql(
        ("INSERT INTO job_logs (job_id, lease_token, logged_at, line, written_on, level, message)"
                + " SELECT %s, %d, '2026-01-01T00:00:00Z', n, retention_today(), 'info', 'line ' || n"
                + " FROM generate_series(%d, %d) n")
            .formatted(id, token, from, to));
  }

  private JsonNode read(String query) {
    return admin.get(logs + query).status(200).json();
  }

  @Test
  void pagesTheLinesOfAnAttemptAndCountsWhatIsDropped() {
    start(1, 500);
    say(500, 101, 220);
    end(500, "succeeded");
    JsonNode first = read("?limit=100");
    assertEquals(1, first.path("attempt").asInt());
    assertEquals(120, first.path("count").path("value").asInt());
    assertEquals(100, first.path("dropped").asInt());
    assertEquals(
        "{\"line\":101,\"at\":\"2026-01-01T00:00:00.000Z\",\"level\":\"info\",\"message\":\"line"
            + " 101\"}",
        first.path("items").path(0).toString());
    JsonNode rest = read("?limit=100&cursor=" + first.path("nextCursor").asText());
    assertEquals(20, rest.path("items").size());
    assertTrue(rest.path("nextCursor").isNull());
  }

  @Test
  void aRunningAttemptIsFollowed() {
    assertEquals(0, read("").path("items").size());
    start(1, 501);
    String cursor = read("").path("nextCursor").asText();
    say(501, 1, 2);
    JsonNode page = read("?cursor=" + cursor);
    assertEquals(2, page.path("items").size());
    say(501, 3, 3);
    JsonNode news = read("?cursor=" + page.path("nextCursor").asText());
    assertEquals(3, news.path("items").path(0).path("line").asInt());
    assertEquals(1, news.path("items").size());
  }

  @Test
  void everyAttemptHasItsOwnLog() {
    start(1, 600);
    say(600, 1, 1);
    end(600, "failed");
    start(2, 601);
    say(601, 1, 3);
    end(601, "dead");
    assertEquals(3, read("").path("items").size());
    assertEquals(1, read("?attempt=1").path("items").size());
    admin.post(project + "/jobs/" + id + "/retry", "{}").status(200);
    start(1, 602);
    assertEquals(0, read("?attempt=1").path("items").size());
    assertEquals(1, read("?attempt=1").path("generation").asInt());
    assertEquals(1, read("?attempt=1&generation=0").path("items").size());
    admin.get(logs + "?attempt=9").problem(404, "not-found");
    assertEquals(
        List.of("?attempt"),
        admin.get(logs + "?attempt=x").problem(422, "validation-failed").pointers());
    assertEquals(
        List.of("?generation"),
        admin.get(logs + "?generation=-1").problem(422, "validation-failed").pointers());
    admin.get(logs + "?cursor=x").problem(422, "validation-failed");
  }

  @Test
  void whoMaySeePayloadsMayReadThem() {
    start(1, 700);
    say(700, 1, 1);
    ApiClient.sql(
        "INSERT INTO job_progress (job_id, lease_token, fraction, message) VALUES (%s, 700, 0.5, 'half')"
            .formatted(id));
    String mail = UUID.randomUUID() + "@x.org";
    ApiClient viewer = admin.member(name, mail, "viewer");
    assertEquals(1, viewer.get(logs).status(200).json().path("items").size());
    JsonNode progress = viewer.get(project + "/jobs/" + id).status(200).json().path("progress");
    assertEquals(0.5, progress.path("fraction").asDouble());
    assertEquals("half", progress.path("message").asText());
    ApiClient.sql(
        "UPDATE project_members SET payload_visible = false WHERE user_id ="
            + " (SELECT id FROM users WHERE email = '%s')".formatted(mail));
    viewer.get(logs).problem(403, "forbidden");
    progress = viewer.get(project + "/jobs/" + id).status(200).json().path("progress");
    assertEquals(0.5, progress.path("fraction").asDouble());
    assertTrue(progress.path("message").isNull());
  }

  @Test
  void anotherProjectsLogsDoNotExist() {
    start(1, 800);
    say(800, 1, 1);
    String other = admin.project("o" + UUID.randomUUID());
    ApiClient member =
        admin.member(
            other.substring(other.lastIndexOf('/') + 1), UUID.randomUUID() + "@x.org", "admin");
    for (ApiClient caller : List.of(admin, member)) {
      caller.get(other + "/jobs/" + id + "/logs").problem(404, "not-found");
      caller.get(other + "/jobs/" + id + "/logs?attempt=1").problem(404, "not-found");
    }
    member.get(logs).problem(404, "not-found");
    assertFalse(read("").path("items").isEmpty());
  }
}
