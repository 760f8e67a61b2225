package io.jobscheduler.localstack.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Which process it was, for whoever has to end it later: the pid and the instant at which it
 * started. The pid alone may meanwhile be another's.
 */
public final class PidFile {
  /** The start is computed from the time of boot, which moves when the clock is set. */
  private static final Duration TOLERANCE = Duration.ofSeconds(2);

  private final Path file;

  public PidFile(Path file) {
    this.file = file;
  }

  /** Writes down a running process. */
  public void write(ProcessHandle process) {
    long startedAt = process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.writeString(file, process.pid() + " " + startedAt + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The process that was written down, if it still runs and is that very one. */
  public Optional<ProcessHandle> running() {
    String[] words;
    try {
      words = Files.readString(file).strip().split(" ", -1);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    try {
      Instant startedAt = Instant.ofEpochMilli(Long.parseLong(words[1]));
      return find(Long.parseLong(words[0]), startedAt, TOLERANCE);
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException cutShort) {
      // Written by a process that was killed while writing: nothing is known, so nothing is ended.
      return Optional.empty();
    }
  }

  /** The running process of that pid, if that is when it started, give or take. */
  public static Optional<ProcessHandle> find(long pid, Instant startedAt, Duration tolerance) {
    return ProcessHandle.of(pid)
        .filter(Processes::runs)
        .filter(
            process ->
                process
                    .info()
                    .startInstant()
                    .map(start -> Duration.between(start, startedAt).abs())
                    .filter(difference -> difference.compareTo(tolerance) <= 0)
                    .isPresent());
  }

  public void delete() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The file's name without its ending. */
  public String name() {
    return file.getFileName().toString().replace(".pid", "");
  }
}
