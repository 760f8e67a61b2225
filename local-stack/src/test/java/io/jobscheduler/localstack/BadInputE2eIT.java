package io.jobscheduler.localstack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.localstack.client.ApiClient;
import io.jobscheduler.localstack.client.ApiClient.Answer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What people get wrong, sent through the dashboard's proxy: each a clear problem, and no job. */
@ExtendWith(SharedStack.class)
class BadInputE2eIT {
  private static final int FIVE_MEGABYTES = 5 * 1024 * 1024;

  private final TestProject project;
  private final ApiClient api;

  BadInputE2eIT(LocalStack stack) {
    project = TestProject.create(stack);
    api = project.api().at(stack.dashboardUrl());
  }

  @Test
  void refusesMalformedJson() {
    Answer answer = api.postText(project.path("/jobs"), "{\"type\": \"echo\",");

    assertProblem(answer, 400, "malformed-json");
  }

  @Test
  void refusesUnknownFieldByName() {
    Answer answer = api.post(project.path("/jobs"), Map.of("type", "echo", "prioritty", 9));

    assertProblem(answer, 400, "unknown-field");
    assertTrue(answer.text().contains("prioritty"), answer.text());
  }

  @Test
  void refusesCycleAndNamesIt() {
    Answer answer =
        api.post(
            project.path("/workflows"),
            Map.of(
                "name",
                "circle",
                "jobs",
                List.of(
                    Map.of("key", "a", "type", "echo", "dependsOn", List.of("c")),
                    Map.of("key", "b", "type", "echo", "dependsOn", List.of("a")),
                    Map.of("key", "c", "type", "echo", "dependsOn", List.of("b")))));

    assertProblem(answer, 422, "workflow-cycle");
    assertTrue(answer.body().path("detail").asText().contains(" → "), answer.text());
    assertEquals(
        0, api.get(project.path("/workflows")).success().path("items").size(), "it was stored");
  }

  @Test
  void refusesPayloadOfFiveMegabytes() {
    String body = "{\"type\":\"echo\",\"payload\":\"" + "x".repeat(FIVE_MEGABYTES) + "\"}";

    Answer answer = api.postText(project.path("/jobs"), body);

    assertProblem(answer, 413, "payload-too-large");
  }

  @Test
  void refusesWrongToken() {
    assertProblem(api.withToken("not-a-token").get(project.path("/jobs")), 401, "unauthorized");
    // A true token with one letter of its signature changed.
    String token = api.token();
    int at = token.length() - 10;
    char other = token.charAt(at) == 'A' ? 'B' : 'A';
    String forged = token.substring(0, at) + other + token.substring(at + 1);
    assertProblem(api.withToken(forged).get(project.path("/jobs")), 401, "unauthorized");
  }

  @Test
  void doesNotRevealAnotherProjectsJob(LocalStack stack) {
    TestProject other = TestProject.create(stack);
    String theirs = other.enqueue(Map.of("type", "echo"));
    ApiClient member = memberOf(project, stack);

    assertEquals(200, member.get(project.path("/jobs")).status());
    assertProblem(member.get(other.path("/jobs/" + theirs)), 404, "not-found");
    assertProblem(member.get(project.path("/jobs/" + theirs)), 404, "not-found");
  }

  private static ApiClient memberOf(TestProject project, LocalStack stack) {
    String email = project.name() + "@example.org";
    String password = "correct horse battery staple";
    ApiClient admin = project.api();
    String id =
        admin
            .post("/users", Map.of("email", email, "password", password))
            .success()
            .path("id")
            .asText();
    admin.put(project.path("/members/" + id), Map.of("role", "admin")).success();
    return new ApiClient(stack.dashboardUrl()).login(email, password);
  }

  private void assertProblem(Answer answer, int status, String type) {
    assertEquals(status, answer.status(), answer.text());
    assertTrue(answer.contentType().startsWith("application/problem+json"), answer.contentType());
    assertEquals("/problems/" + type, answer.body().path("type").asText(), answer.text());
    assertFalse(answer.body().path("title").asText().isEmpty(), answer.text());
    assertFalse(answer.body().path("detail").asText().isEmpty(), answer.text());
    assertEquals(0, project.finished(), "a refused job ran");
  }
}
