package io.jobscheduler.localstack.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChildProcessTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  /** Says that it runs, then waits; a second argument is run first. */
  private static final String WAITING = "%s; echo waiting; while :; do sleep 0.05; done";

  private final LogFile log;
  private final PidFile pidFile;
  private final Map<String, String> path = Map.of("PATH", System.getenv("PATH"), "WORD", "given");
  private ChildProcess process;

  ChildProcessTest(@TempDir Path folder) {
    log = new LogFile(folder.resolve("child.log"));
    pidFile = new PidFile(folder.resolve("child.pid"));
    process = start("true");
  }

  private ChildProcess start(String first) {
    return ChildProcess.start(List.of("sh", "-c", WAITING.formatted(first)), path, log, pidFile);
  }

  @AfterEach
  void end() {
    process.kill();
  }

  private void awaitWaiting() {
    assertTrue(Await.until(LIMIT, () -> log.tail(5).contains("waiting")), "it did not start");
  }

  @Test
  void doesNotHearTheTerminalsInterrupt() {
    awaitWaiting();

    process.send(Signals.INT);
    process.send(Signals.TERM);

    assertEquals(OptionalInt.of(128 + 15), process.awaitExit(LIMIT), "not the interrupt ended it");
  }

  @Test
  void killsWhatDoesNotEndByItself() {
    process.kill();
    process = start("trap '' TERM");
    awaitWaiting();

    int exit = process.stop(Duration.ofMillis(200));

    assertEquals(128 + 9, exit);
    assertTrue(pidFile.running().isEmpty());
  }

  @Test
  void endsEvenWhileStopped() {
    awaitWaiting();
    process.send(Signals.STOP);

    assertEquals(128 + 15, process.stop(LIMIT));
  }

  @Test
  void hasNoVariablesButThoseGiven() {
    process.kill();
    process = start("echo \"$WORD, home: $HOME.\"");
    awaitWaiting();

    assertEquals("given, home: .", log.tail(2).get(0));
  }

  @Test
  void showsOnlyWhatTheLastStartWrote() {
    awaitWaiting();
    process.kill();
    process = start("echo again");

    assertTrue(Await.until(LIMIT, () -> log.tail(9).contains("waiting")));
    assertEquals(List.of("again", "waiting"), log.tail(9));
  }
}
