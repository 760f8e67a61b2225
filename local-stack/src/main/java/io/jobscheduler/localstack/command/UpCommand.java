package io.jobscheduler.localstack.command;

import io.jobscheduler.localstack.LocalStack;
import io.jobscheduler.localstack.StackFolder;
import io.jobscheduler.localstack.process.Await;
import io.jobscheduler.localstack.process.StackFailure;
import io.jobscheduler.localstack.service.ServiceProcess;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs the stack in the foreground until Ctrl-C, {@code make down}, or the failure of a part of it.
 *
 * <p>A service that somebody killed (signal 9) after it was ready is started again, as any
 * orchestrator would: kill one in the middle of a demo and watch. One that ends in any other way
 * ends the stack.
 */
final class UpCommand {
  private static final int KILLED = 128 + 9;
  private static final Duration ROUND = Duration.ofSeconds(1);

  private final StackFolder folder;
  private final Consumer<String> out;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile @Nullable LocalStack stack;
  private volatile boolean stopping;
  private volatile int exitCode;

  UpCommand(StackFolder folder, Consumer<String> out) {
    this.folder = folder;
    this.out = out;
  }

  /** Returns only when something failed; otherwise the JVM ends by signal, with exit code 0. */
  int run() {
    try (FileChannel channel = lockFile();
        @Nullable FileLock lock = channel.tryLock()) {
      if (lock == null) {
        throw new StackFailure(alreadyRunning());
      }
      RunningStack.supervisor(folder).write(ProcessHandle.current());
      Runtime.getRuntime().addShutdownHook(new Thread(this::shutDown, "shutdown"));
      return runLocked();
    } catch (IOException e) {
      throw new StackFailure("Cannot use " + folder.home() + ": " + e.getMessage(), e);
    }
  }

  private FileChannel lockFile() throws IOException {
    Files.createDirectories(folder.run());
    return FileChannel.open(
        folder.run().resolve("up.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  private String alreadyRunning() {
    String who =
        RunningStack.supervisor(folder)
            .running()
            .map(process -> " (process " + process.pid() + ")")
            .orElse("");
    return "The stack is running already" + who + ". Stop it: make down";
  }

  private int runLocked() {
    try {
      RunningStack.forget(folder);
      Leftovers.end(folder, out);
      LocalStack started = UpSettings.stack(folder, System.getenv(), out);
      stack = started;
      started.start();
      RunningStack.announce(started);
      out.accept(Welcome.text(started));
      watch(started);
      return 0;
    } catch (StackFailure e) {
      if (stopping) {
        // Ctrl-C in the middle of a start: what failed, failed because it is being ended.
        Await.until(Duration.ofMinutes(2), () -> ended.getCount() == 0);
        return 0;
      }
      exitCode = 1;
      throw e;
    }
  }

  private void watch(LocalStack running) {
    while (!awaitEnd()) {
      for (ServiceProcess process : running.processes()) {
        if (!process.isAlive() && !stopping) {
          revive(running, process);
        }
      }
      Optional<ProcessHandle> postgres = running.postgres().serverProcess();
      if (postgres.isEmpty() && !stopping) {
        throw new StackFailure("PostgreSQL has ended. " + running.postgres().log().shown(20));
      }
    }
  }

  private void revive(LocalStack running, ServiceProcess process) {
    OptionalInt exit = process.awaitExit(Duration.ZERO);
    if (stopping) {
      return;
    }
    if (exit.orElse(0) != KILLED) {
      throw new StackFailure(
          process.name() + " has ended (" + process.exitWords() + "). " + process.log().shown(20));
    }
    out.accept(process.name() + " was killed. Starting it again …");
    running.startAgain(process);
    out.accept(process.name() + " is back as process " + process.pid() + ".");
  }

  private boolean awaitEnd() {
    try {
      return ended.await(ROUND.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** Runs on Ctrl-C, SIGTERM, a closed terminal, and after a failure. */
  private void shutDown() {
    stopping = true;
    RunningStack.forget(folder);
    LocalStack running = stack;
    if (running != null) {
      running.close();
      out.accept("Stopped.");
    }
    RunningStack.supervisor(folder).delete();
    ended.countDown();
    // Ended as asked: 0, not the 130 or 143 of a signal.
    Runtime.getRuntime().halt(exitCode);
  }
}
