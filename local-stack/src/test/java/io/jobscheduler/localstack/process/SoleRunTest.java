package io.jobscheduler.localstack.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SoleRunTest {
  private final Path folder;
  private final PidFile pidFile;

  SoleRunTest(@TempDir Path folder) {
    this.folder = folder;
    this.pidFile = new PidFile(folder.resolve("run").resolve("chaos.pid"));
  }

  @Test
  void refusesASecondRunAndSaysWhoHasTheFolder() {
    SoleRun first = SoleRun.take(folder, "chaos", pidFile);
    try {
      StackFailure refused =
          assertThrows(StackFailure.class, () -> SoleRun.take(folder, "chaos", pidFile));

      assertTrue(
          refused.getMessage().contains("process " + ProcessHandle.current().pid()),
          refused.getMessage());
      assertEquals(Optional.of(ProcessHandle.current()), pidFile.running());
    } finally {
      first.close();
    }
  }

  @Test
  void leavesTheFolderToTheNextRun() {
    SoleRun.take(folder, "chaos", pidFile).close();

    assertEquals(Optional.empty(), pidFile.running());
    SoleRun.take(folder, "chaos", pidFile).close();
  }
}
