package io.jobscheduler.worker.effects;

import io.jobscheduler.worker.claim.ClaimedJob;
import io.jobscheduler.worker.execute.JobRun;
import io.jobscheduler.worker.settle.Settlement;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * One line at the begin and one at the end of every run of a handler, in a file of this process's
 * own: {@code worker-<pid>-<microseconds since the epoch>.effects}. A line is one {@code write} to
 * a file opened for appending, so what was written outlives a {@code kill -9}; it need not outlive
 * the machine. About 120 bytes and 3 µs a line.
 *
 * <p>A line has these fields, between tabs: {@code begin} or {@code end}; job id; attempt; lease
 * token; project; queue; type; incarnation; process id; {@link System#nanoTime}, which on Linux all
 * processes of a machine share; microseconds since the epoch by this process's clock; and of an end
 * the outcome that the handler asked for, {@code thrown} when it did not get that far. Thread-safe.
 */
public final class EffectLog {
  private static final Logger LOG = Logger.getLogger(EffectLog.class);

  private final @Nullable OutputStream file;
  private final long pid = ProcessHandle.current().pid();
  private final AtomicBoolean failed = new AtomicBoolean();

  private EffectLog(@Nullable OutputStream file) {
    this.file = file;
  }

  /**
   * Opens this process's file in a folder, which is made when missing; null: nothing is written. It
   * stays open until the process ends: a handler that was given up may end after all else.
   *
   * @throws IllegalArgumentException when the folder cannot be written
   */
  public static EffectLog in(@Nullable Path folder) {
    if (folder == null) {
      return new EffectLog(null);
    }
    try {
      Files.createDirectories(folder);
      String name = "worker-" + ProcessHandle.current().pid() + "-" + micros() + ".effects";
      // Not a channel: an interrupt of a handler's thread would close it. Not buffered.
      return new EffectLog(new FileOutputStream(folder.resolve(name).toFile(), true));
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "jobs.worker.effects-folder cannot be written: " + e.getMessage(), e);
    }
  }

  /** What runs the handlers of an incarnation, with its lines; the very same when this is off. */
  public JobRun around(long incarnation, JobRun run) {
    OutputStream to = file;
    if (to == null) {
      return run;
    }
    return (job, running) -> {
      write(to, line("begin", job, incarnation).append('\n'));
      String outcome = "thrown";
      try {
        Settlement settlement = run.run(job, running);
        outcome = settlement.outcome();
        return settlement;
      } finally {
        write(to, line("end", job, incarnation).append('\t').append(outcome).append('\n'));
      }
    };
  }

  private StringBuilder line(String what, ClaimedJob job, long incarnation) {
    return new StringBuilder(160)
        .append(what)
        .append('\t')
        .append(job.id())
        .append('\t')
        .append(job.attempt())
        .append('\t')
        .append(job.leaseToken())
        .append('\t')
        .append(job.queue().project())
        .append('\t')
        .append(job.queue().queue())
        .append('\t')
        .append(job.type())
        .append('\t')
        .append(incarnation)
        .append('\t')
        .append(pid)
        .append('\t')
        .append(System.nanoTime())
        .append('\t')
        .append(micros());
  }

  private void write(OutputStream to, StringBuilder line) {
    try {
      to.write(line.toString().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      // The jobs matter more than what is told of them.
      if (failed.compareAndSet(false, true)) {
        LOG.errorf("Effects can no longer be written, see to the disk cause=%s", e.toString());
      }
    }
  }

  private static long micros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }
}
