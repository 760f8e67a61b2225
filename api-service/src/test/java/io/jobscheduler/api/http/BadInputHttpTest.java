package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class BadInputHttpTest {
  private static final String JOBS = "/api/v1/projects/default/jobs";

  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;

  @BeforeEach
  void login() {
    admin = ApiClient.admin(base);
  }

  private static byte[] job(int payloadBytes) {
    return ("{\"type\":\"t\",\"payload\":\"" + "x".repeat(payloadBytes - 2) + "\"}")
        .getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void malformedJson() {
    admin.post(JOBS, "{\"type\":\"t\"").problem(400, "malformed-json");
    admin.post(JOBS, "").problem(400, "malformed-json");
    admin.post(JOBS, "{\"type\":\"t\"} x").problem(400, "malformed-json");
    assertEquals(
        List.of("/payload/a/1"),
        admin
            .post(JOBS, "{\"type\":\"t\",\"payload\":{\"a\":[1,\"\\u0000\"]}}")
            .problem(400, "malformed-json")
            .pointers());
    assertEquals(
        List.of("/3/payload/k"),
        admin
            .post(
                JOBS + "/bulk",
                "[{\"type\":\"t\"},{\"type\":\"t\"},{\"type\":\"t\"},{\"payload\":{\"k\":1,\"k\":2}}]")
            .problem(400, "malformed-json")
            .pointers());
    admin
        .post(JOBS, new byte[] {'{', '"', (byte) 0xFF, '"', ':', '1', '}'})
        .problem(400, "malformed-json");
  }

  @Test
  void unknownFieldsAndParametersAreNamed() {
    ApiClient.Answer answer =
        admin
            .post(JOBS, "{\"type\":\"t\",\"prio\":1,\"x\":{\"y\":[1]}}")
            .problem(400, "unknown-field");
    assertEquals(List.of("/prio", "/x"), answer.pointers());
    assertTrue(answer.text().contains("\\\"prio\\\""), answer.text());
    assertEquals(
        List.of("?states"),
        admin.get(JOBS + "?states=ready").problem(400, "unknown-field").pointers());
    admin.get(JOBS + "?limit=1&limit=2").problem(422, "validation-failed");
    admin.get("/api/v1/auth/me?verbose").problem(400, "unknown-field");
  }

  @Test
  void payloadsAreTakenUpToTheLimitAndNotAByteMore() {
    admin.post(JOBS, job(256 * 1024)).status(201);
    assertEquals(
        List.of("/payload"),
        admin.post(JOBS, job(256 * 1024 + 1)).problem(413, "payload-too-large").pointers());
  }

  @Test
  void aBodyOfFiveMegabytesIsRefused() {
    byte[] body = job(5_000_000);
    admin.post(JOBS, body).problem(413, "payload-too-large");
    // Without a length announced.
    admin
        .send(
            admin
                .request(JOBS)
                .header("Content-Type", "application/json")
                .POST(
                    HttpRequest.BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body))))
        .problem(413, "payload-too-large");
    admin.post("/api/v1/auth/login", job(100_000)).problem(413, "payload-too-large");
  }

  /** Only the head is sent: the answer cannot have waited for the body. */
  @Test
  void aBodyOfThirtyMegabytesIsRefusedUnread() throws IOException {
    try (Socket socket = new Socket(base.getHost(), base.getPort())) {
      socket.setSoTimeout(30_000);
      String head =
          "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
              .formatted(JOBS, 30_000_000);
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(answer.startsWith("HTTP/1.1 413 "), answer);
      assertTrue(answer.contains("application/problem+json"), answer);
      assertTrue(answer.contains("/problems/payload-too-large"), answer);
    }
  }

  @Test
  void whatHttpItselfForbids() {
    admin.get("/api/v1/nothing").problem(404, "not-found");
    admin.get("/").problem(404, "not-found");
    assertEquals(
        "GET, POST", admin.delete(JOBS).problem(405, "method-not-allowed").header("Allow"));
    assertEquals(
        "DELETE, GET, PATCH",
        admin.put(JOBS + "/1", "{}").problem(405, "method-not-allowed").header("Allow"));
    admin
        .send(
            admin
                .request(JOBS)
                .header("Content-Type", "text/plain")
                .POST(HttpRequest.BodyPublishers.ofString("{}")))
        .problem(415, "unsupported-media-type");
    admin.send(admin.request(JOBS).header("Accept", "text/html")).problem(406, "not-acceptable");
  }

  @Test
  void everyAnswerCarriesTheHeaders() {
    for (ApiClient.Answer answer : List.of(admin.get(JOBS), admin.get("/api/v1/nothing"))) {
      assertEquals("nosniff", answer.header("X-Content-Type-Options"));
      assertEquals("no-store", answer.header("Cache-Control"));
      assertTrue(answer.header("Content-Security-Policy").contains("frame-ancestors 'none'"));
      assertEquals("no-referrer", answer.header("Referrer-Policy"));
      assertEquals("same-origin", answer.header("Cross-Origin-Resource-Policy"));
      assertEquals("", answer.header("Server"));
    }
  }

  @Test
  void whatPostgresCouldTripOverIsRefusedBeforeIt() {
    admin.get("/api/v1/projects/%00").problem(404, "not-found");
    admin.get(JOBS + "/99999999999999999999").problem(404, "not-found");
    admin.get("/api/v1/projects/default/workflows/99999999999").problem(404, "not-found");
    admin
        .post("/api/v1/auth/login", "{\"email\":\"a\\u0000@x\",\"password\":\"a\"}")
        .problem(400, "malformed-json");
    ApiClient.Answer answer = admin.get(JOBS + "?queue=%00").problem(422, "validation-failed");
    assertFalse(answer.text().contains("SQL"), answer.text());
    admin.get("/api/v1/projects?cursor=MToA").problem(422, "validation-failed");
    admin.get("/api/v1/projects/default/queues/%00").problem(404, "not-found");
  }

  /** A null for the queues of a key was a 500: it was kept as an empty list. */
  @Test
  void aKeyWhoseQueuesAreNullReachesAll() {
    ApiClient.Answer made =
        admin
            .post(
                "/api/v1/projects/default/api-keys",
                "{\"name\":\"n\",\"scopes\":[\"read\"],\"queues\":null}")
            .status(201);
    assertTrue(made.json().path("key").path("queues").isNull(), made.text());
  }

  /** A schedule whose workflow is null, with no job, was a 500. */
  @Test
  void aScheduleWithNothingToMakeIsToldSo() {
    assertEquals(
        List.of("/job"),
        admin
            .post(
                "/api/v1/projects/default/schedules",
                "{\"name\":\"n\",\"every\":\"PT1H\",\"workflow\":null}")
            .problem(422, "validation-failed")
            .pointers());
  }

  /** A Content-Type that is none was a 500 where two types are taken. */
  @Test
  void aContentTypeThatIsNoneIsNoFaultOfOurs() {
    for (String type : List.of("", "junk", "application/json;charset=\"")) {
      ApiClient.Answer answer =
          admin.send(
              admin
                  .request(JOBS + "/bulk")
                  .header("Content-Type", type)
                  .POST(HttpRequest.BodyPublishers.ofString("[{\"type\":\"t\"}]")));
      assertTrue(answer.status() < 500, answer.text());
    }
  }
}
