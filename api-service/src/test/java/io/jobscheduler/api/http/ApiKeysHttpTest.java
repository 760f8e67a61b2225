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
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class ApiKeysHttpTest {
  private static final String ME = "/api/v1/auth/me";
  private static final String JOB = "{\"type\":\"echo\",\"payload\":{\"secret\":1}}";

  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;

  @BeforeEach
  void login() {
    admin = ApiClient.admin(base);
  }

  private JsonNode make(String path, String scopes, String more) {
    return admin
        .post(path + "/api-keys", "{\"name\":\"test\",\"scopes\":[%s]%s}".formatted(scopes, more))
        .status(201)
        .json();
  }

  private ApiClient key(String path, String scopes, String more) {
    return admin.withToken(make(path, scopes, more).path("secret").asText());
  }

  private static String enqueue(ApiClient client, String path, String queue) {
    return client
        .post(path + "/jobs", JOB.replace("}}", "},\"queue\":\"" + queue + "\"}"))
        .status(201)
        .json()
        .path("id")
        .asText();
  }

  private static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(item -> texts.add(item.asText()));
    return texts;
  }

  @Test
  void aKeyIsShownOnceAndStoredAsAHash() {
    String path = admin.project("key-once");
    JsonNode made = make(path, "\"read\"", "");
    String secret = made.path("secret").asText();
    assertTrue(secret.startsWith("jsk_"), "recognisable");
    assertEquals(secret.substring(0, 8), made.path("key").path("hint").asText());
    assertEquals("admin@localhost", made.path("key").path("createdBy").asText());
    String listed = admin.get(path + "/api-keys").status(200).text();
    assertTrue(listed.contains(made.path("key").path("id").asText()));
    assertFalse(listed.contains(secret.substring(8)), "shown once only");
    assertEquals(
        "0",
        ApiClient.value(
            "SELECT count(*) FROM api_keys k WHERE k::text LIKE '%" + secret.substring(8) + "%'"));
  }

  @Test
  void eachScopeOpensWhatTheMatrixSays() {
    String path = admin.project("key-scopes");
    String job = enqueue(admin, path, "default");
    ApiClient enqueue = key(path, "\"enqueue\"", "");
    ApiClient read = key(path, "\"read\"", "");
    ApiClient operate = key(path, "\"operate\"", "");
    ApiClient lease = key(path, "\"lease\"", "");

    enqueue.post(path + "/jobs", JOB).status(201);
    enqueue.get(path + "/jobs/" + job).problem(403, "forbidden");
    enqueue.post(path + "/jobs/" + job + "/cancel", "{}").problem(403, "forbidden");
    read.get(path + "/jobs/" + job).status(200);
    read.get(path + "/queues").status(200);
    read.get(path + "/schedules").status(200);
    read.post(path + "/jobs", JOB).problem(403, "forbidden");
    read.post(path + "/queues/default/pause", "{\"reason\":\"x\"}").problem(403, "forbidden");
    lease.get(path + "/jobs/" + job).status(200);
    lease.post(path + "/jobs", JOB).problem(403, "forbidden");
    operate.post(path + "/queues/default/pause", "{\"reason\":\"x\"}").status(200);
    assertEquals(
        "key:test",
        operate.get(path + "/queues/default").status(200).json().path("paused").path("by").asText(),
        "the actor is named");
    operate.post(path + "/jobs/" + job + "/cancel", "{}").status(200);
    for (ApiClient any : List.of(enqueue, read, operate, lease)) {
      any.get(path + "/members").problem(403, "forbidden");
      any.post(path + "/api-keys", "{}").problem(403, "forbidden");
      any.get("/api/v1/users").problem(403, "forbidden");
      any.get("/api/v1/projects").problem(403, "forbidden");
      any.get("/api/v1/projects/default/jobs").problem(404, "not-found");
    }
  }

  @Test
  void meSaysWhatAKeyMay() {
    String path = admin.project("key-me");
    JsonNode me = key(path, "\"enqueue\"", "").get(ME).status(200).json();
    assertEquals("key", me.path("kind").asText());
    assertEquals("key-me", me.path("projects").path(0).path("project").asText());
    assertEquals(
        List.of("project:read", "jobs:enqueue", "workflows:submit"),
        texts(me.path("projects").path(0).path("actions")));
    assertFalse(me.path("projects").path(0).path("payloadVisible").asBoolean());
  }

  @Test
  void payloadsAreShownOnlyToAKeyThatMaySeeThem() {
    String path = admin.project("key-payload");
    String job = enqueue(admin, path, "default");
    assertFalse(key(path, "\"read\"", "").get(path + "/jobs/" + job).text().contains("secret"));
    assertTrue(
        key(path, "\"read\"", ",\"payloadVisible\":true")
            .get(path + "/jobs/" + job)
            .text()
            .contains("secret"));
    ApiClient blind = admin.member("key-payload", "blind@example.org", "admin");
    ApiClient.sql(
        "UPDATE project_members SET payload_visible = false WHERE user_id ="
            + " (SELECT id FROM users WHERE email = 'blind@example.org')");
    blind
        .post(path + "/api-keys", "{\"name\":\"x\",\"scopes\":[\"read\"],\"payloadVisible\":true}")
        .problem(403, "forbidden");
  }

  @Test
  void aKeyOfSomeQueuesReachesNothingElse() {
    String path = admin.project("key-queues");
    for (String queue : List.of("mail-a", "mail-b", "mailxa", "bills")) {
      admin.put(path + "/queues/" + queue, "{}").status(201);
    }
    String mail = enqueue(admin, path, "mail-a");
    String bill = enqueue(admin, path, "bills");
    ApiClient key =
        key(path, "\"enqueue\",\"read\",\"operate\"", ",\"queues\":[\"mail-*\",\"nothing_\"]");

    enqueue(key, path, "mail-b");
    for (String other : List.of("bills", "mailxa", "default", "unknown")) {
      key.post(path + "/jobs", JOB.replace("}}", "},\"queue\":\"" + other + "\"}"))
          .problem(403, "forbidden");
    }
    key.post(
            path + "/jobs/bulk",
            "[{\"type\":\"echo\",\"queue\":\"mail-a\"},{\"type\":\"echo\",\"queue\":\"bills\"}]")
        .problem(403, "forbidden");
    JsonNode page = key.get(path + "/jobs").status(200).json();
    assertEquals(2, page.path("items").size());
    assertEquals(2, page.path("count").path("value").asInt());
    assertEquals(0, key.get(path + "/jobs?queue=bills").json().path("items").size());
    assertEquals(1, key.get(path + "/jobs?queue=mail-a").json().path("items").size());
    key.get(path + "/jobs/" + mail).status(200);
    for (String under : List.of("", "/attempts", "/logs")) {
      key.get(path + "/jobs/" + bill + under).problem(404, "not-found");
    }
    for (String action : List.of("cancel", "retry", "run-now")) {
      key.post(path + "/jobs/" + bill + "/" + action, "{}").problem(404, "not-found");
    }
    assertEquals("ready", admin.get(path + "/jobs/" + bill).json().path("state").asText());
    key.post(path + "/jobs/" + mail + "/cancel", "{}").status(200);

    assertEquals(
        List.of("mail-a", "mail-b"),
        key.get(path + "/queues").json().path("items").findValuesAsText("name"));
    assertEquals(2, key.get(path + "/queues").json().path("count").path("value").asInt());
    key.get(path + "/queues/bills").problem(404, "not-found");
    key.post(path + "/queues/bills/pause", "{\"reason\":\"x\"}").problem(404, "not-found");
    key.post(path + "/queues/mail-a/pause", "{\"reason\":\"x\"}").status(200);
    // What cannot be narrowed to queues is closed.
    for (String wide : List.of("/stats", "/workflows", "/schedules", "/dead-letters", "/workers")) {
      key.get(path + wide).problem(403, "forbidden");
    }
    assertEquals(
        List.of("mail-a", "mail-b"),
        texts(key.get(ME).json().path("projects").path(0).path("queues")));
  }

  /** A unique key is one of the project, so it could show or end what a key does not reach. */
  @Test
  void aUniqueKeyShowsAndReplacesNothingThatAKeyDoesNotReach() {
    String path = admin.project("key-unique");
    admin.put(path + "/queues/mail", "{}").status(201);
    String unique =
        "{\"type\":\"echo\",\"queue\":\"%s\",\"payload\":{\"secret\":1},"
            + "\"unique\":{\"key\":\"%s\",\"until\":\"finished\",\"onConflict\":\"%s\"}}";
    String held =
        admin
            .post(path + "/jobs", unique.formatted("default", "k", "return"))
            .status(201)
            .json()
            .path("id")
            .asText();
    ApiClient key = key(path, "\"enqueue\"", ",\"queues\":[\"mail\"],\"payloadVisible\":true");
    key.post(path + "/jobs", unique.formatted("mail", "k", "return")).problem(409, "conflict");
    key.post(path + "/jobs", unique.formatted("mail", "k", "replace")).problem(403, "forbidden");
    assertEquals("ready", admin.get(path + "/jobs/" + held).json().path("state").asText());
    key.post(path + "/jobs", unique.formatted("mail", "mine", "return")).status(201);
    ApiClient.Answer again =
        key.post(path + "/jobs", unique.formatted("mail", "mine", "return")).status(200);
    assertFalse(again.text().contains("secret"), "the scope enqueue reads no payload");
  }

  private static ApiClient.Answer keyed(ApiClient as, String path, String body) {
    return as.send(
        as.request(path)
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", "k")
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  /** Whoever was answered first, the next one is shown what it may see itself. */
  @Test
  void anAnswerGivenAgainShowsWhatItsCallerMaySee() {
    String path = admin.project("key-replays");
    admin.put(path + "/queues/mail", "{}").status(201);
    String holder =
        admin
            .post(
                path + "/jobs",
                "{\"type\":\"echo\",\"payload\":{\"secret\":1},\"unique\":{\"key\":\"u\"}}")
            .status(201)
            .json()
            .path("id")
            .asText();
    String same = "{\"type\":\"other\",\"unique\":{\"key\":\"u\"}}";
    assertTrue(keyed(admin, path + "/jobs", same).status(200).text().contains("secret"));
    ApiClient.sql(
        "UPDATE jobs SET state = 'running', lease_token = 987654, worker_id = 1, attempt = 1 WHERE id = "
            + holder);
    ApiClient.Answer again = keyed(admin, path + "/jobs", same).status(200);
    assertEquals("true", again.header("Idempotent-Replayed"));
    assertTrue(again.text().contains("987654"));
    again = keyed(key(path, "\"enqueue\"", ""), path + "/jobs", same).status(200);
    assertEquals(holder, again.json().path("job").path("id").asText());
    assertFalse(again.text().contains("secret") || again.text().contains("987654"), again.text());
    keyed(key(path, "\"enqueue\"", ",\"queues\":[\"mail\"]"), path + "/jobs", same)
        .problem(403, "forbidden");
    assertEquals(1, admin.get(path + "/jobs").json().path("count").path("value").asInt());
  }

  @Test
  void ofJobsInOtherQueuesAKeyLearnsNothingByEnqueuing() {
    String path = admin.project("key-unreached");
    admin.put(path + "/queues/mail", "{}").status(201);
    String held =
        admin
            .post(path + "/jobs", "{\"type\":\"echo\",\"unique\":{\"key\":\"u\"}}")
            .status(201)
            .json()
            .path("id")
            .asText();
    ApiClient key = key(path, "\"enqueue\"", ",\"queues\":[\"mail\"]");
    String needy = "{\"type\":\"echo\",\"queue\":\"mail\",\"dependsOn\":[\"" + held + "\"]}";
    for (String parent : List.of(held, "999999999")) {
      ApiClient.Answer unknown =
          key.post(path + "/jobs", needy.replace("\"" + held + "\"", "\"" + parent + "\""));
      unknown.problem(422, "validation-failed");
      assertEquals(List.of("/dependsOn/0"), unknown.pointers());
    }
    keyed(admin, path + "/jobs", needy).status(201);
    keyed(key, path + "/jobs", needy).problem(422, "validation-failed");

    String twin = "{\"type\":\"echo\",\"queue\":\"mail\",\"unique\":{\"key\":\"u\"}}";
    String bulk = "[" + twin + "]";
    for (int i = 0; i < 2; i++) {
      JsonNode item = key.post(path + "/jobs/bulk", bulk).status(201).json().path("items").path(0);
      assertTrue(item.path("duplicate").asBoolean());
      assertTrue(item.path("id").isNull() && item.path("state").isNull(), item.toString());
    }
    String reject = twin.replace("\"u\"}", "\"u\",\"onConflict\":\"reject\"}");
    for (ApiClient.Answer answer :
        List.of(
            key.post(path + "/jobs", reject), key.post(path + "/jobs/bulk", "[" + reject + "]"))) {
      answer.problem(409, "conflict");
      assertTrue(answer.text().contains("Another job holds"), answer.text());
    }
    // By the line, first and again; another caller's answer too.
    String line = twin.replace("{\"type\"", "{\"idempotencyKey\":\"%s\",\"type\"");
    assertTrue(lines(admin, path, line.formatted("a")).contains("\"id\":\"" + held + "\""));
    for (String id : List.of("a", "b", "b")) {
      String text = lines(key, path, line.formatted(id));
      assertTrue(text.contains("\"duplicate\":true"), text);
      assertFalse(text.contains("\"id\"") || text.contains("\"state\""), text);
    }
    assertTrue(lines(admin, path, line.formatted("b")).contains("\"id\":\"" + held + "\""));
    String refused = lines(key, path, reject);
    assertTrue(refused.contains("Another job holds"), refused);
    assertTrue(lines(key, path, needy).contains("\"status\":422"));
  }

  private static String lines(ApiClient as, String path, String line) {
    return as.send(
            as.request(path + "/jobs/bulk")
                .header("Content-Type", "application/x-ndjson")
                .POST(HttpRequest.BodyPublishers.ofString(line)))
        .status(200)
        .text();
  }

  @Test
  void aKeyThatEndedIsRefusedAtOnce() {
    String path = admin.project("key-ends");
    JsonNode made = make(path, "\"read\"", "");
    String id = made.path("key").path("id").asText();
    ApiClient key = admin.withToken(made.path("secret").asText());
    key.get(path + "/jobs").status(200);
    String other = admin.project("key-ends-2");
    admin.delete(other + "/api-keys/" + id).problem(404, "not-found");
    key.get(path + "/jobs").status(200);
    admin.delete(path + "/api-keys/" + id).status(204);
    key.get(path + "/jobs").problem(401, "unauthorized");
    key.get(ME).problem(401, "unauthorized");
    admin.delete(path + "/api-keys/" + id).problem(404, "not-found");

    ApiClient expired = key(path, "\"read\"", ",\"expiresAt\":\"2020-01-01T00:00:00Z\"");
    expired.get(path + "/jobs").problem(401, "unauthorized");
    String secret = made.path("secret").asText();
    for (String wrong : List.of(secret + "x", secret.substring(0, 20), "jsk_", "jsk_x.y.z")) {
      admin.withToken(wrong).get(ME).problem(401, "unauthorized");
    }
  }

  @Test
  void lastUseIsNotedAtMostOnceAMinute() {
    String path = admin.project("key-used");
    JsonNode made = make(path, "\"read\"", "");
    ApiClient key = admin.withToken(made.path("secret").asText());
    String version =
        "SELECT xmin::text || ' ' || coalesce(last_used_at::text, '-') FROM api_keys WHERE id = "
            + made.path("key").path("id").asText();
    String unused = ApiClient.value(version);
    assertTrue(unused.endsWith("-"), unused);
    key.get(path + "/jobs").status(200);
    String once = ApiClient.value(version);
    assertFalse(once.endsWith("-"), once);
    for (int i = 0; i < 5; i++) {
      key.get(path + "/jobs").status(200);
    }
    assertEquals(once, ApiClient.value(version), "not one more version of the row");
    ApiClient.sql("UPDATE api_keys SET last_used_at = last_used_at - interval '61 s'");
    String old = ApiClient.value(version);
    key.get(path + "/jobs").status(200);
    assertFalse(old.equals(ApiClient.value(version)));
  }

  @Test
  void saysWhatIsWrongWithARequest() {
    String path = admin.project("key-wrong");
    assertEquals(
        List.of("/name", "/scopes"),
        admin.post(path + "/api-keys", "{}").problem(422, "validation-failed").pointers());
    assertEquals(
        List.of("/scopes/1", "/queues/0", "/expiresAt"),
        admin
            .post(
                path + "/api-keys",
                "{\"name\":\"x\",\"scopes\":[\"read\",\"root\"],\"queues\":[\"a/b\"],"
                    + "\"expiresAt\":\"soon\"}")
            .problem(422, "validation-failed")
            .pointers());
    admin
        .post(path + "/api-keys", "{\"name\":\"x\",\"scopes\":[\"read\"],\"queues\":[]}")
        .problem(422, "validation-failed");
  }
}
