package io.jobscheduler.localstack.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Whether a process that need not be our child still runs. */
public final class Processes {
  private Processes() {}

  /**
   * False also for a corpse that nobody collects, as under a container's first process: Java calls
   * it alive.
   */
  public static boolean runs(ProcessHandle process) {
    return process.isAlive() && !isCorpse(process.pid());
  }

  /** Waits for its end; false when it still runs after the limit. */
  public static boolean awaitEnd(ProcessHandle process, Duration limit) {
    return Await.until(limit, () -> !runs(process));
  }

  private static boolean isCorpse(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      return stat.substring(stat.lastIndexOf(')')).startsWith(") Z");
    } catch (IOException endedOrNoSuchFolder) {
      return false;
    }
  }
}
