package io.jobscheduler.schedule.cron;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Cuts an expression's text into fields, and turns aliases into what they stand for. */
final class CronText {
  private static final Map<String, String> ALIASES =
      new TreeMap<>(
          Map.of(
              "@yearly", "0 0 1 1 *",
              "@annually", "0 0 1 1 *",
              "@monthly", "0 0 1 * *",
              "@weekly", "0 0 * * 0",
              "@daily", "0 0 * * *",
              "@midnight", "0 0 * * *",
              "@hourly", "0 * * * *"));

  /**
   * A field's text and where it starts.
   *
   * @param text the field as typed
   * @param position its first character's place in the whole text
   */
  record Part(String text, int position) {}

  private CronText() {}

  /** Returns the fields of {@code text}, as many as one of the dialects takes. */
  static List<Part> parts(String text, @Nullable CronDialect dialect) {
    if (text.length() > CronExpression.MAX_LENGTH) {
      throw CronSyntaxException.ofText(
          CronErrorCode.TOO_LONG,
          text.substring(0, 20) + "...",
          "longer than " + CronExpression.MAX_LENGTH + " characters",
          null);
    }
    List<Part> parts = split(text);
    if (parts.isEmpty()) {
      throw CronSyntaxException.ofText(
          CronErrorCode.EMPTY, text, "the expression is empty", "`0 9 * * 1-5`");
    }
    Part first = parts.get(0);
    if (first.text().startsWith("@")) {
      return alias(text, first, parts.size(), dialect);
    }
    int composed = text.indexOf("||");
    if (composed >= 0) {
      throw new CronSyntaxException(
          CronErrorCode.SYNTAX,
          null,
          composed,
          "||",
          "expressions cannot be joined by ||",
          "make one schedule for each");
    }
    checkCount(text, parts.size(), dialect);
    return parts;
  }

  private static List<Part> split(String text) {
    List<Part> parts = new ArrayList<>();
    int start = -1;
    for (int i = 0; i <= text.length(); i++) {
      boolean blank = i == text.length() || isBlank(text, i);
      if (!blank && start < 0) {
        start = i;
      } else if (blank && start >= 0) {
        parts.add(new Part(text.substring(start, i), start));
        start = -1;
      }
    }
    return parts;
  }

  /** Blanks and tabs separate; line ends may only surround the whole. */
  private static boolean isBlank(String text, int i) {
    char c = text.charAt(i);
    return c == ' ' || c == '\t' || (c == '\n' || c == '\r') && isOutside(text, i);
  }

  private static boolean isOutside(String text, int i) {
    return text.substring(0, i).isBlank() || text.substring(i).isBlank();
  }

  private static List<Part> alias(
      String text, Part word, int count, @Nullable CronDialect dialect) {
    @Nullable String meaning = ALIASES.get(word.text().toLowerCase(Locale.ROOT));
    if (meaning == null || count > 1) {
      String typed = text.substring(word.position()).strip();
      boolean every = word.text().toLowerCase(Locale.ROOT).equals("@every");
      throw new CronSyntaxException(
          CronErrorCode.ALIAS,
          null,
          word.position(),
          typed,
          "'" + typed + "' is not supported; allowed: " + String.join(", ", ALIASES.keySet()),
          every ? "an interval schedule: every: PT5M" : null);
    }
    if (dialect == CronDialect.QUARTZ) {
      throw new CronSyntaxException(
          CronErrorCode.ALIAS,
          null,
          word.position(),
          word.text(),
          "'" + word.text() + "' belongs to the 5-field form",
          "`" + meaning + "` in the unix dialect");
    }
    return split(meaning).stream().map(part -> new Part(part.text(), word.position())).toList();
  }

  private static void checkCount(String text, int count, @Nullable CronDialect dialect) {
    boolean unix = dialect != CronDialect.QUARTZ && CronDialect.UNIX.takes(count);
    boolean quartz = dialect != CronDialect.UNIX && CronDialect.QUARTZ.takes(count);
    if (unix || quartz) {
      return;
    }
    String five = "5 fields (minute hour day-of-month month day-of-week)";
    String expected =
        dialect == CronDialect.UNIX
            ? five
            : dialect == CronDialect.QUARTZ
                ? "6-7 fields (second minute hour day-of-month month day-of-week [year])"
                : five + " or 6-7 (second first)";
    throw CronSyntaxException.ofText(
        CronErrorCode.FIELD_COUNT, text.strip(), "expected " + expected + ", found " + count, null);
  }
}
