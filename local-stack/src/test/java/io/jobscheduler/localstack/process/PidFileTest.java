package io.jobscheduler.localstack.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PidFileTest {
  private final ProcessHandle self = ProcessHandle.current();
  private final Path path;
  private final PidFile file;

  PidFileTest(@TempDir Path folder) {
    path = folder.resolve("self.pid");
    file = new PidFile(path);
  }

  @Test
  void findsProcessThatWasWritten() {
    file.write(self);

    assertEquals(Optional.of(self), file.running());
  }

  @Test
  void doesNotTakeAnotherProcessOfThatPidForIt() throws IOException {
    Instant earlier = self.info().startInstant().orElseThrow().minusSeconds(10);
    Files.writeString(path, self.pid() + " " + earlier.toEpochMilli() + "\n");

    assertEquals(Optional.empty(), file.running());
  }

  @Test
  void doesNotFindProcessThatHasEnded() throws IOException, InterruptedException {
    Process ended = new ProcessBuilder("sh", "-c", "read line").start();
    file.write(ended.toHandle());
    ended.getOutputStream().close();
    ended.waitFor();

    assertEquals(Optional.empty(), file.running());
  }

  @Test
  void knowsNothingFromFileThatWasCutShort() throws IOException {
    Files.writeString(path, Long.toString(self.pid()));

    assertEquals(Optional.empty(), file.running());
  }

  @Test
  void knowsNothingWithoutFile() {
    assertEquals(Optional.empty(), file.running());
  }
}
