package io.jobscheduler.dashboard.live;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Something of a project has changed.
 *
 * @param project the project's name
 * @param topics what kind of thing, at least one, for example {@code jobs}
 */
record Change(String project, Set<String> topics) {
  /** Topics a payload may name; more are cut off, so that no sender can grow the memory. */
  static final int MAX_TOPICS = 16;

  private static final Pattern PROJECT = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,127}");
  private static final Pattern TOPIC = Pattern.compile("[a-z][a-z-]{0,31}");

  Change {
    topics = Set.copyOf(topics);
  }

  static boolean isProjectName(String name) {
    return PROJECT.matcher(name).matches();
  }

  /** Reads a payload {@code project topic,topic}; empty when it is not one. */
  static Optional<Change> parse(String payload) {
    int space = payload.indexOf(' ');
    if (space < 0 || !isProjectName(payload.substring(0, space))) {
      return Optional.empty();
    }
    Set<String> topics = new LinkedHashSet<>();
    Arrays.stream(payload.substring(space + 1).split(",", -1))
        .filter(topic -> TOPIC.matcher(topic).matches())
        .limit(MAX_TOPICS)
        .forEach(topics::add);
    return topics.isEmpty()
        ? Optional.empty()
        : Optional.of(new Change(payload.substring(0, space), topics));
  }
}
