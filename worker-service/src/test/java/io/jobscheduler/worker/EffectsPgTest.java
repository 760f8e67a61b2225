package io.jobscheduler.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.schema.testing.TestDatabase;
import io.jobscheduler.worker.handlers.JobOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The effect log names every run of a handler by the lease that the database gave. */
class EffectsPgTest {
  @TempDir Path folder;

  @RegisterExtension
  @Order(1)
  final TestDatabase database = new TestDatabase();

  @RegisterExtension
  @Order(2)
  final Rig rig = new Rig(database);

  private final Jobs jobs = new Jobs(database);

  @Test
  void namesEachAttemptByItsRecordedLease() throws IOException {
    rig.effectsFolder = folder;
    int queue = jobs.queue("mail");
    long job = jobs.ready(queue, "twice", null);
    rig.ready(
        TestHandlers.handler(
            "twice",
            context ->
                context.attempt() == 1
                    ? new JobOutcome.Retry("no", "not yet", Duration.ZERO)
                    : JobOutcome.done()));
    Await.until("it has succeeded", () -> jobs.count("succeeded") == 1);

    long failed = jobs.number("SELECT lease_token FROM finished_attempts WHERE job_id = " + job);
    long succeeded = jobs.number("SELECT lease_token FROM finished_jobs WHERE id = " + job);
    long worker = jobs.number("SELECT worker_id FROM finished_jobs WHERE id = " + job);
    assertEquals(
        List.of(
            "begin " + job + " 1 " + failed + " " + worker,
            "end " + job + " 1 " + failed + " " + worker + " failed",
            "begin " + job + " 2 " + succeeded + " " + worker,
            "end " + job + " 2 " + succeeded + " " + worker + " succeeded"),
        lines());
  }

  private List<String> lines() throws IOException {
    List<String> lines = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        for (String line : Files.readAllLines(file)) {
          String[] field = line.split("\t", -1);
          lines.add(
              String.join(" ", field[0], field[1], field[2], field[3], field[7])
                  + (field.length > 11 ? " " + field[11] : ""));
        }
      }
    }
    return lines;
  }
}
