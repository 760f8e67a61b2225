package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.jobscheduler.api.Resources;
import io.jobscheduler.api.trail.Audited;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class AuditHttpTest {
  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;

  @BeforeEach
  void login() {
    admin = ApiClient.admin(base);
  }

  @Test
  void anEditOfAJobIsRecordedWithWhatItWasAndOfThePayloadAHash() {
    String path = admin.project("audit-edit-" + UUID.randomUUID());
    String job =
        admin
            .post(path + "/jobs", "{\"type\":\"t\",\"payload\":{\"secret\":1},\"tags\":[\"x\"]}")
            .status(201)
            .header("Location");
    admin.patch(job, "{\"priority\":9,\"payload\":{\"secret\":2},\"tags\":[\"x\"]}").status(200);
    JsonNode row =
        admin.get(path + "/audit?action=editJob").status(200).json().path("items").path(0);
    JsonNode changes = row.path("changes");
    assertEquals("{\"after\":9,\"before\":4}", changes.path("priority").toString());
    assertTrue(changes.path("payload").path("before").asText().startsWith("sha256:"));
    assertTrue(changes.path("payload").path("after").asText().startsWith("sha256:"));
    assertEquals(2, changes.size(), row.toString());
    assertFalse(row.toString().contains("secret"));
  }

  /** Each operation that changes something either leaves one row or says why it leaves none. */
  @Test
  void everyRecordedOperationLeavesItsRowAndNoOtherDoes() {
    Set<String> recorded =
        Resources.all().stream()
            .filter(e -> e.method().isAnnotationPresent(Audited.class))
            .map(Resources.Endpoint::id)
            .collect(Collectors.toSet());
    List<String> failures = new ArrayList<>();
    Tenant tenant = new Tenant(admin);
    // What deletes comes last.
    List<Operations.Operation> operations =
        Operations.all().stream()
            .filter(o -> o.changes() && !o.role().equals("none"))
            // Would end the session that all others are tried with; see below.
            .filter(o -> !o.id().equals("changePassword"))
            // Nothing may live in it; see ProjectsHttpTest.
            .filter(o -> !o.id().equals("deleteProject"))
            .sorted(Comparator.comparing(o -> o.verb().equals("DELETE")))
            .toList();
    for (Operations.Operation operation : operations) {
      String id = "audit-" + operation.id() + "-" + tenant.name;
      ApiClient.Answer answer =
          admin.send(
              Tenant.request(
                      admin,
                      operation,
                      operation.at(p -> tenant.id(operation, p)),
                      tenant.body(operation))
                  .header("X-Request-Id", id));
      String rows =
          ApiClient.value(
              "SELECT string_agg(DISTINCT concat_ws(' ', actor_kind, actor, action, address), '; ') FROM"
                  + " audit_log WHERE request_id = '"
                  + id
                  + "'");
      String expected =
          recorded.contains(operation.id())
              ? "user admin@localhost " + operation.id() + " 127.0.0.1"
              : "null";
      if (answer.status() >= 300) {
        failures.add(operation + ": cannot be tried: " + answer.text());
      } else if (!expected.equals(rows)) {
        failures.add(operation + ": expected " + expected + " but was " + rows);
      }
    }
    assertEquals("", String.join("\n", failures));
    assertEquals(
        "0",
        ApiClient.value(
            "SELECT count(*) FROM audit_log WHERE changes::text LIKE '%" + Tenant.SECRET + "%'"));
    assertEquals(
        "0", ApiClient.value("SELECT count(*) FROM audit_log WHERE changes::text LIKE '%argon2%'"));
  }

  @Test
  void aChangedPasswordIsRecordedWithoutIt() {
    String email = "pw" + UUID.randomUUID() + "@example.org";
    Tenant tenant = new Tenant(admin);
    ApiClient member = admin.member(tenant.name, email, "viewer");
    member
        .post(
            "/api/v1/auth/password",
            "{\"oldPassword\":\"%s\",\"newPassword\":\"another long password\"}"
                .formatted(ApiClient.PASSWORD))
        .status(200);
    JsonNode entry = admin.get("/api/v1/audit?actor=" + email).json().path("items").path(0);
    assertEquals("changePassword", entry.path("action").asText());
    assertEquals("{\"passwordHash\":{\"changed\":true}}", entry.path("changes").toString());
  }

  @Test
  void aRefusedRequestLeavesNothing() {
    String before = ApiClient.value("SELECT count(*) FROM audit_log");
    String path = "/api/v1/projects/default";
    admin.put(path + "/queues/x", "{\"weight\":0}").problem(422, "validation-failed");
    admin.delete(path + "/queues/nothing").problem(404, "not-found");
    admin.post("/api/v1/projects", "{\"name\":\"default\"}").problem(409, "conflict");
    admin.post(path + "/jobs/1/cancel", "{}").problem(404, "not-found");
    assertEquals(before, ApiClient.value("SELECT count(*) FROM audit_log"));
  }

  @Test
  void adminsListFilterAndVerifyTheirProjectsLogOnly() {
    Tenant mine = new Tenant(admin);
    Tenant other = new Tenant(admin);
    ApiClient projectAdmin = admin.member(mine.name, "audit-" + mine.name + "@x.org", "admin");
    projectAdmin.patch(mine.path + "/queues/default", "{\"weight\":7}").status(200);
    projectAdmin.post(mine.path + "/queues/default/pause", "{\"reason\":\"why\"}").status(200);
    String log = mine.path + "/audit";

    JsonNode newest = projectAdmin.get(log + "?limit=1").status(200).json();
    JsonNode entry = newest.path("items").path(0);
    assertEquals("pauseQueue", entry.path("action").asText());
    assertEquals("audit-" + mine.name + "@x.org", entry.path("actor").path("name").asText());
    assertEquals("queue", entry.path("object").path("kind").asText());
    assertEquals("default", entry.path("object").path("id").asText());
    assertEquals("why", entry.path("changes").path("pauseReason").path("after").asText());
    JsonNode second =
        projectAdmin.get(log + "?limit=1&cursor=" + newest.path("nextCursor").asText()).json();
    JsonNode weight = second.path("items").path(0).path("changes").path("weight");
    assertEquals(1, weight.path("before").asInt());
    assertEquals(7, weight.path("after").asInt());

    assertEquals(2, count(projectAdmin, log + "?actor=audit-" + mine.name + "@x.org"));
    assertEquals(1, count(projectAdmin, log + "?action=pauseQueue"));
    assertEquals(3, count(projectAdmin, log + "?object=queue/default"));
    assertEquals(4, count(projectAdmin, log + "?object=queue"));
    assertEquals(0, count(projectAdmin, log + "?to=2020-01-01T00:00:00Z"));
    int all = count(projectAdmin, log);
    assertEquals(all, count(projectAdmin, log + "?from=2020-01-01T00:00:00Z"));
    String text = projectAdmin.get(log + "?limit=200").text();
    assertTrue(text.contains(mine.name) && !text.contains(other.name), text);
    projectAdmin.get(log + "?from=yesterday").problem(422, "validation-failed");
    projectAdmin.get(log + "?actor=%00").problem(422, "validation-failed");

    JsonNode open = projectAdmin.get(log + "/verify").status(200).json();
    assertTrue(open.path("whole").asBoolean());
    assertEquals(all, open.path("unsealed").path("entries").asInt());
    ApiClient.sql("SELECT seal_audit(10000)");
    JsonNode sealed = projectAdmin.get(log + "/verify").status(200).json();
    assertEquals(all, sealed.path("sealed").path("entries").asInt());
    assertEquals(64, sealed.path("sealed").path("head").asText().length());
    ApiClient.sql(
        "UPDATE audit_log SET actor = 'somebody else' WHERE id = " + entry.path("id").asText());
    JsonNode broken = projectAdmin.get(log + "/verify").status(200).json();
    assertFalse(broken.path("whole").asBoolean());
    assertEquals(entry.path("id").asText(), broken.path("broken").path("entry").asText());
    assertEquals("row-changed", broken.path("broken").path("why").asText());
  }

  @Test
  void usersAreThePlatformsAffair() {
    Tenant tenant = new Tenant(admin);
    JsonNode entry = admin.get("/api/v1/audit?limit=1").status(200).json().path("items").path(0);
    assertEquals("createUser", entry.path("action").asText());
    assertEquals(
        "u-" + tenant.name + "@example.org",
        entry.path("changes").path("email").path("after").asText());
    assertTrue(entry.path("changes").path("passwordHash").path("changed").asBoolean());
    admin.get("/api/v1/audit/verify").status(200);
  }

  private static int count(ApiClient client, String path) {
    return client.get(path).status(200).json().path("count").path("value").asInt();
  }
}
