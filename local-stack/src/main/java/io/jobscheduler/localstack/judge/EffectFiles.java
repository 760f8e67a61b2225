package io.jobscheduler.localstack.judge;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the files of the effect log, see docs/chaos.md for the form of a line. */
final class EffectFiles {
  private static final int BEGIN_FIELDS = 11;

  /** Names come in hundreds, lines in hundreds of thousands. */
  private final Map<String, String> names = new HashMap<>();

  private final Map<Long, Effect> byToken = new HashMap<>();
  private long lines;
  private long unreadable;

  private EffectFiles() {}

  /**
   * What the files of a folder say.
   *
   * @param byJob one for each lease, by job and then by token
   * @param unreadable lines that are none, as the last one of a process on a full disk
   */
  record Content(List<Effect> byJob, long lines, long unreadable) {}

  /** Reads every file; a folder that is missing has none. About 100 bytes a lease are kept. */
  static Content read(Path folder) throws IOException {
    EffectFiles files = new EffectFiles();
    if (Files.isDirectory(folder)) {
      try (Stream<Path> found = Files.list(folder)) {
        for (Path file : found.sorted().toList()) {
          files.readFile(file);
        }
      }
    }
    List<Effect> byJob =
        files.byToken.values().stream()
            .sorted(Comparator.comparingLong((Effect e) -> e.job).thenComparingLong(e -> e.token))
            .toList();
    return new Content(byJob, files.lines, files.unreadable);
  }

  private void readFile(Path file) throws IOException {
    try (BufferedReader reader = Files.newBufferedReader(file)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines++;
        if (!take(line.split("\t", -1))) {
          unreadable++;
        }
      }
    }
  }

  private boolean take(String[] field) {
    boolean begin = field[0].equals("begin") && field.length == BEGIN_FIELDS;
    boolean end = field[0].equals("end") && field.length == BEGIN_FIELDS + 1;
    if (!begin && !end) {
      return false;
    }
    try {
      Effect effect = effect(field);
      long nanos = Long.parseLong(field[9]);
      if (begin) {
        effect.begins++;
        effect.beganNanos = nanos;
      } else {
        effect.ends++;
        effect.endedNanos = nanos;
        effect.outcome = name(field[11]);
      }
      return true;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  private Effect effect(String[] field) {
    Effect line =
        new Effect(
            Long.parseLong(field[1]),
            Long.parseLong(field[3]),
            Integer.parseInt(field[2]),
            name(field[4]),
            name(field[5]),
            Long.parseLong(field[7]),
            Long.parseLong(field[8]));
    @Nullable Effect known = byToken.putIfAbsent(line.token, line);
    if (known == null) {
      return line;
    }
    known.torn |= known.job != line.job || known.incarnation != line.incarnation;
    return known;
  }

  private String name(String name) {
    return names.computeIfAbsent(name, n -> n);
  }
}
