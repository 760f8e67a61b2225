package io.jobscheduler.dashboard.packaged;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ProxyIT {
  private static final long MEGABYTE = 1_048_576;
  private static Stack stack;

  @BeforeAll
  static void start() throws Exception {
    stack = Stack.shared();
  }

  private static String header(HttpResponse<?> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }

  @Test
  void passesMethodPathQueryHeadersAndBody() throws Exception {
    HttpResponse<String> response =
        stack.service.send(
            stack
                .service
                .request("/api/v1/echo/a%2Fb/%C3%A4?q=a%20b&q=%26")
                .header("Authorization", "Bearer of the caller")
                .header("Idempotency-Key", "k1")
                .method("PATCH", BodyPublishers.ofString("{\"n\":1e2,\"t\":\"ä€😀\"}")));
    assertEquals(201, response.statusCode());
    assertTrue(
        response.body().startsWith("PATCH /api/v1/echo/a%2Fb/%C3%A4?q=a%20b&q=%26\n"),
        response.body());
    assertTrue(response.body().endsWith("\n\n{\"n\":1e2,\"t\":\"ä€😀\"}"), response.body());
    assertTrue(response.body().contains("Authorization: [Bearer of the caller]"));
    assertTrue(response.body().contains("Idempotency-key: [k1]"));
    assertTrue(response.body().contains("X-forwarded-for: [127.0.0.1]"), response.body());
    assertTrue(response.body().contains("X-forwarded-proto: [http]"));
    assertTrue(response.body().contains("X-forwarded-host: [127.0.0.1:" + stack.service.port));
    assertTrue(response.body().contains("Host: [127.0.0.1:" + stack.api.port() + "]"));
  }

  @Test
  void passesAnswerHeadersButNotThoseOfOneConnection() throws Exception {
    HttpResponse<String> response = stack.service.get("/api/v1/echo");
    assertEquals(List.of("a", "b"), response.headers().allValues("X-Two"));
    assertEquals("", header(response, "X-Hop"));
    assertFalse(header(response, "Date").isEmpty());
  }

  /** Symptom: a client that waits for leave to send its body waited for ever. */
  @Test
  void givesLeaveToSendABody() throws Exception {
    HttpResponse<String> response =
        stack.service.send(
            stack
                .service
                .request("/api/v1/echo")
                .version(HttpClient.Version.HTTP_1_1)
                .timeout(Duration.ofSeconds(20))
                .expectContinue(true)
                .POST(BodyPublishers.ofString("the body")));
    assertEquals(201, response.statusCode());
    assertTrue(response.body().endsWith("\n\nthe body"), response.body());
    assertFalse(response.body().contains("Expect:"), response.body());
  }

  /** Symptom: the length was dropped as a header of one connection, and the body with it. */
  @Test
  void passesABodyWhoseLengthIsNamedByConnection() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), stack.service.port)) {
      socket.setSoTimeout(20_000);
      String request =
          "POST /api/v1/echo HTTP/1.1\r\nHost: x\r\nConnection: Content-Length\r\n"
              + "Content-Length: 8\r\n\r\nthe body";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      // The connection stays open: what is read ends with the body that the api gave back.
      StringBuilder answer = new StringBuilder();
      InputStreamReader in =
          new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII);
      while (answer.indexOf("\n\nthe body") < 0) {
        int next = in.read();
        assertTrue(next >= 0, "ended after: " + answer);
        answer.append((char) next);
      }
      assertTrue(answer.toString().startsWith("HTTP/1.1 201"), answer.toString());
    }
  }

  @Test
  void letsTheApiJudgeTokens() throws Exception {
    HttpResponse<String> response =
        stack.service.send(
            stack.service.request("/api/v1/echo").header("Authorization", "Bearer garbage"));
    assertEquals(201, response.statusCode());
  }

  @Test
  void passesConditionalRequests() throws Exception {
    HttpResponse<String> changed = stack.service.get("/api/v1/unchanged");
    assertEquals(200, changed.statusCode());
    assertEquals("\"7\"", header(changed, "ETag"));
    HttpResponse<String> same =
        stack.service.send(
            stack.service.request("/api/v1/unchanged").header("If-None-Match", "\"7\""));
    assertEquals(304, same.statusCode());
    assertEquals("", same.body());
  }

  @Test
  void answersHeadWithoutABody() throws Exception {
    HttpResponse<String> response =
        stack.service.send(
            stack.service.request("/api/v1/unchanged").method("HEAD", BodyPublishers.noBody()));
    assertEquals(200, response.statusCode());
    assertEquals("\"7\"", header(response, "ETag"));
  }

  @Test
  void servesThePublicKeys() throws Exception {
    HttpResponse<String> response = stack.service.get("/.well-known/jwks.json");
    assertEquals(200, response.statusCode());
    assertTrue(response.body().contains("\"kid\":\"first\""));
  }

  @Test
  void streamsABodyThatIsLargerThanItsMemory() throws Exception {
    long size = 200 * MEGABYTE;
    HttpResponse<String> known =
        stack.service.send(stack.service.request("/api/v1/count").POST(zeros(size, size)));
    assertEquals(Long.toString(size), known.body());
    for (HttpClient.Version version : HttpClient.Version.values()) {
      HttpResponse<String> chunked =
          stack.service.send(
              stack.service.request("/api/v1/count").version(version).POST(zeros(size, -1)));
      assertEquals(Long.toString(size), chunked.body(), version.name());
    }
  }

  @Test
  void streamsAnAnswerThatIsLargerThanItsMemory() throws Exception {
    long size = 200 * MEGABYTE;
    HttpResponse<InputStream> response =
        PackagedService.HTTP.send(
            stack.service.request("/api/v1/big?" + size).build(),
            HttpResponse.BodyHandlers.ofInputStream());
    long read = 0;
    byte[] buffer = new byte[65_536];
    try (InputStream body = response.body()) {
      for (int n = body.read(buffer); n >= 0; n = body.read(buffer)) {
        read += n;
      }
    }
    assertEquals(size, read);
  }

  @Test
  void passesARefusalThatComesBeforeTheBodyWasRead() throws Exception {
    long size = 24 * MEGABYTE;
    for (long declared : new long[] {size, -1}) {
      HttpResponse<String> response =
          stack.service.send(
              stack.service.request("/api/v1/too-large").POST(zeros(size, declared)));
      assertEquals(413, response.statusCode());
      assertTrue(response.body().contains("Payload too large"));
    }
  }

  @Test
  void breaksOffWhenTheApiBreaksOff() {
    for (HttpClient.Version version : HttpClient.Version.values()) {
      assertThrows(
          IOException.class,
          () -> stack.service.send(stack.service.request("/api/v1/broken").version(version)),
          version.name());
    }
  }

  @Test
  void saysThatTheApiDidNotAnswerInTime() throws Exception {
    HttpResponse<String> response = stack.service.get("/api/v1/silent");
    assertEquals(504, response.statusCode());
    assertEquals("application/problem+json", header(response, "Content-Type"));
    assertTrue(response.body().contains("\"type\":\"/problems/gateway-timeout\""));
  }

  @Test
  void saysThatTheApiIsAway() throws Exception {
    try (PackagedService lonely =
        new PackagedService(stack.database, PackagedService.freePort(), Map.of())) {
      HttpResponse<String> response =
          lonely.send(lonely.request("/api/v1/projects").POST(zeros(4 * MEGABYTE, 4 * MEGABYTE)));
      assertEquals(502, response.statusCode());
      assertEquals("application/problem+json", header(response, "Content-Type"));
      assertEquals("2", header(response, "Retry-After"));
      assertTrue(response.body().contains("\"instance\":\"/api/v1/projects\""), response.body());
      assertEquals(502, lonely.get("/.well-known/jwks.json").statusCode());
      assertEquals(200, lonely.page("/p/default").statusCode());
    }
  }

  private static BodyPublisher zeros(long size, long declared) {
    ByteBuffer part = ByteBuffer.allocate((int) MEGABYTE).asReadOnlyBuffer();
    List<ByteBuffer> parts = Collections.nCopies((int) (size / MEGABYTE), part);
    BodyPublisher all =
        BodyPublishers.fromPublisher(
            BodyPublishers.ofByteArrays(
                Collections.nCopies(parts.size(), new byte[(int) MEGABYTE])));
    return declared < 0 ? all : BodyPublishers.fromPublisher(all, declared);
  }
}
