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
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class ProjectsHttpTest {
  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;

  @BeforeEach
  void login() {
    admin = ApiClient.admin(base);
  }

  private static String idOf(ApiClient client) {
    return client.get("/api/v1/auth/me").status(200).json().path("id").asText();
  }

  @Test
  void aProjectIsDescribedByItsAdmin() {
    admin
        .post("/api/v1/projects", "{\"name\":\"described\",\"description\":\"first\"}")
        .status(201);
    String path = "/api/v1/projects/described";
    assertEquals("first", admin.get(path).json().path("description").asText());
    ApiClient operator = admin.member("described", "describer@example.org", "operator");
    operator.patch(path, "{\"description\":\"x\"}").problem(403, "forbidden");
    assertEquals(
        "second",
        admin
            .patch(path, "{\"description\":\"second\"}")
            .status(200)
            .json()
            .path("description")
            .asText());
    assertEquals("second", admin.patch(path, "{}").json().path("description").asText());
    admin.patch(path, "{\"name\":\"other\"}").problem(400, "unknown-field");
  }

  @Test
  void aProjectEndsOnlyWhenNothingLivesInIt() {
    String path = admin.project("ending");
    ApiClient member = admin.member("ending", "ending@example.org", "admin");
    String secret =
        admin
            .post(path + "/api-keys", "{\"name\":\"k\",\"scopes\":[\"read\"]}")
            .status(201)
            .json()
            .path("secret")
            .asText();
    ApiClient key = admin.withToken(secret);
    String job =
        admin.post(path + "/jobs", "{\"type\":\"echo\"}").status(201).json().path("id").asText();
    admin
        .put(
            path + "/schedules/nightly",
            "{\"cron\":\"0 3 * * *\",\"timeZone\":\"UTC\",\"job\":{\"type\":\"echo\"}}")
        .status(201);
    admin
        .member("ending", "ending-operator@example.org", "operator")
        .delete(path)
        .problem(403, "forbidden");
    key.delete(path).problem(403, "forbidden");
    member.delete(path).problem(409, "conflict");
    admin.post(path + "/jobs/" + job + "/cancel", "{}").status(200);
    assertTrue(admin.delete(path).problem(409, "conflict").text().contains("schedules"));
    admin.delete(path + "/schedules/nightly").status(204);
    key.get(path).status(200);
    member.get(path).status(200);

    member.delete(path).status(204);
    assertEquals(
        "ending@example.org",
        ApiClient.value(
            "SELECT DISTINCT actor FROM audit_log WHERE action = 'deleteProject' AND project_id ="
                + " (SELECT id FROM projects WHERE name = 'ending')"));
    admin.get(path).problem(404, "not-found");
    admin.get(path + "/jobs/" + job).problem(404, "not-found");
    admin.delete(path).problem(404, "not-found");
    member.get(path).problem(404, "not-found");
    key.get(path).problem(401, "unauthorized");
    assertEquals(0, member.get("/api/v1/auth/me").json().path("projects").size());
    assertFalse(admin.get("/api/v1/projects?limit=200").text().contains("\"ending\""));
    admin.post("/api/v1/projects", "{\"name\":\"ending\"}").problem(409, "conflict");
    assertEquals(
        "cancelled",
        ApiClient.value("SELECT state FROM finished_jobs WHERE id = " + job),
        "history stays for as long as its retention");
  }

  /** Between two steps of a paced action nothing lives; it went on in a project that was gone. */
  @Test
  void aProjectDoesNotEndWhileABulkActionOfItIsOpen() {
    String path = admin.project("ending-bulk");
    for (int i = 0; i < 2; i++) {
      String job =
          admin.post(path + "/jobs", "{\"type\":\"echo\"}").status(201).json().path("id").asText();
      admin.post(path + "/jobs/" + job + "/cancel", "{}").status(200);
    }
    String action =
        admin
            .post(
                path + "/bulk-actions",
                "{\"action\":\"retry\",\"filter\":{\"state\":\"cancelled\"},\"ratePerSecond\":1}")
            .status(202)
            .json()
            .path("id")
            .asText();
    for (String state : List.of("pending", "running", "canary", "undoing")) {
      ApiClient.sql("UPDATE bulk_actions SET state = '" + state + "' WHERE id = " + action);
      String refusal = admin.delete(path).problem(409, "conflict").text();
      assertTrue(refusal.contains("bulk actions under way; abort them first"), refusal);
    }
    ApiClient.sql("UPDATE bulk_actions SET state = 'running' WHERE id = " + action);
    admin.post(path + "/bulk-actions/" + action + "/abort", "").status(200);

    admin.delete(path).status(204);

    assertEquals(
        "0",
        ApiClient.value("SELECT worked FROM step_bulk_action(" + action + ", 10, 1000, 1000)"));
    assertEquals(
        "0 2",
        ApiClient.value(
            """
            SELECT concat_ws(' ', (SELECT count(*) FROM jobs j WHERE j.project_id = p.id),
                                  (SELECT count(*) FROM finished_jobs f WHERE f.project_id = p.id))
              FROM projects p WHERE p.name = 'ending-bulk'
            """));
  }

  @Test
  void theLastAdminOfAProjectStays() {
    String path = admin.project("last-admin");
    ApiClient ann = admin.member("last-admin", "ann-last@example.org", "admin");
    String annId = idOf(ann);
    ann.delete(path + "/members/" + annId).problem(409, "conflict");
    ann.put(path + "/members/" + annId, "{\"role\":\"viewer\"}").problem(409, "conflict");
    ann.put(path + "/members/" + annId, "{\"role\":\"admin\"}").status(200);
    ApiClient bob = admin.member("last-admin", "bob-last@example.org", "admin");
    ann.delete(path + "/members/" + annId).status(204);
    bob.delete(path + "/members/" + idOf(bob)).problem(409, "conflict");
    bob.delete(path + "/members/" + annId).problem(404, "not-found");
  }

  @Test
  void payloadsAreAMembersOwnFlag() {
    String path = admin.project("member-payload");
    ApiClient viewer = admin.member("member-payload", "blind-viewer@example.org", "viewer");
    String id = idOf(viewer);
    String job =
        admin
            .post(path + "/jobs", "{\"type\":\"echo\",\"payload\":{\"secret\":1}}")
            .status(201)
            .json()
            .path("id")
            .asText();
    assertTrue(viewer.get(path + "/jobs/" + job).text().contains("secret"));
    JsonNode put =
        admin
            .put(path + "/members/" + id, "{\"role\":\"viewer\",\"payloadVisible\":false}")
            .status(200)
            .json();
    assertFalse(put.path("payloadVisible").asBoolean());
    assertFalse(admin.get(path + "/members/" + id).json().path("payloadVisible").asBoolean());
    assertFalse(viewer.get(path + "/jobs/" + job).text().contains("secret"));
    assertFalse(
        viewer
            .get("/api/v1/auth/me")
            .json()
            .path("projects")
            .path(0)
            .path("payloadVisible")
            .asBoolean());
    ApiClient blind = admin.member("member-payload", "blind-admin@example.org", "admin");
    admin
        .put(path + "/members/" + idOf(blind), "{\"role\":\"admin\",\"payloadVisible\":false}")
        .status(200);
    blind.put(path + "/members/" + id, "{\"role\":\"viewer\"}").problem(403, "forbidden");
    blind
        .put(path + "/members/" + id, "{\"role\":\"operator\",\"payloadVisible\":false}")
        .status(200);
    admin.get(path + "/members/999999").problem(404, "not-found");
  }

  /** Ids are numbers that can be counted through; the platform's addresses must not follow. */
  @Test
  void aProjectsAdminMakesAMemberOfWhomItKnowsTheAddress() {
    String path = admin.project("member-known");
    ApiClient projectAdmin = admin.member("member-known", "knows@example.org", "admin");
    admin.project("member-elsewhere");
    String id = idOf(admin.member("member-elsewhere", "Far.Away@example.org", "viewer"));
    String member = path + "/members/" + id;
    for (String body :
        List.of("{\"role\":\"viewer\"}", "{\"role\":\"viewer\",\"email\":\"x@example.org\"}")) {
      String answer = projectAdmin.put(member, body).problem(404, "not-found").text();
      assertFalse(answer.toLowerCase(Locale.ROOT).contains("far.away"), answer);
    }
    projectAdmin
        .put(path + "/members/999999", "{\"role\":\"viewer\",\"email\":\"x@example.org\"}")
        .problem(404, "not-found");
    projectAdmin.get(member).problem(404, "not-found");
    projectAdmin
        .put(member, "{\"role\":\"viewer\",\"email\":\"far.away@example.org\"}")
        .status(200);
    projectAdmin.put(member, "{\"role\":\"operator\"}").status(200);
    // An address that is another's: whoever was meant, it is not this one.
    for (ApiClient caller : List.of(projectAdmin, admin)) {
      caller
          .put(member, "{\"role\":\"admin\",\"email\":\"x@example.org\"}")
          .problem(404, "not-found");
    }
    assertEquals("operator", admin.get(member).status(200).json().path("role").asText());
  }
}
