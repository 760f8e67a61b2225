package io.jobscheduler.worker.effects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.worker.claim.ClaimedJob;
import io.jobscheduler.worker.claim.QueueName;
import io.jobscheduler.worker.execute.JobRun;
import io.jobscheduler.worker.handlers.AttemptNotes;
import io.jobscheduler.worker.handlers.RunningAttempt;
import io.jobscheduler.worker.handlers.WorkflowAccess;
import io.jobscheduler.worker.settle.Settlement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EffectLogTest {
  private static final ClaimedJob JOB =
      new ClaimedJob(
          7,
          70,
          1,
          4,
          1,
          1,
          new QueueName("shop", "mail"),
          null,
          2,
          3,
          4,
          "send",
          null,
          1,
          null,
          null,
          null);

  private static final RunningAttempt RUNNING =
      new RunningAttempt() {
        @Override
        public AttemptNotes notes() {
          return AttemptNotes.NONE;
        }

        @Override
        public WorkflowAccess workflow() {
          return WorkflowAccess.NONE;
        }

        @Override
        public boolean isCancelled() {
          return false;
        }
      };

  @TempDir Path folder;

  @Test
  void leavesTheRunAsItIsWhenOff() {
    JobRun run = (job, running) -> Settlement.succeeded(null);
    assertSame(run, EffectLog.in(null).around(1, run));
  }

  @Test
  void writesTheBeginBeforeTheHandlerRunsAndTheEndBeforeItIsSettled() {
    List<String> whileRunning = new ArrayList<>();
    JobRun run =
        EffectLog.in(folder.resolve("made"))
            .around(
                99,
                (job, running) -> {
                  whileRunning.addAll(lines());
                  return Settlement.snoozed(null, null);
                });

    run.run(JOB, RUNNING);

    long pid = ProcessHandle.current().pid();
    assertEquals(1, whileRunning.size());
    assertTrue(
        whileRunning.get(0).startsWith("begin\t7\t2\t70\tshop\tmail\tsend\t99\t" + pid + "\t"),
        whileRunning.get(0));
    List<String> after = lines();
    assertEquals(2, after.size());
    assertTrue(after.get(1).startsWith("end\t7\t2\t70\tshop\tmail\tsend\t99\t"), after.get(1));
    assertTrue(after.get(1).endsWith("\tsnoozed"), after.get(1));
    assertTrue(nanos(after.get(0)) <= nanos(after.get(1)));
  }

  @Test
  void writesTheEndOfWhatIsThrownAndOnAnInterruptedThread() {
    JobRun run =
        EffectLog.in(folder)
            .around(
                1,
                (job, running) -> {
                  Thread.currentThread().interrupt();
                  throw new StackOverflowError();
                });

    assertThrows(StackOverflowError.class, () -> run.run(JOB, RUNNING));
    assertThrows(StackOverflowError.class, () -> run.run(JOB, RUNNING));

    assertTrue(Thread.interrupted());
    assertEquals(4, lines().size());
    assertTrue(lines().get(3).endsWith("\tthrown"), lines().get(3));
  }

  @Test
  void refusesAFolderThatCannotBe() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> EffectLog.in(file));
    assertTrue(refused.getMessage().startsWith("jobs.worker.effects-folder cannot be written"));
  }

  private static long nanos(String line) {
    return Long.parseLong(line.split("\t", -1)[9]);
  }

  private List<String> lines() {
    try (Stream<Path> files = Files.walk(folder)) {
      List<String> lines = new ArrayList<>();
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        lines.addAll(Files.readAllLines(file));
      }
      return lines;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
