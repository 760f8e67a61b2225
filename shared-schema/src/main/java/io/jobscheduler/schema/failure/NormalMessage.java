package io.jobscheduler.schema.failure;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An error's message without what differs from job to job: what workers make fingerprints of, and
 * what a group of dead letters is called. Stateless; reads at most {@value #READ} characters.
 */
public final class NormalMessage {
  private static final int READ = 1_000;

  // In this order: what stands in quotes may be anything, a path may hold numbers.
  private static final Pattern QUOTED = Pattern.compile("\"[^\"]*\"|'[^']*'|`[^`]*`|“[^”]*”");
  private static final Pattern PATH =
      Pattern.compile(
          "\\b[A-Za-z][A-Za-z0-9+.-]*://[^\\s,;]+|/[^\\s,;:]+|\\b[A-Za-z]:\\\\[^\\s,;]+");
  private static final Pattern HEX =
      Pattern.compile(
          "\\b(?:0[xX][0-9a-fA-F]+|(?=[0-9a-fA-F-]*[0-9])[0-9a-fA-F]{4,}(?:-[0-9a-fA-F]{2,})*)\\b");
  private static final Pattern NUMBER = Pattern.compile("[0-9]+(?:[.,:][0-9]+)*");
  private static final Pattern SPACE = Pattern.compile("\\s+");

  private NormalMessage() {}

  /**
   * The message with what is quoted replaced by {@code ?}, paths and addresses by {@code /?},
   * numbers and hexadecimal ids by {@code #}, on one line; empty for null.
   */
  public static String of(@Nullable String message) {
    if (message == null) {
      return "";
    }
    String text = message.length() > READ ? message.substring(0, READ) : message;
    text = QUOTED.matcher(text).replaceAll("?");
    text = PATH.matcher(text).replaceAll("/?");
    text = HEX.matcher(text).replaceAll("#");
    text = NUMBER.matcher(text).replaceAll("#");
    return SPACE.matcher(text).replaceAll(" ").strip();
  }
}
