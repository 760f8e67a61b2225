package io.jobscheduler.localstack.process;

import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

/** A program that this JVM has started. All methods may be called by any thread. */
public final class ChildProcess {
  /**
   * Ctrl-C goes to every process of the terminal's foreground group. A JVM keeps an ignored signal
   * ignored, so the stack ends in order, by us, and not all at once. {@code exec} keeps the pid.
   */
  private static final String UNHEARING = "trap '' INT HUP; exec \"$@\"";

  private final Process process;
  private final PidFile pidFile;

  private ChildProcess(Process process, PidFile pidFile) {
    this.process = process;
    this.pidFile = pidFile;
  }

  /**
   * Starts a program with exactly this environment, its output appended to the log.
   *
   * @throws StackFailure when it cannot be started
   */
  public static ChildProcess start(
      List<String> command, Map<String, String> environment, LogFile log, PidFile pidFile) {
    List<String> shell = new ArrayList<>(List.of("sh", "-c", UNHEARING, "sh"));
    shell.addAll(command);
    log.mark();
    ProcessBuilder builder =
        new ProcessBuilder(shell)
            .redirectInput(new File("/dev/null"))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.file()));
    builder.environment().clear();
    builder.environment().putAll(environment);
    try {
      Process process = builder.start();
      pidFile.write(process.toHandle());
      return new ChildProcess(process, pidFile);
    } catch (IOException e) {
      throw new StackFailure("Cannot start " + command.get(0) + ": " + e.getMessage(), e);
    }
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  public void send(Signals signal) {
    signal.send(process.toHandle());
  }

  /** Its exit code (128 + n when signal n ended it), or nothing when it runs for longer. */
  public OptionalInt awaitExit(Duration limit) {
    try {
      if (!process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
        return OptionalInt.empty();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return OptionalInt.empty();
    }
    pidFile.delete();
    return OptionalInt.of(process.exitValue());
  }

  /** Asks it to end, and kills it when it has not ended within the limit. Returns the exit code. */
  public int stop(Duration limit) {
    send(Signals.CONT);
    send(Signals.TERM);
    OptionalInt exit = awaitExit(limit);
    return exit.isPresent() ? exit.getAsInt() : kill();
  }

  /** Kills it and waits until it is gone. Returns the exit code. */
  public int kill() {
    process.destroyForcibly();
    return awaitExit(Duration.ofSeconds(10)).orElse(-1);
  }
}
