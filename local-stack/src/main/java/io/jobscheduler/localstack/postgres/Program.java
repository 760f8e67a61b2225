package io.jobscheduler.localstack.postgres;

import io.jobscheduler.localstack.process.StackFailure;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** One run of a program to its end. */
final class Program {
  /** How it ended, and what it wrote. */
  record Outcome(int exit, String output) {}

  private Program() {}

  /** Runs it with that input. A program that leaves processes behind must detach their output. */
  static Outcome run(List<String> command, String input) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      try (OutputStream in = process.getOutputStream()) {
        in.write(input.getBytes(StandardCharsets.UTF_8));
      }
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      return new Outcome(process.waitFor(), output);
    } catch (IOException e) {
      throw new StackFailure("Cannot run " + command.get(0) + ": " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StackFailure("Interrupted.", e);
    }
  }
}
