package io.jobscheduler.localstack.command;

import io.jobscheduler.localstack.Repository;
import io.jobscheduler.localstack.StackFolder;
import io.jobscheduler.localstack.chaos.ChaosCommand;
import io.jobscheduler.localstack.demo.DemoCommand;
import io.jobscheduler.localstack.process.StackFailure;
import java.nio.file.Path;

/** Chooses the command and turns its outcome into an exit code. */
public final class Commands {
  private static final String USAGE = "usage: java -jar local-stack.jar up | demo | down | chaos";

  private Commands() {}

  /** Runs the command named by the first argument; returns the process's exit code. */
  public static int run(String[] args) {
    String command = args.length == 1 ? args[0] : "";
    try {
      return switch (command) {
        case "up" -> new UpCommand(folder(), System.out::println).run();
        case "demo" -> new DemoCommand(folder(), Repository.find(), System.out).run();
        case "down" -> new DownCommand(folder(), chaosFolder(), System.out::println).run();
        case "chaos" -> ChaosCommand.of(System.getenv(), Repository.find(), System.out).run();
        default -> {
          System.err.println(USAGE);
          yield 2;
        }
      };
    } catch (StackFailure e) {
      System.err.println(e.getMessage());
      return 1;
    }
  }

  /** {@code chaos} in that folder, or the folder that the variable names. */
  private static Path chaosFolder() {
    String given = System.getenv().getOrDefault("CHAOS_FOLDER", "").strip();
    return given.isEmpty() ? folder().home().resolve("chaos") : Path.of(given);
  }

  /** {@code .local} in the checkout, or the folder that the variable names. */
  private static StackFolder folder() {
    String given = System.getenv().getOrDefault("JOBS_UP_FOLDER", "").strip();
    return new StackFolder(
        given.isEmpty() ? Repository.find().root().resolve(".local") : Path.of(given));
  }
}
