package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs by the line: application/x-ndjson. */
@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class JobLinesHttpTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private String project;

  @BeforeEach
  void makeProject() {
    admin = ApiClient.admin(base);
    project = admin.project("p" + UUID.randomUUID());
  }

  private List<JsonNode> send(String... lines) throws Exception {
    HttpResponse<InputStream> answer =
        HttpClient.newHttpClient()
            .send(
                admin
                    .request(project + "/jobs/bulk")
                    .header("Content-Type", "application/x-ndjson")
                    .POST(HttpRequest.BodyPublishers.ofString(String.join("\n", lines)))
                    .build(),
                HttpResponse.BodyHandlers.ofInputStream());
    assertEquals(200, answer.statusCode());
    List<JsonNode> verdicts = new ArrayList<>();
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
      String line;
      while ((line = in.readLine()) != null) {
        verdicts.add(JSON.readTree(line));
      }
    }
    return verdicts;
  }

  private int count() {
    return admin.get(project + "/jobs").json().path("count").path("value").asInt();
  }

  private static void refused(JsonNode verdict, int line, int status, String type, String pointer) {
    assertEquals(line, verdict.path("line").asInt(), verdict.toString());
    assertEquals(status, verdict.path("status").asInt(), verdict.toString());
    assertEquals("/problems/" + type, verdict.path("type").asText());
    assertEquals(pointer, verdict.path("errors").path(0).path("pointer").asText());
    assertFalse(verdict.has("id"));
  }

  @Test
  void eachLineHasItsVerdictAndABrokenOneStopsNoOther() throws Exception {
    List<JsonNode> verdicts =
        send(
            "{\"type\":\"a\"}",
            "{\"type\":\"b\",\"payload\":\"x\\u0000\"}",
            "",
            "{\"type\":\"c\",\"queue\":\"nowhere\"}",
            "{\"type\":\"d\",\"runAt\":\"2999-01-01T00:00:00Z\"}",
            "{broken",
            "{\"type\":\"e\",\"name\":1}",
            "{\"type\":\"f\",\"payload\":\"" + "x".repeat(256 * 1024) + "\"}",
            "{\"type\":\"g\"} \r",
            "{\"type\":\"h\",\"dependsOn\":[\"999999999\"]}");
    assertEquals(9, verdicts.size());
    refused(verdicts.get(8), 10, 422, "validation-failed", "/dependsOn/0");
    assertEquals(201, verdicts.get(0).path("status").asInt());
    assertEquals("ready", verdicts.get(0).path("state").asText());
    refused(verdicts.get(1), 2, 400, "malformed-json", "/payload");
    refused(verdicts.get(2), 4, 422, "validation-failed", "/queue");
    assertEquals("scheduled", verdicts.get(3).path("state").asText());
    refused(verdicts.get(4), 6, 400, "malformed-json", "");
    refused(verdicts.get(5), 7, 400, "unknown-field", "/name");
    refused(verdicts.get(6), 8, 413, "payload-too-large", "/payload");
    assertEquals(9, verdicts.get(7).path("line").asInt());
    assertEquals(3, count());
    assertEquals(
        "a",
        admin
            .get(project + "/jobs/" + verdicts.get(0).path("id").asText())
            .json()
            .path("type")
            .asText());
  }

  @Test
  void keysAreByTheLine() throws Exception {
    String first = "{\"type\":\"a\",\"idempotencyKey\":\"k\"}";
    String other = "{\"type\":\"b\",\"idempotencyKey\":\"k\"}";
    List<JsonNode> verdicts =
        send(first, first, other, "{\"type\":\"c\",\"idempotencyKey\":\"l\"}");
    String id = verdicts.get(0).path("id").asText();
    assertEquals(201, verdicts.get(1).path("status").asInt());
    assertEquals(id, verdicts.get(1).path("id").asText());
    assertTrue(verdicts.get(1).path("replayed").asBoolean());
    assertEquals("/problems/idempotency-mismatch", verdicts.get(2).path("type").asText());
    assertEquals(201, verdicts.get(3).path("status").asInt());
    List<JsonNode> again = send(other, first);
    assertEquals("/problems/idempotency-mismatch", again.get(0).path("type").asText());
    assertEquals(id, again.get(1).path("id").asText());
    assertTrue(again.get(1).path("replayed").asBoolean());
    assertEquals(2, count());
  }

  @Test
  void uniqueKeysHaveAVerdictByTheLine() throws Exception {
    List<JsonNode> verdicts =
        send(
            "{\"type\":\"a\",\"unique\":{\"key\":\"K\"}}",
            "{\"type\":\"b\",\"unique\":{\"key\":\"K\"}}",
            "{\"type\":\"c\",\"unique\":{\"key\":\"K\",\"onConflict\":\"reject\"}}");
    assertEquals(200, verdicts.get(1).path("status").asInt());
    assertTrue(verdicts.get(1).path("duplicate").asBoolean());
    assertEquals(verdicts.get(0).path("id"), verdicts.get(1).path("id"));
    refused(verdicts.get(2), 3, 409, "conflict", "/unique");
    assertEquals(1, count());
  }

  @Test
  void intoAQueueThatFillsUpGoesWhatFits() throws Exception {
    admin.put(project + "/queues/small", "{\"maxDepth\":3}").status(201);
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      lines.add("{\"type\":\"a\",\"queue\":\"" + (i % 2 == 0 ? "small" : "default") + "\"}");
    }
    List<JsonNode> verdicts = send(lines.toArray(String[]::new));
    for (int i = 0; i < 20; i++) {
      boolean fits = i % 2 == 1 || i < 6;
      assertEquals(fits ? 201 : 429, verdicts.get(i).path("status").asInt(), "line " + i);
    }
    assertEquals("/problems/queue-full", verdicts.get(6).path("type").asText());
    assertTrue(verdicts.get(6).path("detail").asText().contains("\"small\""));
    ApiClient.Answer full = admin.post(project + "/jobs", "{\"type\":\"a\",\"queue\":\"small\"}");
    full.problem(429, "queue-full");
    assertEquals("1", full.header("Retry-After"));
    admin
        .post(project + "/jobs/bulk", "[{\"type\":\"a\"},{\"type\":\"a\",\"queue\":\"small\"}]")
        .problem(429, "queue-full");
    assertEquals(13, count());
  }

  /** Sends as the test says, and reads at once. */
  private Socket open() throws IOException {
    return open(admin.token());
  }

  private Socket open(String token) throws IOException {
    Socket socket = new Socket(base.getHost(), base.getPort());
    socket.setSoTimeout(30_000);
    socket
        .getOutputStream()
        .write(
            ("POST "
                    + project
                    + "/jobs/bulk HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                    + token
                    + "\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  /** The body of a chunked answer, whose head is passed over. */
  private static InputStream body(InputStream in) {
    return new InputStream() {
      private int left = -1;

      @Override
      public int read() throws IOException {
        if (left < 0) {
          for (String head = line(); !head.isEmpty(); head = line()) {}
          left = 0;
        }
        if (left == 0) {
          String size = line();
          left = Integer.parseInt(size.isEmpty() ? line() : size, 16);
          if (left == 0) {
            return -1;
          }
        }
        left--;
        return in.read();
      }

      @Override
      public int read(byte[] to, int from, int most) throws IOException {
        int first = most == 0 ? -1 : read();
        if (first < 0) {
          return most == 0 ? 0 : -1;
        }
        to[from] = (byte) first;
        int some = left == 0 ? 0 : in.read(to, from + 1, Math.min(left, most - 1));
        left -= Math.max(0, some);
        return 1 + Math.max(0, some);
      }

      private String line() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int c = in.read(); c != '\n' && c >= 0; c = in.read()) {
          text.append((char) c);
        }
        return text.toString().strip();
      }
    };
  }

  private static void chunk(OutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.write((Integer.toHexString(bytes.length) + "\r\n").getBytes(StandardCharsets.US_ASCII));
    out.write(bytes);
    out.write("\r\n".getBytes(StandardCharsets.US_ASCII));
    out.flush();
  }

  private static String lineWith(BufferedReader in, String word) throws IOException {
    String line = in.readLine();
    while (line != null && !line.contains(word)) {
      line = in.readLine();
    }
    return String.valueOf(line);
  }

  @Test
  void answersWhileTheRestIsOnItsWayAndACutLeavesWhatWasAnswered() throws Exception {
    try (Socket socket = open()) {
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(body(socket.getInputStream()), StandardCharsets.UTF_8));
      chunk(socket.getOutputStream(), "{\"type\":\"a\"}\n{\"type\":\"b\"}\n");
      assertTrue(lineWith(in, "\"line\":2").contains("\"status\":201"));
      assertEquals(2, count());
      chunk(socket.getOutputStream(), "{\"type\":\"c\"}\n{\"type\":\"cut o");
      assertTrue(lineWith(in, "\"line\":3").contains("\"status\":201"));
    }
    assertEquals(3, count());
  }

  @Test
  void aStreamEndsWithTheRightOfWhoSendsIt() throws Exception {
    JsonNode key =
        admin
            .post(project + "/api-keys", "{\"name\":\"lines\",\"scopes\":[\"enqueue\"]}")
            .status(201)
            .json();
    try (Socket socket = open(key.path("secret").asText())) {
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(body(socket.getInputStream()), StandardCharsets.UTF_8));
      chunk(socket.getOutputStream(), "{\"type\":\"a\"}\n");
      assertTrue(lineWith(in, "\"line\":1").contains("\"status\":201"));
      admin.delete(project + "/api-keys/" + key.path("key").path("id").asText()).status(204);
      chunk(socket.getOutputStream(), "{\"type\":\"b\"}\n");
      assertTrue(lineWith(in, "\"line\":2").contains("\"status\":401"));
      assertEquals("null", lineWith(in, "line"));
    }
    assertEquals(1, count());
  }

  @Test
  void moreStreamsThanMayRunAtOnceAreRefused() throws Exception {
    List<Socket> open = new ArrayList<>();
    List<BufferedReader> answers = new ArrayList<>();
    try {
      for (int i = 0; i < 20; i++) {
        Socket socket = open();
        open.add(socket);
        chunk(socket.getOutputStream(), "{broken\n");
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(body(socket.getInputStream()), StandardCharsets.UTF_8));
        answers.add(in);
        assertTrue(lineWith(in, "\"line\":1").contains("\"status\":400"));
      }
      ApiClient.Answer refused =
          admin.send(
              admin
                  .request(project + "/jobs/bulk")
                  .header("Content-Type", "application/x-ndjson")
                  .POST(HttpRequest.BodyPublishers.ofString("{broken\n")));
      refused.problem(429, "too-many-requests");
    } finally {
      for (int i = 0; i < open.size(); i++) {
        open.get(i).getOutputStream().write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertEquals("null", lineWith(answers.get(i), "line"));
        open.get(i).close();
      }
    }
  }

  @Test
  void aHundredThousandLinesPassAndOneMoreIsRefused() throws Exception {
    String chunk = "{\"type\":\"t\"}\n".repeat(1_000);
    int accepted = 0;
    String last = "";
    try (Socket socket = open()) {
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(body(socket.getInputStream()), StandardCharsets.UTF_8));
      for (int i = 1; i <= 100; i++) {
        chunk(socket.getOutputStream(), chunk);
        String line;
        do {
          line = in.readLine();
          if (line.contains("\"status\":201")) {
            accepted++;
          }
        } while (!line.contains("\"line\":" + i * 1_000 + ","));
      }
      chunk(socket.getOutputStream(), "{\"type\":\"t\"}\n");
      last = lineWith(in, "\"line\":100001,");
    }
    assertEquals(100_000, accepted);
    assertTrue(last.contains("payload-too-large"), last);
  }

  @Test
  void aKeyForAllLinesIsRefusedAndSoIsWhatMayNotEnqueue() throws Exception {
    admin
        .send(
            admin
                .request(project + "/jobs/bulk")
                .header("Content-Type", "application/x-ndjson")
                .header("Idempotency-Key", "k")
                .POST(HttpRequest.BodyPublishers.ofString("{\"type\":\"a\"}")))
        .problem(400, "bad-request");
    String name = project.substring(project.lastIndexOf('/') + 1);
    ApiClient viewer = admin.member(name, UUID.randomUUID() + "@x.test", "viewer");
    viewer
        .send(
            viewer
                .request(project + "/jobs/bulk")
                .header("Content-Type", "application/x-ndjson")
                .POST(HttpRequest.BodyPublishers.ofString("{\"type\":\"a\"}")))
        .problem(403, "forbidden");
    assertEquals(0, count());
  }
}
