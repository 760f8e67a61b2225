package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.jobscheduler.api.idempotency.RequestHash;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every POST that creates something, as the description lists them, is carried out once a key. */
@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class IdempotentCreationsHttpTest {
  /** What is made at once, and worked later: these answer 202. */
  private static final Set<String> WORKED_LATER = Set.of("createBulkAction", "backfillSchedule");

  private static final Set<String> SHOWING_PAYLOADS =
      Set.of("enqueueJob", "createSchedule", "triggerSchedule");

  private static final String SCHEDULE =
      "{\"name\":\"s\",\"every\":\"PT1H\",\"job\":{\"type\":\"t\"}}";

  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;

  @BeforeEach
  void login() {
    admin = ApiClient.admin(base);
  }

  private static List<Contract.Operation> described() {
    return new Contract(Operations.document())
        .operations().stream()
            .filter(o -> o.verb().equals("POST"))
            .filter(o -> o.node().path("responses").has("201") || WORKED_LATER.contains(o.id()))
            .toList();
  }

  private static List<Operations.Operation> creations() {
    Set<String> ids = described().stream().map(Contract.Operation::id).collect(Collectors.toSet());
    return Operations.all().stream().filter(o -> ids.contains(o.id())).toList();
  }

  private static ApiClient.Answer keyed(
      ApiClient caller, String path, String key, String body, String request) {
    return caller.send(
        caller
            .request(path)
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", key)
            .header("X-Request-Id", request)
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  private static ApiClient.Answer keyed(ApiClient caller, String path, String key, String body) {
    return keyed(caller, path, key, body, "r" + UUID.randomUUID());
  }

  /** How much there is of whatever a request can make. */
  private static String counts(Tenant tenant) {
    return ApiClient.value(
        ("WITH p AS (SELECT id FROM projects WHERE name = '%s') SELECT concat_ws(' ',"
                + " (SELECT count(*) FROM projects), (SELECT count(*) FROM users),"
                + " (SELECT count(*) FROM api_keys t, p WHERE t.project_id = p.id),"
                + " (SELECT count(*) FROM jobs t, p WHERE t.project_id = p.id),"
                + " (SELECT count(*) FROM schedules t, p WHERE t.project_id = p.id),"
                + " (SELECT count(*) FROM schedule_fires f JOIN schedules t ON t.id ="
                + " f.schedule_id, p WHERE t.project_id = p.id),"
                + " (SELECT count(*) FROM backfills f JOIN schedules t ON t.id ="
                + " f.schedule_id, p WHERE t.project_id = p.id),"
                + " (SELECT count(*) FROM workflows t, p WHERE t.project_id = p.id),"
                + " (SELECT count(*) FROM bulk_actions t, p WHERE t.project_id = p.id))")
            .formatted(tenant.name));
  }

  private static JsonNode withoutSecret(ApiClient.Answer answer) {
    JsonNode json = answer.json().deepCopy();
    if (json instanceof ObjectNode object) {
      object.remove("secret");
    }
    return json;
  }

  @Test
  void everyCreationTakesAKey() {
    List<String> without = new ArrayList<>();
    Set<String> known =
        described().stream().map(Contract.Operation::id).collect(Collectors.toSet());
    for (Contract.Operation operation : described()) {
      if (!operation.node().path("parameters").findValuesAsText("name").contains("Idempotency-Key")
          || !operation.node().path("responses").has("409")
          || !operation.node().path("responses").has("422")) {
        without.add(operation.id());
      }
    }
    assertEquals(List.of(), without);
    assertTrue(known.containsAll(WORKED_LATER), known.toString());
    assertTrue(known.contains("createUser") && known.contains("addWorkflowJobs"));
  }

  @Test
  void theSameRequestUnderItsKeyIsCarriedOutOnceAndAnotherIsRefused() {
    Tenant tenant = new Tenant(admin);
    for (Operations.Operation operation : creations()) {
      String path = operation.at(p -> tenant.id(operation, p));
      String body = tenant.body(operation);
      String key = operation.id() + " " + tenant.name;
      String before = counts(tenant);
      ApiClient.Answer first = keyed(admin, path, key, body);
      assertTrue(first.status() == 201 || first.status() == 202, operation + first.text());
      assertEquals("", first.header("Idempotent-Replayed"), operation.id());
      String after = counts(tenant);
      assertNotEquals(before, after, operation.id());

      String request = "again-" + operation.id() + "-" + tenant.name;
      ApiClient.Answer again = keyed(admin, path, key, body, request).status(first.status());
      assertEquals("true", again.header("Idempotent-Replayed"), operation.id());
      assertEquals(first.header("Location"), again.header("Location"), operation.id());
      assertEquals(first.header("ETag"), again.header("ETag"), operation.id());
      assertEquals(withoutSecret(first), withoutSecret(again), operation.id());
      assertEquals(
          "0",
          ApiClient.value("SELECT count(*) FROM audit_log WHERE request_id = '" + request + "'"),
          operation.id());
      keyed(admin, path, key, body + " ").problem(422, "idempotency-mismatch");
      assertEquals(after, counts(tenant), operation.id());
    }
  }

  /** Who asks again is judged as he is, and sees what he may see; not as the first one did. */
  @Test
  void anAnswerIsGivenAgainWithTheRightsOfWhoeverAsks() {
    Tenant tenant = new Tenant(admin);
    Tenant elsewhere = new Tenant(admin);
    ApiClient blind = admin.member(tenant.name, "b-" + tenant.name + "@x.org", "admin");
    ApiClient.sql(
        "UPDATE project_members SET payload_visible = false WHERE user_id ="
            + " (SELECT u.id FROM users u WHERE u.email = 'b-%s@x.org')".formatted(tenant.name));
    ApiClient viewer = admin.member(tenant.name, "v-" + tenant.name + "@x.org", "viewer");
    ApiClient outsider = admin.member(elsewhere.name, "o-" + tenant.name + "@x.org", "admin");
    for (Operations.Operation operation : creations()) {
      if (!operation.inProject()) {
        continue;
      }
      String path = operation.at(p -> tenant.id(operation, p));
      String body = withSecret(tenant, operation);
      String key = operation.id() + " " + tenant.name;
      ApiClient.Answer first = keyed(admin, path, key, body);
      String after = counts(tenant);
      ApiClient.Answer again = keyed(blind, path, key, body).status(first.status());
      assertEquals("true", again.header("Idempotent-Replayed"), operation.id());
      assertFalse(again.text().contains(Tenant.SECRET), operation.id());
      for (JsonNode payload : again.json().findValues("payload")) {
        assertTrue(payload.isNull(), operation.id());
      }
      keyed(viewer, path, key, body).problem(403, "forbidden");
      keyed(outsider, path, key, body).problem(404, "not-found");
      // Nor does that change what the first one sees.
      assertEquals(withoutSecret(first), withoutSecret(keyed(admin, path, key, body)));
      assertEquals(after, counts(tenant), operation.id());

      if (SHOWING_PAYLOADS.contains(operation.id())) {
        assertTrue(first.text().contains(Tenant.SECRET), "else this shows nothing");
        String another = withSecret(tenant, operation);
        assertFalse(keyed(blind, path, key + "2", another).text().contains(Tenant.SECRET));
        assertTrue(keyed(admin, path, key + "2", another).text().contains(Tenant.SECRET));
      }
    }
  }

  /** A body that the operation accepts; with a payload where the answer shows one. */
  private static String withSecret(Tenant tenant, Operations.Operation operation) {
    return switch (operation.id()) {
      case "enqueueJob" -> "{\"type\":\"t\",\"payload\":\"" + Tenant.SECRET + "\"}";
      case "createSchedule" ->
          "{\"name\":\"n%s\",\"every\":\"PT1H\",\"job\":{\"type\":\"t\",\"payload\":\"%s\"}}"
              .formatted(UUID.randomUUID(), Tenant.SECRET);
      default -> tenant.body(operation);
    };
  }

  @Test
  void keysOfOneUserMeanNothingToAnother() {
    String email = "p" + UUID.randomUUID() + "@x.org";
    String user = "{\"email\":\"%s\",\"password\":\"%s\",\"platformAdmin\":%s}";
    String id =
        admin
            .post("/api/v1/users", user.formatted(email, ApiClient.PASSWORD, true))
            .status(201)
            .json()
            .path("id")
            .asText();
    ApiClient other = ApiClient.anonymous(base).login(email, ApiClient.PASSWORD);
    String key = UUID.randomUUID().toString();
    String one = user.formatted("q" + UUID.randomUUID() + "@x.org", ApiClient.PASSWORD, false);
    String two = user.formatted("r" + UUID.randomUUID() + "@x.org", ApiClient.PASSWORD, false);
    keyed(admin, "/api/v1/users", key, one).status(201);
    assertEquals(
        "", keyed(other, "/api/v1/users", key, two).status(201).header("Idempotent-Replayed"));
    keyed(admin, "/api/v1/users", key, two).problem(422, "idempotency-mismatch");
    // Other tests count on there being one admin.
    admin.patch("/api/v1/users/" + id, "{\"disabled\":true}").status(200);
  }

  @Test
  void anApiKeyIsShownOnceHoweverOftenItsCreationIsRepeated() {
    String path = admin.project("p" + UUID.randomUUID());
    String body = "{\"name\":\"k\",\"scopes\":[\"read\"]}";
    JsonNode first = keyed(admin, path + "/api-keys", "k", body).status(201).json();
    String secret = first.path("secret").asText();
    assertTrue(secret.startsWith("jsk_"));
    JsonNode again = keyed(admin, path + "/api-keys", "k", body).status(201).json();
    assertEquals(first.path("key"), again.path("key"));
    assertTrue(again.has("secret") && again.path("secret").isNull(), again.toString());
    assertEquals(
        "0",
        ApiClient.value(
            "SELECT count(*) FROM idempotency_keys i WHERE i.answer LIKE '%"
                + secret.substring(8)
                + "%'"));
    admin.withToken(secret).get(path + "/jobs").status(200);
    assertEquals(1, admin.get(path + "/api-keys").json().path("items").size());
  }

  /** A plain hash would let whoever reads the table try passwords by it, fast. */
  @Test
  void ofABodyWithAPasswordNoPlainHashIsStored() {
    String key = UUID.randomUUID().toString();
    String user =
        "{\"email\":\"h%s@x.org\",\"password\":\"%s\"}"
            .formatted(UUID.randomUUID(), ApiClient.PASSWORD);
    keyed(admin, "/api/v1/users", key, user).status(201);
    assertNotEquals(plainHash("/api/v1/users", user), storedHash(key));
    assertEquals("true", keyed(admin, "/api/v1/users", key, user).header("Idempotent-Replayed"));

    String project = "{\"name\":\"h" + UUID.randomUUID() + "\"}";
    String another = UUID.randomUUID().toString();
    keyed(admin, "/api/v1/projects", another, project).status(201);
    assertEquals(plainHash("/api/v1/projects", project), storedHash(another));
  }

  private static String plainHash(String path, String body) {
    return HexFormat.of()
        .formatHex(RequestHash.of("POST " + path, body.getBytes(StandardCharsets.UTF_8)));
  }

  private static String storedHash(String key) {
    return ApiClient.value(
        "SELECT encode(i.request_hash, 'hex') FROM idempotency_keys i WHERE i.key = '" + key + "'");
  }

  @Test
  void aTriggerThatWasRefusedIsJudgedAnewAndOneThatWaitsWaitsOnce() {
    String path = admin.project("p" + UUID.randomUUID());
    admin.post(path + "/schedules", SCHEDULE).status(201);
    String trigger = path + "/schedules/s/trigger";
    String first = keyed(admin, trigger, "1", "").status(201).header("Location");
    assertEquals(first, keyed(admin, trigger, "1", "").status(201).header("Location"));
    String queue = "{\"overlap\":\"queue_one\"}";
    assertEquals(
        keyed(admin, trigger, "2", queue).status(202).text(),
        keyed(admin, trigger, "2", queue).status(202).text());
    keyed(admin, trigger, "3", "{}").problem(409, "conflict");
    assertEquals(
        List.of("skipped", "queued", "fired"),
        admin.get(path + "/schedules/s/fires").json().path("items").findValuesAsText("outcome"));
    keyed(admin, trigger, "3", "{}").problem(409, "conflict");
    assertEquals(
        List.of("skipped", "skipped", "queued", "fired"),
        admin.get(path + "/schedules/s/fires").json().path("items").findValuesAsText("outcome"));
  }

  @Test
  void aRunThatIsNotKeptAnyMoreIsNotRunAgain() {
    String path = admin.project("p" + UUID.randomUUID());
    admin.post(path + "/schedules", SCHEDULE).status(201);
    String trigger = path + "/schedules/s/trigger";
    String made = keyed(admin, trigger, "1", "{}").status(201).header("Location");
    admin.delete(made).status(204);
    keyed(admin, trigger, "1", "{}").problem(409, "conflict");
    assertEquals(0, admin.get(path + "/jobs").json().path("items").size());
  }

  /** The names of two kinds of thing may be that of a project, too. */
  @Test
  void aRunIsFoundAgainWhateverItsProjectIsCalled() {
    String path = "/api/v1/projects/workflows";
    admin.project("workflows");
    admin.post(path + "/schedules", SCHEDULE).status(201);
    ApiClient.Answer first = keyed(admin, path + "/schedules/s/trigger", "1", "{}").status(201);
    assertEquals(
        first.json(), keyed(admin, path + "/schedules/s/trigger", "1", "{}").status(201).json());

    admin.project("jobs");
    admin
        .post(
            "/api/v1/projects/jobs/schedules",
            "{\"name\":\"w\",\"every\":\"P1D\",\"workflow\":{\"name\":\"flow\",\"jobs\":"
                + "[{\"key\":\"a\",\"type\":\"t\"}]}}")
        .status(201);
    String trigger = "/api/v1/projects/jobs/schedules/w/trigger";
    JsonNode flow = keyed(admin, trigger, "1", "{}").status(201).json();
    assertEquals("flow", flow.path("name").asText());
    assertEquals(flow, keyed(admin, trigger, "1", "{}").status(201).json());
  }
}
