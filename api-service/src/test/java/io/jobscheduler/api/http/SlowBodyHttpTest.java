package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.api.json.JsonBody;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class SlowBodyHttpTest {
  private static final int TIMEOUT_MILLIS = 60_000;

  @TestHTTPResource("/")
  URI base;

  /** Else as many slow clients as there are connections keep everybody else out. */
  @Test
  void aBodyThatDoesNotComeKeepsNoTransactionOpen() throws IOException {
    ApiClient admin = ApiClient.admin(base);
    String project = admin.project("slow-body");
    String body = "{\"weight\":3}";
    try (Socket client = new Socket(base.getHost(), base.getPort())) {
      client.setSoTimeout(TIMEOUT_MILLIS);
      OutputStream out = client.getOutputStream();
      out.write(
          """
          PATCH %s/queues/default HTTP/1.1\r
          Host: localhost\r
          Authorization: Bearer %s\r
          Content-Type: application/json\r
          Content-Length: %d\r
          Connection: close\r
          \r
          """
              .formatted(project, admin.token(), body.length())
              .getBytes(StandardCharsets.US_ASCII));
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
      awaitWaitingForBody();
      // Whose authorisation would have left its locks in the transaction.
      assertEquals(
          "0",
          ApiClient.value(
              "SELECT count(*) FROM pg_locks WHERE relation = 'projects'::regclass"
                  + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"));
      out.write(body.getBytes(StandardCharsets.US_ASCII));
      String answer = in.readLine();
      assertTrue(answer.startsWith("HTTP/1.1 200"), answer);
    }
  }

  // The service runs in this process: a thread of it stands in the method that reads bodies.
  private static void awaitWaitingForBody() {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MILLIS);
    while (Thread.getAllStackTraces().entrySet().stream()
        .noneMatch(
            thread ->
                thread.getKey().getState() != Thread.State.RUNNABLE
                    && Arrays.stream(thread.getValue())
                        .anyMatch(
                            frame -> frame.getClassName().equals(JsonBody.class.getName())))) {
      assertTrue(System.nanoTime() - end < 0, "nobody waits for the body");
      Thread.onSpinWait();
    }
  }
}
