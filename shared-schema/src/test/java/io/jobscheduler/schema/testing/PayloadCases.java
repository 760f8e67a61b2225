package io.jobscheduler.schema.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The cases of {@code payload-cases.tsv}, which every way of handing in a job must judge alike. */
public final class PayloadCases {
  private static final Pattern REPEATED = Pattern.compile("<(\\d+)\\*(.+?)>");

  private PayloadCases() {}

  /**
   * A payload and whether it is acceptable.
   *
   * @param name as the file has it
   */
  public record Case(String name, boolean accepted, String json) {
    @Override
    public String toString() {
      return name;
    }
  }

  /** All of them. */
  public static List<Case> all() {
    try (InputStream in =
        Objects.requireNonNull(PayloadCases.class.getResourceAsStream("payload-cases.tsv"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(PayloadCases::of)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Case of(String line) {
    int tab = line.indexOf('\t');
    String json =
        REPEATED
            .matcher(line.substring(tab + 1))
            .replaceAll(
                m -> Matcher.quoteReplacement(m.group(2).repeat(Integer.parseInt(m.group(1)))));
    return new Case(line, line.startsWith("accept"), json);
  }
}
