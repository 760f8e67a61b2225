package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class QueuesHttpTest {
  private static final String ALL =
      """
      {"weight":2,"maxConcurrency":10,"perKeyConcurrency":1,
       "rateLimit":{"limit":100,"period":"PT1M"},"maxDepth":1000,"aging":"PT1M",
       "retry":{"strategy":"fixed","base":"PT5S"},"timeout":"PT10M","retention":{"finished":"P1D","dead":null}}
      """;

  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private String name;
  private String project;
  private String queue;

  @BeforeEach
  void makeProject() {
    admin = ApiClient.admin(base);
    name = "p" + UUID.randomUUID();
    project = admin.project(name);
    queue = project + "/queues/mail";
  }

  @Test
  void whatIsPutComesBackAndAPatchChangesOnlyWhatItNames() {
    JsonNode made = admin.put(queue, ALL).status(201).json();
    assertEquals(100, made.path("rateLimit").path("burst").asInt(), "the limit by default");
    assertEquals("PT1M", made.path("rateLimit").path("period").asText());
    assertEquals("PT1M", made.path("aging").asText());
    assertEquals("PT10M", made.path("timeout").asText());
    assertEquals("fixed", made.path("retry").path("strategy").asText());
    assertEquals("P1D", made.path("retention").path("finished").asText());
    assertTrue(made.path("retention").path("dead").isMissingNode(), made.toString());

    JsonNode patched =
        admin.patch(queue, "{\"maxConcurrency\":null,\"weight\":7}").status(200).json();
    assertTrue(patched.path("maxConcurrency").isNull());
    assertEquals(7, patched.path("weight").asInt());
    assertEquals(made.path("rateLimit"), patched.path("rateLimit"));

    JsonNode replaced = admin.put(queue, "{}").status(200).json();
    assertTrue(replaced.path("rateLimit").isNull());
    assertEquals("P7D", replaced.path("retention").path("finished").asText());
    admin.patch(project + "/queues/none", "{}").status(404);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"maxConcurrency\":-1}|/maxConcurrency",
        "{\"maxConcurrency\":2147483648}|/maxConcurrency",
        "{\"maxConcurrency\":\"5\"}|/maxConcurrency",
        "{\"maxConcurrency\":1.5}|/maxConcurrency",
        "{\"perKeyConcurrency\":0}|/perKeyConcurrency",
        "{\"rateLimit\":{\"limit\":5}}|/rateLimit/period",
        "{\"rateLimit\":{\"limit\":0,\"period\":\"PT1S\"}}|/rateLimit/limit",
        "{\"rateLimit\":{\"limit\":1,\"period\":\"PT0S\"}}|/rateLimit/period",
        "{\"rateLimit\":{\"limit\":1,\"period\":\"PT1S\",\"burst\":0}}|/rateLimit/burst",
        "{\"rateLimit\":7}|/rateLimit",
        "{\"maxDepth\":0}|/maxDepth",
        "{\"aging\":\"PT0S\"}|/aging",
        "{\"aging\":\"P2D\"}|/aging",
        "{\"weight\":1001}|/weight",
        "{\"timeout\":\"P31D\"}|/timeout",
        "{\"retry\":{\"strategy\":\"never\"}}|/retry/strategy",
        "{\"retention\":{\"finished\":\"PT1H\"}}|/retention/finished",
        "{\"retention\":{\"dead\":\"P731D\"}}|/retention/dead",
      })
  void nonsenseIsRefusedWhereItStands(String body, String pointer) {
    for (String method : new String[] {"PUT", "PATCH"}) {
      admin.put(queue, "{}");
      JsonNode problem =
          (method.equals("PUT") ? admin.put(queue, body) : admin.patch(queue, body))
              .status(422)
              .json();
      assertEquals(pointer, problem.path("errors").path(0).path("pointer").asText(), method);
    }
  }

  @Test
  void aNameInThePathThatIsNoneIsNamed() {
    for (String bad : List.of("-x", "%00", "a%20b", "x".repeat(129))) {
      assertEquals(
          List.of("{queue}"),
          admin.put(project + "/queues/" + bad, "{}").problem(422, "validation-failed").pointers());
    }
  }

  @Test
  void unknownLimitIsNamed() {
    assertEquals(
        "/rateLimit/per",
        admin
            .put(queue, "{\"rateLimit\":{\"limit\":1,\"period\":\"PT1S\",\"per\":1}}")
            .status(400)
            .json()
            .path("errors")
            .path(0)
            .path("pointer")
            .asText());
  }

  @Test
  void operatorPausesAndResumesAndOnlyAnAdminEdits() {
    admin.put(queue, "{}").status(201);
    ApiClient operator = admin.member(name, name + "-o@example.org", "operator");
    ApiClient viewer = admin.member(name, name + "-v@example.org", "viewer");
    String pause = "{\"reason\":\"provider is down\",\"until\":\"2999-01-01T00:00:00Z\"}";
    viewer.post(queue + "/pause", pause).status(403);
    JsonNode paused = operator.post(queue + "/pause", pause).status(200).json().path("paused");
    assertEquals("provider is down", paused.path("reason").asText());
    assertEquals("2999-01-01T00:00:00.000Z", paused.path("until").asText());
    assertTrue(paused.path("by").asText().contains("@"), paused.toString());
    assertTrue(viewer.get(queue).json().path("paused").isObject());
    operator.patch(queue, "{\"maxConcurrency\":1}").status(403);
    operator.delete(queue).status(403);
    assertTrue(operator.post(queue + "/resume", "").status(200).json().path("paused").isNull());
    operator.post(project + "/queues/none/pause", pause).status(404);
    operator.post(project + "/queues/none/resume", "").status(404);

    for (String[] bad :
        new String[][] {
          {"{}", "/reason"},
          {"{\"reason\":\"\"}", "/reason"},
          {"{\"reason\":\"r\",\"until\":\"2001-01-01T00:00:00Z\"}", "/until"}
        }) {
      assertEquals(
          bad[1],
          operator
              .post(queue + "/pause", bad[0])
              .status(422)
              .json()
              .path("errors")
              .path(0)
              .path("pointer")
              .asText());
    }
  }

  @Test
  void queueIsDeletedWhenItHoldsNoLiveJob() {
    admin.put(queue, "{}").status(201);
    admin
        .post(project + "/jobs", "{\"type\":\"t\",\"queue\":\"mail\",\"delay\":\"PT1H\"}")
        .status(201);
    admin.delete(queue).status(409);
    admin.delete(project + "/queues/default").status(409);
    admin.put(project + "/queues/empty", "{}").status(201);
    admin.delete(project + "/queues/empty").status(204);
    admin.get(project + "/queues/empty").status(404);
    admin.delete(project + "/queues/empty").status(404);
    admin.post(project + "/jobs", "{\"type\":\"t\",\"queue\":\"empty\"}").status(422);
    admin.put(project + "/queues/empty", "{}").status(201);
  }
}
