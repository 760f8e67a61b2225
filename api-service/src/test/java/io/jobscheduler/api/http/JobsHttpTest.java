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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class JobsHttpTest {
  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private String project;

  @BeforeEach
  void makeProject() {
    admin = ApiClient.admin(base);
    project = admin.project("p" + UUID.randomUUID());
  }

  private ApiClient.Answer enqueue(String body) {
    return admin.post(project + "/jobs", body);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1e2",
        "-0",
        "1E-3",
        "1.0",
        "12345678901234567890123456789012345678901234567890"
            + "12345678901234567890123456789012345678901234567890",
        "-0.1234567890123456789012345678901234567890e-400",
        "\"😀 \\ud83d\\ude00 \\u00e9 é \\/ \\b\"",
        "{ \"z\" : [ 1 ,2, { \"a\":null } ],\"\":  \"x\" }",
        "null"
      })
  void aPayloadComesBackAsItWasTyped(String payload) {
    ApiClient.Answer created =
        enqueue("{\"payload\": " + payload + " , \"type\":\"echo\"}").status(201);
    String member = "\"payload\":" + payload + ",\"result\"";
    assertTrue(created.text().contains(member), created.text());
    ApiClient.Answer read = admin.get(created.header("Location")).status(200);
    assertTrue(read.text().contains(member), read.text());
  }

  @Test
  void answersTheJobWithItsDefaults() {
    JsonNode job = enqueue("{\"type\":\"echo\"}").status(201).json();
    assertEquals("default", job.path("queue").asText());
    assertEquals(4, job.path("priority").asInt());
    assertEquals(20, job.path("maxAttempts").asInt());
    assertEquals("ready", job.path("state").asText());
    assertTrue(job.path("id").isTextual());
    assertTrue(
        job.path("createdAt")
            .asText()
            .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z"));
    assertEquals(
        "{\"strategy\":\"exponential\",\"base\":\"PT10S\",\"factor\":2.0,\"cap\":\"PT1H\"}",
        job.path("retry").toString());
    JsonNode again = admin.get(project + "/jobs/" + job.path("id").asText()).json();
    assertEquals(job, again, "POST and GET answer the same job");
    assertEquals(
        "{\"items\":[]}",
        admin.get(project + "/jobs/" + job.path("id").asText() + "/attempts").text());
  }

  @Test
  void scheduledJobsKeepTheirInstant() {
    JsonNode job =
        enqueue(
                "{\"type\":\"echo\",\"runAt\":\"2999-12-31T23:59:59.5+01:00\",\"priority\":9,"
                    + "\"retry\":{\"strategy\":\"list\",\"delays\":[\"PT1.5S\",\"P1D\"]}}")
            .status(201)
            .json();
    assertEquals("scheduled", job.path("state").asText());
    assertEquals("2999-12-31T22:59:59.500Z", job.path("runAt").asText());
    assertEquals("PT1.5S", job.path("retry").path("delays").path(0).asText());
    assertEquals(job, admin.get(project + "/jobs/" + job.path("id").asText()).json());
  }

  @Test
  void namesEverythingThatIsWrongAtOnce() {
    assertEquals(
        List.of("/type", "/priority", "/maxAttempts", "/runAt", "/delay", "/retry/cap", "/retry"),
        enqueue(
                "{\"type\":\"no type\",\"priority\":10,\"maxAttempts\":0,\"runAt\":\"tomorrow\","
                    + "\"delay\":\"-PT1S\",\"retry\":{\"strategy\":\"list\",\"delays\":[\"PT1S\"],"
                    + "\"base\":\"PT2H\",\"cap\":1}}")
            .problem(422, "validation-failed")
            .pointers());
    assertEquals(List.of("/type"), enqueue("{}").problem(422, "validation-failed").pointers());
    assertEquals(
        List.of("/type"), enqueue("{\"type\":null}").problem(422, "validation-failed").pointers());
    assertEquals(
        List.of("/delay"),
        enqueue("{\"type\":\"t\",\"delay\":\"PT1S\",\"runAt\":\"2030-01-01T00:00:00Z\"}")
            .problem(422, "validation-failed")
            .pointers());
    assertEquals(
        List.of("/queue"),
        enqueue("{\"type\":\"t\",\"queue\":\"absent\"}")
            .problem(422, "validation-failed")
            .pointers());
  }

  @Test
  void bulkStoresAllOrNothing() {
    assertEquals(
        List.of("/1/queue", "/3/queue"),
        admin
            .post(
                project + "/jobs/bulk",
                "[{\"type\":\"a\"},{\"type\":\"b\",\"queue\":\"x\"},{\"type\":\"c\"},"
                    + "{\"type\":\"d\",\"queue\":\"y\"}]")
            .problem(422, "validation-failed")
            .pointers());
    assertEquals(
        List.of("/1/type"),
        admin
            .post(project + "/jobs/bulk", "[{\"type\":\"a\"},{\"priority\":1}]")
            .problem(422, "validation-failed")
            .pointers());
    assertEquals(0, admin.get(project + "/jobs").json().path("count").path("value").asInt());

    JsonNode stored =
        admin
            .post(project + "/jobs/bulk", "[{\"type\":\"a\"},{\"type\":\"b\",\"delay\":\"PT1H\"}]")
            .status(201)
            .json();
    assertEquals(2, stored.path("count").asInt());
    assertEquals("scheduled", stored.path("items").path(1).path("state").asText());
    admin.post(project + "/jobs/bulk", "[]").problem(422, "validation-failed");
    admin.post(project + "/jobs/bulk", "{}").problem(422, "validation-failed");
  }

  @Test
  void bulkTakesTenThousand() {
    String job = "{\"type\":\"t\",\"payload\":[1.0]}";
    String most = "[" + (job + ",").repeat(9_999) + job + "]";
    assertEquals(
        10_000, admin.post(project + "/jobs/bulk", most).status(201).json().path("count").asInt());
    admin
        .post(project + "/jobs/bulk", "[" + job + "," + most.substring(1))
        .problem(422, "validation-failed");
  }

  @Test
  void listsInPagesWithFilters() {
    admin.post(
        project + "/jobs/bulk",
        "[{\"type\":\"a\"},{\"type\":\"b\"},{\"type\":\"a\",\"delay\":\"PT1H\"},{\"type\":\"a\"}]");
    List<String> types = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode page = admin.get(project + "/jobs?limit=3" + cursor).status(200).json();
      page.path("items").forEach(j -> types.add(j.path("type").asText()));
      cursor =
          page.path("nextCursor").isNull() ? "" : "&cursor=" + page.path("nextCursor").asText();
    } while (!cursor.isEmpty());
    assertEquals(List.of("a", "a", "b", "a"), types);
    assertEquals(
        2,
        admin.get(project + "/jobs?state=ready&type=a").json().path("count").path("value").asInt());
    assertEquals(
        4,
        admin.get(project + "/jobs?state=ready&state=scheduled,dead").json().path("items").size());
    assertEquals(
        List.of("?state"),
        admin.get(project + "/jobs?state=lost").problem(422, "validation-failed").pointers());
    assertEquals(
        List.of("?limit"),
        admin.get(project + "/jobs?limit=201").problem(422, "validation-failed").pointers());
    assertEquals(
        List.of("?cursor"),
        admin.get(project + "/jobs?cursor=x").problem(422, "validation-failed").pointers());
    assertEquals(
        1,
        admin
            .get(project + "/stats")
            .json()
            .path("counts")
            .path("scheduled")
            .path("value")
            .asInt());
  }

  private static String withoutRequestId(String answer) {
    return answer.replaceAll("\"requestId\":\"[^\"]*\"", "");
  }

  /** Two projects of equal data: each id of the other is as absent as one that never was. */
  @Test
  void anotherProjectsIdsDoNotExist() {
    String other = admin.project("o" + UUID.randomUUID());
    ApiClient member =
        admin.member(
            project.substring(project.lastIndexOf('/') + 1), UUID.randomUUID() + "@x.org", "admin");
    for (String path : List.of(project, other)) {
      admin.post(path + "/jobs", "{\"type\":\"t\",\"payload\":1}").status(201);
      admin.put(path + "/queues/mail", "{}").status(201);
      admin
          .post(path + "/workflows", "{\"name\":\"w\",\"jobs\":[{\"key\":\"a\",\"type\":\"t\"}]}")
          .status(201);
    }
    String job = admin.get(other + "/jobs").json().path("items").path(0).path("id").asText();
    String flow = admin.get(other + "/workflows").json().path("items").path(0).path("id").asText();
    admin.get(other + "/jobs/" + job).status(200);
    for (ApiClient caller : List.of(admin, member)) {
      String absent = caller.get(project + "/jobs/999999999").problem(404, "not-found").text();
      String foreign = caller.get(project + "/jobs/" + job).problem(404, "not-found").text();
      assertEquals(withoutRequestId(absent).replace("999999999", job), withoutRequestId(foreign));
      caller.get(project + "/jobs/" + job + "/attempts").problem(404, "not-found");
      caller.get(project + "/workflows/" + flow).problem(404, "not-found");
      caller.get(project + "/workflows/" + flow + "/graph").problem(404, "not-found");
      assertEquals(0, caller.get(project + "/jobs?workflow=" + flow).json().path("items").size());
    }
    for (String path :
        List.of(
            "",
            "/jobs",
            "/jobs/" + job,
            "/queues",
            "/queues/mail",
            "/workflows/" + flow,
            "/workers",
            "/stats",
            "/members")) {
      member.get(other + path).problem(404, "not-found");
    }
    member.post(other + "/jobs", "{\"type\":\"t\"}").problem(404, "not-found");
    assertEquals(1, member.get("/api/v1/projects").json().path("items").size());
    member.get(project + "/jobs/none").problem(404, "not-found");
  }

  @Test
  void aViewerSeesNoLease() {
    String id = enqueue("{\"type\":\"t\"}").json().path("id").asText();
    ApiClient.sql(
        "UPDATE jobs SET state = 'running', lease_token = 5, worker_id = 6 WHERE id = " + id);
    ApiClient viewer =
        admin.member(
            project.substring(project.lastIndexOf('/') + 1),
            UUID.randomUUID() + "@x.org",
            "viewer");
    assertEquals("5", admin.get(project + "/jobs/" + id).json().path("leaseToken").asText());
    assertTrue(viewer.get(project + "/jobs/" + id).json().path("leaseToken").isNull());
    assertEquals(
        "running",
        viewer
            .get(project + "/jobs/" + id + "/attempts")
            .json()
            .path("items")
            .path(0)
            .path("outcome")
            .asText());
  }
}
