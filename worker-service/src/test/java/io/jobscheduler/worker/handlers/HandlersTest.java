package io.jobscheduler.worker.handlers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HandlersTest {
  private static JobContext job(int attempt, String payload) {
    return new JobContext(1, attempt, 20, 1, "t", "shop", "mail", null, payload, null, () -> false);
  }

  @Test
  void echoReturnsThePayloadDigitForDigit() {
    String payload = "{\"a\":1E-3, \"b\": -0, \"c\": 12345678901234567890.10}";
    assertEquals(JobOutcome.done(payload), new EchoHandler().run(job(1, payload)));
    assertEquals(JobOutcome.done(), new EchoHandler().run(job(1, null)));
  }

  @Test
  void failNTimesFailsThatOftenAndThenSucceeds() throws Exception {
    FailNTimesHandler handler = new FailNTimesHandler();
    assertInstanceOf(JobOutcome.Retry.class, handler.run(job(1, "{\"times\": 2}")));
    assertInstanceOf(JobOutcome.Retry.class, handler.run(job(2, "{\"times\": 2}")));
    assertEquals(JobOutcome.done(), handler.run(job(3, "{\"times\": 2}")));
  }

  @Test
  void simulateTakesRunTimeTimesScale() throws Exception {
    long start = System.nanoTime();
    new SimulateHandler().run(job(1, "{\"scale\": 0.001, \"runtimeSeconds\": 30.5, \"x\": [{}]}"));
    assertTrue(System.nanoTime() - start >= 30_500_000);
  }

  @Test
  void sleepTakesItsTime() throws Exception {
    long start = System.nanoTime();
    new SleepHandler().run(job(1, "{\"millis\": 20}"));
    assertTrue(System.nanoTime() - start >= 20_000_000);
  }

  @Test
  void logTakesAnyMessage() throws Exception {
    assertEquals(
        JobOutcome.done(), new LogHandler().run(job(1, "{\"message\": \"a\\nb\\u0000c %s\"}")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "{\"millis\": -1}",
        "{\"millis\": \"5\"}",
        "{\"millis\": 1e99}",
        "{\"millis\"",
        "7"
      })
  void sleepRefusesAPayloadWithoutUsableMillis(String payload) {
    assertThrows(InvalidPayloadException.class, () -> new SleepHandler().run(job(1, payload)));
  }

  @Test
  void absentPayloadIsRefusedToo() {
    assertThrows(InvalidPayloadException.class, () -> new LogHandler().run(job(1, null)));
  }

  @Test
  void registryFindsByTypeAndRefusesTwoOfOne() {
    HandlerRegistry registry = new HandlerRegistry(List.of(new EchoHandler(), new LogHandler()));
    assertTrue(registry.find("echo").isPresent());
    assertTrue(registry.find("Echo").isEmpty());
    assertThrows(
        IllegalArgumentException.class,
        () -> new HandlerRegistry(List.of(new EchoHandler(), new EchoHandler())));
  }
}
