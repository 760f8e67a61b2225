package io.jobscheduler.api.jobs;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads {@code unique} of a job. */
final class UniqueReader {
  private static final int LONGEST_KEY = 255;
  private static final int MOST_FIELDS = 10;
  private static final Duration SHORTEST_WINDOW = Duration.ofSeconds(1);
  private static final Duration LONGEST_WINDOW = Duration.ofDays(365);
  private static final Pattern FIELD =
      Pattern.compile("type|queue|payload(\\.[A-Za-z0-9_-]{1,128}){0,10}");

  /**
   * As it was asked for; the values of fields are known once the job is.
   *
   * @param key given; or null, then there are fields
   */
  record Asked(
      @Nullable String key,
      List<String> fields,
      Unique.Until until,
      @Nullable Duration window,
      Unique.OnConflict onConflict) {

    Unique of(String type, String queue, @Nullable String payload) {
      return new Unique(
          key == null ? UniqueHash.of(fields, type, queue, payload) : key,
          until,
          window,
          onConflict);
    }
  }

  private UniqueReader() {}

  /** What is asked for; null when absent or, noted, not acceptable. */
  static @Nullable Asked read(JsonReader in) {
    String pointer = in.pointer();
    if (!in.startObject()) {
      return null;
    }
    int before = in.violations().count();
    String key = null;
    List<String> fields = List.of();
    Unique.Until until = Unique.Until.FINISHED;
    Duration window = null;
    Unique.OnConflict onConflict = Unique.OnConflict.RETURN;
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "key" -> key = Fields.text(in, 1, LONGEST_KEY);
        case "fields" -> fields = fields(in);
        case "until" -> until = oneOf(in, Unique.Until.values(), Unique.Until::label, until);
        case "window" -> window = Fields.duration(in, SHORTEST_WINDOW, LONGEST_WINDOW);
        case "onConflict" ->
            onConflict =
                oneOf(in, Unique.OnConflict.values(), Unique.OnConflict::label, onConflict);
        default -> in.unknownField();
      }
    }
    if (before == in.violations().count()) {
      if ((key == null) == fields.isEmpty()) {
        in.violations().add(pointer, "Give either key or fields.");
      }
      if ((window != null) != (until == Unique.Until.WINDOW)) {
        in.violations()
            .add(pointer + "/window", "Give a window with until: window, and only then.");
      }
    }
    return before == in.violations().count()
        ? new Asked(key, fields, until, window, onConflict)
        : null;
  }

  private static List<String> fields(JsonReader in) {
    List<String> fields = new ArrayList<>();
    if (!in.startArray()) {
      return fields;
    }
    while (in.nextItem()) {
      String name = in.string();
      if (name == null) {
        continue;
      }
      if (fields.size() == MOST_FIELDS || fields.contains(name) || !FIELD.matcher(name).matches()) {
        in.reject(
            "Expected up to "
                + MOST_FIELDS
                + " different ones of type, queue, payload and payload.<name>.");
      } else {
        fields.add(name);
      }
    }
    return fields;
  }

  private static <T> T oneOf(JsonReader in, T[] values, Function<T, String> label, T otherwise) {
    String text = in.string();
    if (text == null) {
      return otherwise;
    }
    Optional<T> value = Arrays.stream(values).filter(v -> label.apply(v).equals(text)).findFirst();
    if (value.isEmpty()) {
      in.reject("Expected one of " + Arrays.stream(values).map(label).toList() + ".");
    }
    return value.orElse(otherwise);
  }
}
