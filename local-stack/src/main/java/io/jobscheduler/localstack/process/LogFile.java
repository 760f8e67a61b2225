package io.jobscheduler.localstack.process;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/** A log that one process writes and that is shown when the process fails. */
public final class LogFile {
  private static final int TAIL_BYTES = 64 * 1024;

  private final Path path;
  private long start;

  public LogFile(Path path) {
    this.path = path;
  }

  public Path path() {
    return path;
  }

  File file() {
    return path.toFile();
  }

  /** Puts the log of an earlier run aside, as {@code name.previous.log}. */
  public void putAside() {
    try {
      Files.createDirectories(path.toAbsolutePath().getParent());
      if (Files.exists(path)) {
        String name = path.getFileName().toString().replace(".log", ".previous.log");
        Files.move(path, path.resolveSibling(name), StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** From here on, what a new start of the process writes. */
  public void mark() {
    start = file().length();
  }

  /** The last lines since the last {@link #mark()}, at most 64 KiB. */
  public List<String> tail(int lines) {
    try (RandomAccessFile log = new RandomAccessFile(file(), "r")) {
      long from = Math.max(Math.min(start, log.length()), log.length() - TAIL_BYTES);
      byte[] bytes = new byte[(int) (log.length() - from)];
      log.seek(from);
      log.readFully(bytes);
      List<String> all = new String(bytes, StandardCharsets.UTF_8).lines().toList();
      return all.subList(Math.max(0, all.size() - lines), all.size());
    } catch (IOException notWritten) {
      return List.of();
    }
  }

  /** The last lines, each indented, with the file's name: for a message. */
  public String shown(int lines) {
    List<String> tail = tail(lines);
    if (tail.isEmpty()) {
      return "Its log " + path + " is empty.";
    }
    return "Last lines of " + path + ":\n    " + String.join("\n    ", tail);
  }
}
