package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.schema.testing.Role;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.net.http.HttpRequest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The database takes no connection and has ended all that there were: operations of every kind say
 * to come again, and work when it is back.
 */
@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class DatabaseAwayHttpTest {
  /** Of each kind: reads, changes, what is streamed, and the one that checks a password. */
  private static final Set<String> SAMPLE =
      Set.of(
          "login",
          "me",
          "listJobs",
          "getJob",
          "enqueueJob",
          "enqueueJobs",
          "createBulkAction",
          "listDeadLetters",
          "triggerSchedule",
          "getStats",
          "submitWorkflow",
          "explainJob",
          "verifyAudit",
          "createApiKey");

  /** For one answer: the wait for a connection, and much beside it for a machine at work. */
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private Tenant tenant;
  private Connection owner;

  @BeforeEach
  void make() throws SQLException {
    admin = ApiClient.admin(base);
    tenant = new Tenant(admin);
    owner =
        DriverManager.getConnection(
            System.getProperty(ApiDatabase.URL), Role.OWNER.databaseName(), Role.OWNER.password());
  }

  @AfterEach
  void bringBack() throws SQLException {
    try (Connection closing = owner) {
      limit(-1);
    }
  }

  private void limit(int connections) throws SQLException {
    try (Statement statement = owner.createStatement()) {
      statement.execute(
          "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I CONNECTION LIMIT "
              + connections
              + "', current_database()); END $$");
    }
  }

  /** The service's role may end its own sessions. */
  private void takeAway() throws SQLException {
    try (Connection last =
            DriverManager.getConnection(
                System.getProperty(ApiDatabase.URL), Role.API.databaseName(), Role.API.password());
        Statement statement = last.createStatement()) {
      limit(0);
      statement.execute(
          "SELECT pg_terminate_backend(a.pid, 10000) FROM pg_stat_activity a WHERE a.datname ="
              + " current_database() AND a.usename = current_user AND a.pid <> pg_backend_pid()");
    }
  }

  @Test
  void operationsSayToComeAgainAndWorkOnceItIsBack() throws Exception {
    List<Operations.Operation> operations =
        Operations.all().stream().filter(o -> SAMPLE.contains(o.id())).toList();
    assertEquals(SAMPLE.size(), operations.size());
    takeAway();
    List<String> failures = new ArrayList<>();
    for (Operations.Operation operation : operations) {
      long start = System.nanoTime();
      ApiClient.Answer answer =
          operation.inProject()
              ? tenant.call(admin, operation)
              : admin.send(
                  Tenant.request(
                      admin,
                      operation,
                      operation.at(p -> tenant.id(operation, p)),
                      tenant.body(operation)));
      Duration took = Duration.ofNanos(System.nanoTime() - start);
      boolean says =
          answer.status() == 503
              && "/problems/service-unavailable".equals(answer.json().path("type").asText())
              && !answer.header("Retry-After").isEmpty();
      if (!says || took.compareTo(LIMIT) > 0) {
        failures.add(operation + ": " + answer.status() + " after " + took + " " + answer.text());
      }
    }
    assertEquals(List.of(), failures);
    lines().problem(503, "service-unavailable");
    // The keys that it knows are still published: others go on to verify tokens.
    admin.get("/.well-known/jwks.json").status(200);

    limit(-1);
    ApiClient again = ApiClient.admin(base);
    again.get(tenant.path + "/jobs").status(200);
    again.post(tenant.path + "/jobs", "{\"type\":\"t\"}").status(201);
    lines().status(200);
  }

  private ApiClient.Answer lines() {
    return admin.send(
        admin
            .request(tenant.path + "/jobs/bulk")
            .header("Content-Type", "application/x-ndjson")
            .POST(HttpRequest.BodyPublishers.ofString("{\"type\":\"t\"}\n")));
  }
}
