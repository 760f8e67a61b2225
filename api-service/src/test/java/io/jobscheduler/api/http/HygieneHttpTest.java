package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class HygieneHttpTest {
  private static final String ME = "/api/v1/auth/me";

  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;

  @BeforeEach
  void login() {
    admin = ApiClient.admin(base);
  }

  @Test
  void everyRequestHasAnIdTheCallersIfItIsSane() {
    assertEquals(
        "order-7:a",
        admin.send(admin.request(ME).header("X-Request-Id", "order-7:a")).header("X-Request-Id"));
    ApiClient.Answer problem =
        admin.send(admin.request("/api/v1/nothing").header("X-Request-Id", "mine"));
    assertEquals("mine", problem.header("X-Request-Id"));
    assertEquals("mine", problem.json().path("requestId").asText());
    for (String mad : List.of("a b", "x".repeat(129), "\"", "a{b}", "é")) {
      ApiClient.Answer answer = admin.send(admin.request(ME).header("X-Request-Id", mad));
      assertNotEquals(mad, answer.header("X-Request-Id"));
      assertEquals(36, answer.header("X-Request-Id").length());
    }
    assertNotEquals(admin.get(ME).header("X-Request-Id"), admin.get(ME).header("X-Request-Id"));
  }

  @Test
  void noOtherOriginMayReadAnswers() {
    for (HttpRequest.Builder request :
        List.of(
            admin.request(ME).GET(),
            admin
                .request(ME)
                .header("Access-Control-Request-Method", "GET")
                .method("OPTIONS", HttpRequest.BodyPublishers.noBody()))) {
      ApiClient.Answer answer = admin.send(request.header("Origin", "https://elsewhere.example"));
      assertEquals("", answer.header("Access-Control-Allow-Origin"));
      assertEquals("same-origin", answer.header("Cross-Origin-Resource-Policy"));
    }
  }

  /** What is packed is not unpacked: a bomb stays as small as it came. */
  @Test
  void aPackedBodyIsNoJson() throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      byte[] zeros = new byte[1 << 20];
      for (int i = 0; i < 100; i++) {
        gzip.write(zeros);
      }
    }
    admin
        .send(
            admin
                .request("/api/v1/projects/default/jobs")
                .header("Content-Type", "application/json")
                .header("Content-Encoding", "gzip")
                .POST(HttpRequest.BodyPublishers.ofByteArray(packed.toByteArray())))
        .problem(400, "malformed-json");
  }

  @Test
  void whatIsDeeperThanKeptIsRefusedNotRead() {
    admin
        .post(
            "/api/v1/projects/default/jobs",
            "{\"type\":\"t\",\"payload\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}")
        .problem(400, "malformed-json");
  }

  @Test
  void hugePathsQueriesAndHeadersAreTheCallersFault() throws IOException {
    String long17k = "x".repeat(17_000);
    for (String head :
        List.of(
            "GET /api/v1/" + long17k + " HTTP/1.1\r\n",
            "GET /api/v1/projects?cursor=" + long17k + " HTTP/1.1\r\n",
            "GET /api/v1/projects HTTP/1.1\r\nX-Big: " + long17k + "\r\n")) {
      try (Socket socket = new Socket(base.getHost(), base.getPort())) {
        socket.setSoTimeout(30_000);
        socket
            .getOutputStream()
            .write(
                (head + "Host: x\r\nConnection: close\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
        String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(answer.matches("(?s)HTTP/1.[01] 4\\d\\d .*"), answer);
        assertFalse(answer.contains("Exception"), answer);
      }
    }
  }

  @Test
  void aTypeOfProblemIsAPage() {
    ApiClient.Answer page =
        admin.send(admin.request("/problems/queue-full").header("Accept", "text/html"));
    assertEquals(200, page.status(), page.text());
    assertEquals("text/html;charset=utf-8", page.header("Content-Type"));
    assertTrue(page.header("Content-Security-Policy").contains("default-src 'none'"));
    assertTrue(page.text().contains("maxDepth"), page.text());
    admin.get("/problems/nothing").status(404);
  }
}
