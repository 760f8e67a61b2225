package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class BulkCasesHttpTest {
  private static final String GOOD = "{\"type\":\"t\"}";

  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private String jobs;

  @BeforeEach
  void makeProject() {
    admin = ApiClient.admin(base);
    jobs = admin.project("b" + UUID.randomUUID()) + "/jobs";
  }

  private static String bulk(List<String> items) {
    return "[" + String.join(",", items) + "]";
  }

  private int stored() {
    return admin.get(jobs + "?limit=1").status(200).json().path("count").path("value").asInt();
  }

  /** Field case C163: around the number of bind parameters of one statement, and at the limit. */
  @Test
  void everySizeUpToTheLimitIsStoredAndNoneAboveIt() {
    int before = 0;
    for (int size : List.of(1, 1_000, 5_461, 7_282)) {
      admin.post(jobs + "/bulk", bulk(Collections.nCopies(size, GOOD))).status(201);
      before += size;
    }
    assertEquals(
        before,
        Integer.parseInt(
            ApiClient.value(
                "SELECT count(*) FROM jobs j JOIN projects p ON p.id = j.project_id WHERE p.name ="
                    + " '"
                    + jobs.split("/")[4]
                    + "'")));
    ApiClient.Answer tooMany = admin.post(jobs + "/bulk", bulk(Collections.nCopies(10_001, GOOD)));
    assertTrue(tooMany.status() == 422 || tooMany.status() == 413, tooMany.text());
  }

  /** Field case C164: nothing is stored, and each bad item is named by its place. */
  @Test
  void oneBadItemStoresNothingAndIsNamedByItsPlace() {
    Map<String, String> bad =
        Map.of(
            "{\"type\":\"t\",\"queue\":\"absent\"}",
            "/queue",
            "{\"type\":\"t\",\"runAt\":\"soon\"}",
            "/runAt",
            "{\"type\":\"t\",\"payload\":\"" + "x".repeat(300_000) + "\"}",
            "/payload",
            "{\"type\":\"t\",\"payload\":{\"a\":\"\\u0000\"}}",
            "/payload/a",
            "{\"type\":\"t\",\"payload\":{\"a\":1,\"a\":2}}",
            "/payload/a",
            "{\"type\":\"t\",\"dependsOn\":[\"999999999\"]}",
            "/dependsOn/0");
    for (int place : List.of(0, 500, 999)) {
      bad.forEach(
          (item, pointer) -> {
            List<String> items = new ArrayList<>(Collections.nCopies(1_000, GOOD));
            items.set(place, item);
            ApiClient.Answer answer = admin.post(jobs + "/bulk", bulk(items));
            assertTrue(answer.status() >= 400 && answer.status() < 500, answer.text());
            assertEquals(List.of("/" + place + pointer), answer.pointers(), answer.text());
          });
    }
    assertEquals(0, stored());
  }

  /** Field case C164: corrected and sent again under the same key, twice, it is there once. */
  @Test
  void theSameKeyAfterARefusalStoresTheJobsOnce() {
    List<String> items = new ArrayList<>(Collections.nCopies(100, GOOD));
    items.set(50, "{\"type\":\"t\",\"queue\":\"absent\"}");
    assertEquals(422, send(bulk(items)).status());
    String good = bulk(Collections.nCopies(100, GOOD));
    send(good).status(201);
    assertEquals("true", send(good).status(201).header("Idempotent-Replayed"));
    assertEquals(100, stored());
  }

  private ApiClient.Answer send(String body) {
    return admin.send(
        admin
            .request(jobs + "/bulk")
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", "once")
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  /** Field case C164: a client that goes away in the middle of its body leaves nothing. */
  @Test
  void aClientThatGoesAwayHalfwayLeavesNothing() throws IOException {
    String body = bulk(Collections.nCopies(1_000, GOOD));
    try (Socket socket = new Socket(base.getHost(), base.getPort())) {
      String head =
          "POST %s/bulk HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
              .formatted(jobs, admin.token(), body.length());
      socket
          .getOutputStream()
          .write((head + body.substring(0, 6_000)).getBytes(StandardCharsets.UTF_8));
    }
    assertEquals(0, stored());
  }
}
