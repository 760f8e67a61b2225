package io.jobscheduler.worker.execute;

import java.io.PrintWriter;
import java.io.Writer;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Makes what went wrong storable: names the kind, cleans messages of what Postgres refuses, and
 * cuts to size without ever building the whole text first. Stateless.
 */
public final class ErrorText {
  /** Longest message, in UTF-16 units. */
  public static final int MESSAGE_LIMIT = 4_096;

  /** Longest stack trace, in UTF-16 units: so much of its head, and as much of its tail. */
  public static final int STACK_LIMIT = 16_384;

  private static final String CUT = "… (cut)";

  private ErrorText() {}

  /**
   * The error kind of an exception: its class name in kebab-case, {@code illegal-state-exception}.
   */
  public static String kindOf(Throwable error) {
    String name = error.getClass().getSimpleName();
    if (name.isEmpty()) {
      name = error.getClass().getSuperclass().getSimpleName();
    }
    return name.replaceAll("([a-z0-9])([A-Z])", "$1-$2")
        .replaceAll("([A-Z])([A-Z][a-z])", "$1-$2")
        .toLowerCase(Locale.ROOT);
  }

  /** The message without U+0000 and lone surrogates, cut; null stays null. */
  public static @Nullable String clean(@Nullable String message) {
    return message == null ? null : clean(message, MESSAGE_LIMIT);
  }

  /**
   * The text with U+0000 and lone surrogates replaced by U+FFFD; the very text when it has none.
   */
  public static String storable(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == 0 || Character.isSurrogate(c)) {
        return clean(text, Integer.MAX_VALUE);
      }
    }
    return text;
  }

  /** The message, like {@link #clean(String)}, cut to {@code limit} UTF-16 units. */
  public static String clean(String text, int limit) {
    StringBuilder clean = new StringBuilder(Math.min(text.length(), limit));
    int i = 0;
    while (i < text.length()) {
      int point = text.codePointAt(i);
      if (clean.length() + Character.charCount(point) > limit) {
        clean.setLength(codePointBoundary(clean, limit - CUT.length()));
        return clean.append(CUT).toString();
      }
      boolean unstorable = point == 0 || (point >= 0xD800 && point <= 0xDFFF);
      clean.appendCodePoint(unstorable ? 0xFFFD : point);
      i += Character.charCount(point);
    }
    return clean.toString();
  }

  private static int codePointBoundary(CharSequence text, int at) {
    return at > 0 && Character.isHighSurrogate(text.charAt(at - 1)) ? at - 1 : at;
  }

  /** The stack trace, head and tail kept when it is long. */
  public static String stackOf(Throwable error) {
    HeadAndTail text = new HeadAndTail(STACK_LIMIT / 2);
    error.printStackTrace(new PrintWriter(text));
    return clean(text.toString(), Integer.MAX_VALUE);
  }

  /** Where a thread is, as a stack trace shows it. */
  public static String stackOf(StackTraceElement[] frames) {
    HeadAndTail text = new HeadAndTail(STACK_LIMIT / 2);
    PrintWriter lines = new PrintWriter(text);
    for (StackTraceElement frame : frames) {
      lines.println("\tat " + frame);
    }
    return text.toString();
  }

  /** Keeps the first and the last characters of what is written. */
  private static final class HeadAndTail extends Writer {
    private final int half;
    private final StringBuilder head = new StringBuilder();
    private final char[] tail;
    private long written;

    HeadAndTail(int half) {
      this.half = half;
      this.tail = new char[half];
    }

    @Override
    public void write(char[] chars, int from, int length) {
      for (int i = from; i < from + length; i++) {
        if (head.length() < half) {
          head.append(chars[i]);
        } else {
          tail[(int) (written++ % half)] = chars[i];
        }
      }
    }

    @Override
    public String toString() {
      StringBuilder text = new StringBuilder(head);
      if (written > half) {
        text.append("\n… (").append(written - half).append(" characters cut)\n");
      }
      for (long i = Math.max(0, written - half); i < written; i++) {
        text.append(tail[(int) (i % half)]);
      }
      return text.toString();
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
