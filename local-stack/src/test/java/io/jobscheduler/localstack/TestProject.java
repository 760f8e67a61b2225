package io.jobscheduler.localstack;

import com.fasterxml.jackson.databind.JsonNode;
import io.jobscheduler.localstack.client.ApiClient;
import io.jobscheduler.localstack.process.Await;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** A project of one test's own, and the questions that tests ask about its jobs. */
final class TestProject {
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final LocalStack stack;
  private final ApiClient api;
  private final String name;

  private TestProject(LocalStack stack, ApiClient api, String name) {
    this.stack = stack;
    this.api = api;
    this.name = name;
  }

  static TestProject create(LocalStack stack) {
    String name = "e2e-" + NUMBER.incrementAndGet();
    ApiClient admin = stack.admin();
    admin.post("/projects", Map.of("name", name)).success();
    return new TestProject(stack, admin, name);
  }

  String name() {
    return name;
  }

  ApiClient api() {
    return api;
  }

  /** The project's path, then the rest. */
  String path(String rest) {
    return "/projects/" + name + rest;
  }

  /** Enqueues one job, returns its id. */
  String enqueue(Map<String, ?> job) {
    return api.post(path("/jobs"), job).success().path("id").asText();
  }

  /** Enqueues the same job so many times, at once. */
  List<String> enqueue(int count, Map<String, ?> job) {
    JsonNode created = api.post(path("/jobs/bulk"), Collections.nCopies(count, job)).success();
    List<String> ids = new ArrayList<>();
    created.path("items").forEach(item -> ids.add(item.path("id").asText()));
    return ids;
  }

  JsonNode job(String id) {
    return api.get(path("/jobs/" + id)).success();
  }

  JsonNode attempts(String id) {
    return api.get(path("/jobs/" + id + "/attempts")).success().path("items");
  }

  /** Waits until a job is in that state, returns it. */
  JsonNode awaitState(String id, String state) {
    return Await.value(
            LIMIT, () -> Optional.of(job(id)).filter(j -> j.path("state").asText().equals(state)))
        .orElseThrow(() -> new AssertionError("not " + state + " within 60 s: " + job(id)));
  }

  /** Waits until so many jobs have finished, in whatever way. */
  void awaitFinished(long count) {
    if (!Await.until(LIMIT, () -> finished() >= count)) {
      throw new AssertionError(
          "%d of %d jobs finished within 60 s; live ones: %s"
              .formatted(finished(), count, texts(LIVE_BY_STATE)));
    }
  }

  private static final String FINISHED =
      """
      SELECT count(*) FROM jobs.finished_jobs
       WHERE project_id = (SELECT id FROM jobs.projects WHERE name = ?)
      """;

  long finished() {
    return number(FINISHED);
  }

  private static final String LIVE_BY_STATE =
      """
      SELECT state || ' ' || count(*) FROM jobs.jobs
       WHERE project_id = (SELECT id FROM jobs.projects WHERE name = ?)
       GROUP BY state
      """;

  /** The first column of the first row; the project's name is the only parameter. */
  long number(String sql) {
    return Long.parseLong(texts(sql).get(0));
  }

  /** The first column of all rows, read by the superuser. */
  List<String> texts(String sql) {
    try (Connection superuser = stack.superuser();
        PreparedStatement statement = superuser.prepareStatement(sql)) {
      statement.setString(1, name);
      List<String> found = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          found.add(rows.getString(1));
        }
      }
      return found;
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }
}
