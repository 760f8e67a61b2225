package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tags, metadata and the trace of jobs that workflows and schedules make. */
@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class LabelsHttpTest {
  private static final String LABELS = "\"tags\":[\"eu\",\"b\",\"eu\"],\"metadata\":{\"n\":1.50}";
  private static final String TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private String project;

  @BeforeEach
  void makeProject() {
    admin = ApiClient.admin(base);
    project = admin.project("l" + UUID.randomUUID());
  }

  private ApiClient.Answer traced(String path, String body) {
    return admin.send(
        admin
            .request(path)
            .header("Content-Type", "application/json")
            .header("traceparent", TRACE)
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  private void assertLabels(ApiClient.Answer answer) {
    JsonNode job = answer.status(200).json();
    assertEquals("[\"b\",\"eu\"]", job.path("tags").toString());
    assertTrue(answer.text().contains("{\"n\":1.50}"), answer.text());
  }

  private ApiClient.Answer job(String id) {
    return admin.get(project + "/jobs/" + id);
  }

  @Test
  void membersOfAWorkflowCarryThemAndItsTrace() {
    String workflow =
        traced(
                project + "/workflows",
                "{\"name\":\"w\",\"jobs\":[{\"key\":\"a\",\"type\":\"t\","
                    + LABELS
                    + "},{\"key\":\"b\",\"type\":\"t\",\"dependsOn\":[\"a\"]},"
                    + "{\"key\":\"g\",\"gate\":{\"signal\":{\"name\":\"s\"}}}]}")
            .status(201)
            .header("Location");
    ApiClient.Answer labelled = admin.get(workflow + "/jobs/a");
    assertLabels(labelled);
    assertEquals(TRACE, labelled.json().path("traceparent").asText());
    JsonNode plain = admin.get(workflow + "/jobs/b").json();
    assertTrue(plain.path("tags").isEmpty() && plain.path("metadata").isNull());
    assertEquals(TRACE, plain.path("traceparent").asText());
    assertTrue(admin.get(workflow + "/jobs/g").json().path("traceparent").isNull(), "runs nothing");
    traced(
            workflow + "/jobs",
            "{\"jobs\":[{\"key\":\"c\",\"type\":\"t\",\"dependsOn\":[\"a\"]," + LABELS + "}]}")
        .status(201);
    ApiClient.Answer grown = admin.get(workflow + "/jobs/c");
    assertLabels(grown);
    assertEquals(TRACE, grown.json().path("traceparent").asText());
  }

  @Test
  void jobsOfASchedulesTemplateCarryThem() {
    String schedules = project + "/schedules";
    JsonNode made =
        admin
            .post(
                schedules,
                "{\"name\":\"s\",\"cron\":\"0 3 * * *\",\"job\":{\"type\":\"t\"," + LABELS + "}}")
            .status(201)
            .json();
    assertEquals("[\"b\",\"eu\"]", made.path("job").path("tags").toString());
    assertLabels(
        job(admin.post(schedules + "/s/trigger", "").status(201).json().path("id").asText()));
    // What a patch does not name stays.
    admin.patch(schedules + "/s", "{\"job\":{\"priority\":5}}").status(200);
    admin.patch(schedules + "/s", "{\"job\":{\"tags\":null}}").status(200);
    ApiClient.Answer patched = admin.get(schedules + "/s");
    assertTrue(patched.text().contains("{\"n\":1.50}"), patched.text());
    assertTrue(patched.json().path("job").path("tags").isEmpty());
  }

  @Test
  void jobsOfAWorkflowTemplateCarryThem() {
    String schedules = project + "/schedules";
    ApiClient.Answer made =
        admin
            .post(
                schedules,
                "{\"name\":\"s\",\"cron\":\"0 3 * * *\",\"workflow\":{\"name\":\"w\",\"jobs\":"
                    + "[{\"key\":\"a\",\"type\":\"t\","
                    + LABELS
                    + "},{\"key\":\"b\",\"type\":\"t\"}]}}")
            .status(201);
    assertTrue(made.text().contains("{\"n\":1.50}"), made.text());
    String workflow =
        admin.post(schedules + "/s/trigger", "").status(201).json().path("id").asText();
    assertLabels(admin.get(project + "/workflows/" + workflow + "/jobs/a"));
    assertTrue(
        admin.get(project + "/workflows/" + workflow + "/jobs/b").json().path("tags").isEmpty());
  }

  @Test
  void aUniqueKeyIsForJobsOfTheirOwn() {
    String unique = "\"unique\":{\"key\":\"k\"}";
    ApiClient.Answer member =
        admin
            .post(
                project + "/workflows",
                "{\"name\":\"w\",\"jobs\":[{\"key\":\"a\",\"type\":\"t\"," + unique + "}]}")
            .problem(422, "validation-failed");
    assertEquals(List.of("/jobs/0/unique"), member.pointers());
    assertEquals(
        List.of("/job/unique"),
        admin
            .post(
                project + "/schedules",
                "{\"name\":\"s\",\"cron\":\"0 3 * * *\",\"job\":{\"type\":\"t\"," + unique + "}}")
            .problem(422, "validation-failed")
            .pointers());
  }
}
