package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A key of some queues against every operation: of jobs in other queues no answer tells. */
@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class QueueKeyHttpTest {
  private static final int LEAST_THAT_ANSWER = 7;

  @TestHTTPResource("/")
  URI base;

  private final String mark = "hidden-" + UUID.randomUUID();
  private final List<String> words = new ArrayList<>(List.of(mark));
  private ApiClient admin;
  private Tenant tenant;
  private ApiClient key;
  private String hidden;
  private String visible;
  private String member;

  @BeforeEach
  void makeBothQueues() {
    admin = ApiClient.admin(base);
    tenant = new Tenant(admin);
    admin.put(tenant.path + "/queues/" + mark, "{}").status(201);
    // Numbers that stand for nothing else.
    ApiClient.sql(
        "SELECT setval('job_id_seq', (SELECT last_value FROM job_id_seq) + "
            + ThreadLocalRandom.current().nextLong(1_000_000_000L, 2_000_000_000L)
            + ")");
    String queue = tenant.value("queue");
    hidden = job("{\"type\":\"%1$s\",\"queue\":\"%1$s\"}".formatted(mark));
    String ended = job("{\"type\":\"%1$s\",\"queue\":\"%1$s\"}".formatted(mark));
    admin.post(tenant.path + "/jobs/" + ended + "/cancel", "{}").status(200);
    words.add(hidden);
    words.add(ended);
    visible =
        job(
            "{\"type\":\"t\",\"queue\":\"%s\",\"dependsOn\":[\"%s\",{\"job\":\"%s\",\"on\":\"done\"}]}"
                .formatted(queue, hidden, ended));
    // One that ends with its parent, whose name stands in the reason.
    job("{\"type\":\"t\",\"queue\":\"%s\",\"dependsOn\":[\"%s\"]}".formatted(queue, ended));
    ApiClient.sql("SELECT release_pending(100)");
    String workflow =
        admin
            .post(
                tenant.path + "/workflows",
                ("{\"name\":\"w\",\"jobs\":[{\"key\":\"%1$s\",\"type\":\"t\",\"queue\":\"%1$s\"},"
                        + "{\"key\":\"seen\",\"type\":\"t\",\"queue\":\"%2$s\",\"dependsOn\":[\"%1$s\"]}]}")
                    .formatted(mark, queue))
            .status(201)
            .header("Location");
    words.add(admin.get(workflow + "/jobs/" + mark).status(200).json().path("id").asText());
    member = admin.get(workflow + "/jobs/seen").status(200).json().path("id").asText();
    key =
        ApiClient.anonymous(base)
            .withToken(
                admin
                    .post(
                        tenant.path + "/api-keys",
                        ("{\"name\":\"k\",\"payloadVisible\":true,\"queues\":[\"%s\"],"
                                + "\"scopes\":[\"enqueue\",\"read\",\"operate\",\"lease\"]}")
                            .formatted(queue))
                    .status(201)
                    .json()
                    .path("secret")
                    .asText());
  }

  private String job(String body) {
    return admin.post(tenant.path + "/jobs", body).status(201).json().path("id").asText();
  }

  private ApiClient.Answer read(Operations.Operation operation, String job) {
    return key.get(operation.at(p -> p.equals("job") ? job : tenant.id(operation, p)));
  }

  @Test
  void noReadingOperationTellsOfJobsInOtherQueues() {
    List<String> failures = new ArrayList<>();
    int answered = 0;
    for (Operations.Operation operation : Operations.all()) {
      if (operation.changes() || !operation.inProject()) {
        continue;
      }
      List<String> jobs = operation.ids().contains("job") ? List.of(visible, member) : List.of("");
      for (String job : jobs) {
        ApiClient.Answer answer = read(operation, job);
        answered += answer.status() == 200 ? 1 : 0;
        for (String word : words) {
          if (answer.status() >= 500 || answer.text().contains(word)) {
            failures.add(operation + " tells " + word + ": " + answer.status() + answer.text());
          }
        }
      }
    }
    assertEquals("", String.join("\n", failures));
    assertTrue(answered >= LEAST_THAT_ANSWER, "only " + answered + " operations answered");
    // Where a queue or a type may be named, naming one finds nothing.
    for (String query : List.of("?queue=" + mark, "?type=" + mark, "?state=skipped&limit=200")) {
      String list = key.get(tenant.path + "/jobs" + query).status(200).text();
      assertTrue(words.stream().noneMatch(list::contains), list);
    }
    JsonNode waits = key.get(tenant.path + "/jobs/" + visible).json().path("dependsOn");
    assertEquals(2, waits.size(), "that it waits is told");
    assertTrue(waits.path(0).path("job").isNull() && waits.path(0).path("key").isNull());
    assertEquals("done", waits.path(1).path("on").asText());
    assertEquals(
        hidden,
        admin
            .get(tenant.path + "/jobs/" + visible)
            .json()
            .path("dependsOn")
            .path(0)
            .path("job")
            .asText());
  }

  @Test
  void noOperationReachesAJobInAnotherQueue() {
    List<String> failures = new ArrayList<>();
    for (Operations.Operation operation : Operations.all()) {
      if (operation.inProject() && operation.ids().contains("job")) {
        ApiClient.Answer answer =
            key.send(
                Tenant.request(
                    key,
                    operation,
                    operation.at(p -> p.equals("job") ? hidden : tenant.id(operation, p)),
                    tenant.body(operation)));
        if (answer.status() != 404 && answer.status() != 403) {
          failures.add(operation + ": " + answer.status() + answer.text());
        }
      }
    }
    assertEquals("", String.join("\n", failures));
  }
}
