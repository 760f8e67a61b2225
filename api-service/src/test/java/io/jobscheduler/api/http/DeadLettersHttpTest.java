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
class DeadLettersHttpTest {
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

  private void dead(int count, String fingerprint, String type) {
    ApiClient.sql(
        ("INSERT INTO finished_jobs (id, lease_token, worker_id, created_at, started_at,"
                + " finished_at, retain_until, project_id, queue_id, attempt, max_attempts,"
                + " attempt_rows, returned, priority, has_dependencies, has_dependents, state, type,"
                + " error_kind, error_message, error_stack, error_fingerprint) SELECT"
                + " nextval('job_id_seq'), nextval('lease_token_seq'), 1, now(), now(),"
                + " '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 s',"
                + " retention_bound(retention_today(), 30), p.id, q.id, 3, 3, 0, 0, 4, false, false,"
                + " 'dead', '%3$s', 'http-500', 'answer ' || n, E'java.io.IOException: answer\\n"
                + "\\tat a.B.c(B.java:7)\\n"
                + "\\tat d.E.f(E.java:1)', %2$s FROM projects p JOIN queues q ON q.project_id = p.id,"
                + " generate_series(1, %1$d) n WHERE p.name = '%4$s'")
            .formatted(count, fingerprint == null ? "NULL" : "'" + fingerprint + "'", type, name));
  }

  private JsonNode groups(String query) {
    return admin.get(project + "/dead-letters" + query).status(200).json();
  }

  @Test
  void groupsWhatFailedOfTheSame() {
    dead(7, "aa", "x");
    dead(2, "bb", "x");
    dead(1, null, "x");
    JsonNode page = groups("?groupBy=fingerprint");
    assertEquals(2, page.path("items").size());
    assertEquals(2, page.path("count").path("value").asInt());
    assertFalse(page.path("partial").asBoolean());
    JsonNode newest = page.path("items").path(0);
    assertEquals("bb", newest.path("fingerprint").asText());
    assertEquals("http-500", newest.path("errorKind").asText());
    assertEquals("answer 2", newest.path("message").asText());
    assertEquals("answer #", newest.path("normalisedMessage").asText());
    assertEquals("a.B.c(B.java:7)", newest.path("topFrame").asText());
    JsonNode larger = page.path("items").path(1);
    assertEquals(7, larger.path("count").path("value").asInt());
    assertEquals(5, larger.path("sampleJobs").size());
    assertEquals("2026-01-01T00:00:01.000Z", larger.path("firstSeen").asText());
    assertEquals("2026-01-01T00:00:07.000Z", larger.path("lastSeen").asText());
    assertTrue(page.path("nextCursor").isNull());
  }

  @Test
  void pagesGroupsAndListsTheJobsOfOne() {
    dead(3, "aa", "x");
    dead(3, "bb", "y");
    dead(2, "cc", "x");
    JsonNode first = groups("?limit=2");
    assertEquals("cc", first.path("items").path(0).path("fingerprint").asText());
    JsonNode second = groups("?limit=2&cursor=" + first.path("nextCursor").asText());
    assertEquals(1, second.path("items").size());
    assertEquals("aa", second.path("items").path(0).path("fingerprint").asText());

    JsonNode listed = admin.get(project + "/jobs?state=dead&error=bb&limit=2").status(200).json();
    assertEquals(2, listed.path("items").size());
    assertEquals(3, listed.path("count").path("value").asInt());
    JsonNode rest =
        admin
            .get(
                project
                    + "/jobs?state=dead&error=bb&limit=2&cursor="
                    + listed.path("nextCursor").asText())
            .json();
    assertEquals(1, rest.path("items").size());
    assertEquals(0, admin.get(project + "/jobs?error=bb&type=x").json().path("items").size());
    assertEquals(0, admin.get(project + "/jobs?error=bb&state=ready").json().path("items").size());
    assertEquals(3, admin.get(project + "/jobs?error=aa&type=x").json().path("items").size());
    assertEquals(
        List.of("?error"),
        admin.get(project + "/jobs?error=%00").problem(422, "validation-failed").pointers());
    assertEquals(
        List.of("?groupBy"),
        admin
            .get(project + "/dead-letters?groupBy=type")
            .problem(422, "validation-failed")
            .pointers());
  }

  @Test
  void redriveTakesTheOldestThousandAndSaysWhatRemains() {
    dead(1_002, "aa", "x");
    dead(1, "bb", "x");
    JsonNode first = admin.post(project + "/dead-letters/aa/redrive", "").status(200).json();
    assertEquals(1_000, first.path("redriven").asInt());
    assertEquals(2, first.path("remaining").path("value").asInt());
    assertEquals(
        2, groups("").path("items").path(1).path("count").path("value").asInt(), "the newest stay");
    JsonNode second = admin.post(project + "/dead-letters/aa/redrive", "").status(200).json();
    assertEquals(2, second.path("redriven").asInt());
    assertEquals(0, second.path("remaining").path("value").asInt());
    admin.post(project + "/dead-letters/aa/redrive", "").problem(404, "not-found");
    assertEquals(
        1_002,
        admin.get(project + "/stats").json().path("counts").path("ready").path("value").asInt());
  }

  @Test
  void anotherProjectsGroupsDoNotExist() {
    dead(2, "aa", "x");
    String other = admin.project("o" + UUID.randomUUID());
    ApiClient member =
        admin.member(
            other.substring(other.lastIndexOf('/') + 1), UUID.randomUUID() + "@x.org", "admin");
    assertEquals(0, member.get(other + "/dead-letters").json().path("items").size());
    assertEquals(0, member.get(other + "/jobs?error=aa").json().path("items").size());
    member.post(other + "/dead-letters/aa/redrive", "").problem(404, "not-found");
    member.get(project + "/dead-letters").problem(404, "not-found");
    member.post(project + "/dead-letters/aa/redrive", "").problem(404, "not-found");
    admin.post(project + "/dead-letters/%00/redrive", "").problem(404, "not-found");
    assertEquals(2, groups("").path("items").path(0).path("count").path("value").asInt());
  }
}
