package io.jobscheduler.schedule;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Reads the given tables. */
public final class Csv {
  private Csv() {}

  /** Returns the rows below the header. */
  public static List<List<String>> rows(String name) {
    try (var in =
        new BufferedReader(
            new InputStreamReader(
                Objects.requireNonNull(Csv.class.getResourceAsStream("/cron/" + name)),
                StandardCharsets.UTF_8))) {
      return in.lines().skip(1).map(Csv::cells).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> cells(String line) {
    List<String> cells = new ArrayList<>();
    StringBuilder cell = new StringBuilder();
    boolean quoted = false;
    for (char c : line.toCharArray()) {
      if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        cells.add(cell.toString());
        cell.setLength(0);
      } else {
        cell.append(c);
      }
    }
    cells.add(cell.toString());
    return cells;
  }
}
