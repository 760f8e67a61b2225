package io.jobscheduler.worker.claim;

import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Which queues a worker serves: {@code project/queue}, where {@code *} in either part stands for
 * any characters. Compared byte for byte. Immutable.
 */
public final class QueuePattern {
  private static final String NAME = "[A-Za-z0-9*][A-Za-z0-9._:*-]{0,127}";
  private static final Pattern SYNTAX = Pattern.compile(NAME + "/" + NAME);

  private final String text;
  private final Pattern project;
  private final Pattern queue;

  private QueuePattern(String text, Pattern project, Pattern queue) {
    this.text = text;
    this.project = project;
    this.queue = queue;
  }

  /**
   * Parses a pattern such as {@code "*}{@code /*"} or {@code "shop/mail-*"}.
   *
   * @throws IllegalArgumentException naming what is wrong
   */
  public static QueuePattern of(String text) {
    String stripped = text.strip();
    if (!SYNTAX.matcher(stripped).matches()) {
      throw new IllegalArgumentException(
          "jobs.worker.queues has '" + text + "', which is not of the form project/queue");
    }
    int slash = stripped.indexOf('/');
    return new QueuePattern(
        stripped, glob(stripped.substring(0, slash)), glob(stripped.substring(slash + 1)));
  }

  private static Pattern glob(String part) {
    return Pattern.compile(
        part.chars()
            .mapToObj(c -> c == '*' ? ".*" : Pattern.quote(String.valueOf((char) c)))
            .collect(Collectors.joining()));
  }

  /** Whether the queue is one of those meant. */
  public boolean matches(QueueName name) {
    return project.matcher(name.project()).matches() && queue.matcher(name.queue()).matches();
  }

  @Override
  public String toString() {
    return text;
  }
}
