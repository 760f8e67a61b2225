package io.jobscheduler.api.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class LineStreamTest {
  private static final Supplier<Grant> GONE =
      () -> {
        throw ProblemException.of(ProblemType.UNAUTHORIZED, "gone");
      };

  private static LineStream stream(Duration time, int most) {
    // No line of these tests is enqueued.
    return new LineStream(null, new ObjectMapper(), time, most);
  }

  private static String answer(LineStream stream, InputStream in) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    stream.answer(GONE, 100, null, in, out);
    return out.toString(StandardCharsets.UTF_8);
  }

  private static InputStream lines(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void whoHasLostTheRightIsToldAndTheStreamEnds() throws IOException {
    String text = "{\"type\":\"a\"}\n".repeat(LineStream.LINES_OF_BATCH + 1);
    String answer = answer(stream(Duration.ofHours(1), 1), lines(text));
    assertEquals(LineStream.LINES_OF_BATCH, answer.lines().count());
    assertTrue(answer.lines().allMatch(line -> line.contains("\"status\":401")), answer);
  }

  @Test
  void whatComesLateIsRefused() throws IOException {
    String answer = answer(stream(Duration.ZERO, 1), lines("{broken\n"));
    assertTrue(answer.startsWith("{\"line\":1,\"status\":503,"), answer);
    assertEquals(1, answer.lines().count());
  }

  @Test
  void noMoreRunAtOnceThanMay() throws Exception {
    LineStream stream = stream(Duration.ofHours(1), 1);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    InputStream slow =
        new InputStream() {
          @Override
          public int read() throws IOException {
            begun.countDown();
            try {
              assertTrue(go.await(30, TimeUnit.SECONDS));
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
            return -1;
          }
        };
    CompletableFuture<String> first =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return answer(stream, slow);
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    assertTrue(begun.await(30, TimeUnit.SECONDS));
    ProblemException refused =
        assertThrows(ProblemException.class, () -> answer(stream, lines("{broken\n")));
    assertEquals(ProblemType.TOO_MANY_REQUESTS, refused.type());
    go.countDown();
    assertEquals("", first.get(30, TimeUnit.SECONDS));
    assertEquals(1, answer(stream, lines("{broken\n")).lines().count());
  }
}
