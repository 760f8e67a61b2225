package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.jobscheduler.schema.testing.Role;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.net.http.HttpRequest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Idempotency-Key and unique, over HTTP. */
@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class EnqueueOnceHttpTest {
  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private String project;

  @BeforeEach
  void makeProject() {
    admin = ApiClient.admin(base);
    project = admin.project("p" + UUID.randomUUID());
  }

  private ApiClient.Answer keyed(String path, String key, String body) {
    return admin.send(
        admin
            .request(path)
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", key)
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  private int count() {
    return admin.get(project + "/jobs").json().path("count").path("value").asInt();
  }

  private static String job(String unique) {
    return "{\"type\":\"t\",\"payload\":{\"n\":1e2},\"unique\":{" + unique + "}}";
  }

  @Test
  void theSameKeyWithTheSameBodyGetsTheFirstAnswerAgain() {
    String body = "{\"type\":\"t\",\"payload\":{\"payload\": null, \"d\":1.0}}";
    ApiClient.Answer first = keyed(project + "/jobs", "k 1", body).status(201);
    assertEquals("", first.header("Idempotent-Replayed"));
    assertEquals(first.json(), admin.get(first.header("Location")).json());
    ApiClient.Answer again = keyed(project + "/jobs", "k 1", body).status(201);
    assertEquals(first.text(), again.text());
    assertEquals(first.header("Location"), again.header("Location"));
    assertEquals("true", again.header("Idempotent-Replayed"));
    assertEquals(1, count());
  }

  @Test
  void theSameKeyWithAnotherRequestIsRefused() {
    keyed(project + "/jobs", "k", "{\"type\":\"t\"}").status(201);
    keyed(project + "/jobs", "k", "{\"type\":\"u\"}").problem(422, "idempotency-mismatch");
    keyed(project + "/jobs/bulk", "k", "[{\"type\":\"t\"}]").problem(422, "idempotency-mismatch");
    assertEquals(1, count());
  }

  @Test
  void keysOfOneProjectMeanNothingInAnother() {
    String other = admin.project("q" + UUID.randomUUID());
    String first =
        keyed(project + "/jobs", "k", "{\"type\":\"t\"}").status(201).json().path("id").asText();
    ApiClient.Answer second = keyed(other + "/jobs", "k", "{\"type\":\"u\"}").status(201);
    assertNotEquals(first, second.json().path("id").asText());
    assertEquals("", second.header("Idempotent-Replayed"));
  }

  @Test
  void whatWasRefusedIsJudgedAnew() {
    keyed(project + "/jobs", "k", "{\"type\":\"t\",\"queue\":\"later\"}")
        .problem(422, "validation-failed");
    admin.put(project + "/queues/later", "{}").status(201);
    keyed(project + "/jobs", "k", "{\"type\":\"t\",\"queue\":\"later\"}").status(201);
  }

  @Test
  void anUnusableKeyIsRefused() {
    keyed(project + "/jobs", "x".repeat(256), "{\"type\":\"t\"}").problem(400, "bad-request");
    keyed(project + "/jobs", "x".repeat(255), "{\"type\":\"t\"}").status(201);
  }

  /** Sealing the audit log holds (6, 0): no key's hash may meet it. */
  @Test
  void keysHaveTheirOwnClassOfLocks() throws Exception {
    String id =
        ApiClient.value(
            "SELECT id FROM projects WHERE name = '"
                + project.substring(project.lastIndexOf('/') + 1)
                + "'");
    try (Connection owner =
            DriverManager.getConnection(
                System.getProperty(ApiDatabase.URL),
                Role.OWNER.databaseName(),
                Role.OWNER.password());
        Statement statement = owner.createStatement()) {
      statement.execute("SELECT pg_advisory_lock(6, hashtext('" + id + " 0 k'))");
      keyed(project + "/jobs", "k", "{\"type\":\"t\"}").status(201);
      statement.execute("SELECT pg_advisory_lock(7, hashtext('" + id + " 0 l'))");
      keyed(project + "/jobs", "l", "{\"type\":\"t\"}").problem(409, "in-flight");
    }
  }

  @Test
  void bulkIsRepeatedAsAWhole() {
    String body = "[{\"type\":\"a\"},{\"type\":\"b\"}]";
    ApiClient.Answer first = keyed(project + "/jobs/bulk", "k", body).status(201);
    assertEquals(first.text(), keyed(project + "/jobs/bulk", "k", body).status(201).text());
    assertEquals(2, count());
  }

  @Test
  void fiftyAtOnceMakeOneJobAndEachHearsOfIt() throws Exception {
    for (int round = 0; round < 5; round++) {
      String key = "k" + round;
      List<Callable<ApiClient.Answer>> calls = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        calls.add(() -> keyed(project + "/jobs", key, "{\"type\":\"t\"}"));
      }
      Set<String> ids = new HashSet<>();
      for (ApiClient.Answer answer : all(calls)) {
        if (answer.status() == 409) {
          answer.problem(409, "in-flight");
          assertEquals("1", answer.header("Retry-After"));
        } else {
          ids.add(answer.status(201).json().path("id").asText());
        }
      }
      assertEquals(1, ids.size());
      assertTrue(
          ids.contains(
              keyed(project + "/jobs", key, "{\"type\":\"t\"}").json().path("id").asText()));
      assertEquals(round + 1, count());
    }
  }

  private static List<ApiClient.Answer> all(List<Callable<ApiClient.Answer>> calls)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(25);
    try {
      List<ApiClient.Answer> answers = new ArrayList<>();
      for (Future<ApiClient.Answer> answer : threads.invokeAll(calls)) {
        answers.add(answer.get());
      }
      return answers;
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void aDuplicateAnswersTheJobThatHoldsTheKey() {
    ApiClient.Answer first = admin.post(project + "/jobs", job("\"key\":\"K\"")).status(201);
    assertEquals("K", first.json().path("unique").path("key").asText());
    assertEquals("finished", first.json().path("unique").path("until").asText());
    JsonNode duplicate =
        admin
            .post(project + "/jobs", "{\"type\":\"other\",\"unique\":{\"key\":\"K\"}}")
            .status(200)
            .json();
    assertTrue(duplicate.path("duplicate").asBoolean());
    assertEquals(first.json(), duplicate.path("job"));
    String other = admin.project("q" + UUID.randomUUID());
    admin.post(other + "/jobs", job("\"key\":\"K\"")).status(201);

    admin
        .post(project + "/jobs", job("\"key\":\"K\",\"onConflict\":\"reject\""))
        .problem(409, "conflict");
    ApiClient.Answer newer =
        admin.post(project + "/jobs", job("\"key\":\"K\",\"onConflict\":\"replace\"")).status(201);
    JsonNode replaced = admin.get(first.header("Location")).json();
    assertEquals("cancelled", replaced.path("state").asText());
    assertEquals("replaced", replaced.path("stateReason").asText());

    // The one that was replaced comes back only once its key is free.
    admin.post(first.header("Location") + "/retry", "").problem(409, "conflict");
    admin.post(newer.header("Location") + "/cancel", "").status(200);
    admin.post(first.header("Location") + "/retry", "").status(200);
    assertEquals(
        first.json().path("id").asText(),
        admin
            .post(project + "/jobs", job("\"key\":\"K\""))
            .status(200)
            .json()
            .path("job")
            .path("id")
            .asText());
  }

  @Test
  void fieldsAreComparedByValue() {
    String unique = "\"fields\":[\"type\",\"payload.customer\"]";
    String body = "{\"type\":\"t\",\"payload\":%s,\"unique\":{" + unique + "}}";
    admin
        .post(project + "/jobs", body.formatted("{\"customer\":{\"a\":1,\"b\":\"é\"}}"))
        .status(201);
    admin
        .post(
            project + "/jobs",
            body.formatted("{\"x\":1, \"customer\": {\"b\":\"\\u00e9\", \"a\" : 1}}"))
        .status(200);
    admin.post(project + "/jobs", body.formatted("{\"customer\":{\"a\":1.0}}")).status(201);
    admin.post(project + "/jobs", body.formatted("{\"customer\":null}")).status(201);
    admin.post(project + "/jobs", body.formatted("{}")).status(201);
    admin.post(project + "/jobs", body.formatted("[]")).status(200);
  }

  @Test
  void inBulkEachJobHasItsVerdict() {
    String held = admin.post(project + "/jobs", job("\"key\":\"K\"")).json().path("id").asText();
    List<String> jobs = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      jobs.add(
          i % 400 == 7
              ? job("\"key\":\"K\"")
              : i % 300 == 5 ? job("\"key\":\"L\"") : "{\"type\":\"t\"}");
    }
    JsonNode items =
        admin
            .post(project + "/jobs/bulk", "[" + String.join(",", jobs) + "]")
            .status(201)
            .json()
            .path("items");
    Set<String> ids = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      JsonNode item = items.path(i);
      assertEquals(
          i % 400 == 7 || (i % 300 == 5 && i > 5), item.path("duplicate").asBoolean(), "" + i);
      if (i % 400 == 7) {
        assertEquals(held, item.path("id").asText());
      } else if (i % 300 == 5) {
        assertEquals(items.path(5).path("id").asText(), item.path("id").asText());
      } else {
        assertTrue(ids.add(item.path("id").asText()));
      }
    }
    ApiClient.Answer refused =
        admin.post(
            project + "/jobs/bulk",
            "[{\"type\":\"t\"}," + job("\"key\":\"K\",\"onConflict\":\"reject\"") + "]");
    refused.problem(409, "conflict");
    assertEquals(List.of("/1/unique"), refused.pointers());
  }

  @Test
  void whatACallerCannotMeanIsNamed() {
    for (String bad :
        List.of(
            "",
            "\"key\":\"\"",
            "\"key\":\"k\",\"fields\":[\"type\"]",
            "\"fields\":[\"type\",\"type\"]",
            "\"fields\":[\"name\"]",
            "\"key\":\"k\",\"until\":\"window\"",
            "\"key\":\"k\",\"window\":\"PT1H\"",
            "\"key\":\"k\",\"until\":\"window\",\"window\":\"PT0S\"",
            "\"key\":\"k\",\"onConflict\":\"ignore\"")) {
      ApiClient.Answer answer = admin.post(project + "/jobs", job(bad));
      answer.problem(422, "validation-failed");
      assertTrue(answer.pointers().get(0).startsWith("/unique"), answer.text());
    }
    assertFalse(admin.get(project + "/jobs").json().path("items").elements().hasNext());
  }

  @Test
  void labelsAndTraceComeBackAsTheyWereGiven() {
    String trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    String body =
        "{\"type\":\"t\",\"tags\":[\"b\",\"a.1\",\"b\"],\"metadata\":{\"n\": 1E+2, \"a\":[]}}";
    ApiClient.Answer posted =
        admin.send(
            admin
                .request(project + "/jobs")
                .header("Content-Type", "application/json")
                .header("traceparent", trace)
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    JsonNode job = posted.status(201).json();
    assertEquals("[\"a.1\",\"b\"]", job.path("tags").toString());
    assertTrue(posted.text().contains("\"metadata\":{\"n\": 1E+2, \"a\":[]}"), posted.text());
    assertEquals(trace, job.path("traceparent").asText());
    assertEquals(posted.text(), admin.get(posted.header("Location")).text());

    admin.post(posted.header("Location") + "/cancel", "").status(200);
    assertEquals(trace, admin.get(posted.header("Location")).json().path("traceparent").asText());
    JsonNode plain = admin.post(project + "/jobs", "{\"type\":\"t\"}").status(201).json();
    assertEquals("[]", plain.path("tags").toString());
    assertTrue(plain.path("metadata").isNull() && plain.path("traceparent").isNull());
    for (String bad :
        List.of(
            "\"tags\":[\"\"]",
            "\"tags\":[\"a b\"]",
            "\"tags\":\"a\"",
            "\"tags\":[" + "\"a\",".repeat(20) + "\"b\"]",
            "\"metadata\":[]",
            "\"metadata\":\"x\"")) {
      admin
          .post(project + "/jobs", "{\"type\":\"t\"," + bad + "}")
          .problem(422, "validation-failed");
    }
    admin
        .post(
            project + "/jobs",
            "{\"type\":\"t\",\"metadata\":{\"x\":\"" + "x".repeat(16 * 1024) + "\"}}")
        .problem(413, "payload-too-large");
  }

  @Test
  void whateverIsCreatedIsCreatedOnce() {
    String workflow = "{\"name\":\"w\",\"jobs\":[{\"key\":\"a\",\"type\":\"t\"}]}";
    String schedule = "{\"name\":\"s\",\"every\":\"PT1H\",\"job\":{\"type\":\"t\"}}";
    String name = "{\"name\":\"o" + UUID.randomUUID() + "\"}";
    for (List<String> it :
        List.of(
            List.of(project + "/workflows", workflow),
            List.of(project + "/schedules", schedule),
            List.of("/api/v1/projects", name))) {
      String key = "once " + it.get(0);
      ApiClient.Answer first = keyed(it.get(0), key, it.get(1)).status(201);
      ApiClient.Answer again = keyed(it.get(0), key, it.get(1)).status(201);
      assertEquals(first.text(), again.text());
      assertEquals(first.header("Location"), again.header("Location"));
      assertEquals("true", again.header("Idempotent-Replayed"));
      keyed(it.get(0), key, it.get(1) + " ").problem(422, "idempotency-mismatch");
    }
    assertEquals(1, admin.get(project + "/workflows").json().path("count").path("value").asInt());
    // What was undone leaves no record, and the next one is judged anew.
    String unknown = workflow.replace("\"t\"", "\"t\",\"queue\":\"later\"");
    keyed(project + "/workflows", "later", unknown).problem(422, "validation-failed");
    admin.put(project + "/queues/later", "{}").status(201);
    keyed(project + "/workflows", "later", unknown).status(201);
  }
}
