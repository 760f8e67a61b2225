package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Jobs that failed often, each time with as long an error as is kept. */
@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class HugeErrorsHttpTest {
  @TestHTTPResource("/")
  URI base;

  @Test
  void listsShipNoTracesAndAttemptsTheNewest() {
    ApiClient admin = ApiClient.admin(base);
    String project = admin.project("h" + UUID.randomUUID());
    String id =
        admin.post(project + "/jobs", "{\"type\":\"t\"}").status(201).json().path("id").asText();
    ApiClient.sql(
        "INSERT INTO attempts (job_id, lease_token, started_at, attempt, outcome, error_kind,"
            + " error_message, error_stack) SELECT "
            + id
            + ", nextval('lease_token_seq'), now(), n, 'failed', 'boom', repeat('m', 4096),"
            + " 'trace' || repeat('s', 16384) FROM generate_series(1, 120) n");
    ApiClient.sql("UPDATE jobs SET attempt = 120, attempt_rows = 120 WHERE id = " + id);

    String list = admin.get(project + "/jobs?limit=50").status(200).text();
    assertTrue(list.contains("boom: mmm"), list);
    assertFalse(list.contains("trace"), list);
    assertTrue(list.length() < 2_000, () -> "" + list.length());
    JsonNode attempts = admin.get(project + "/jobs/" + id + "/attempts").status(200).json();
    JsonNode items = attempts.path("items");
    assertEquals(120, items.size());
    for (JsonNode attempt : items) {
      assertEquals(
          attempt.path("attempt").asInt() > 70,
          attempt.path("error").path("stack").asText("").startsWith("trace"),
          () -> "attempt " + attempt.path("attempt"));
    }
  }
}
