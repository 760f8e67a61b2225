package io.jobscheduler.api.schedules;

import io.jobscheduler.api.json.JsonReader;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The constants of enums as the API and the tables spell them: lower-case snake_case. */
final class Words {
  private Words() {}

  static String of(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /** The constant spelt {@code word}. */
  static <E extends Enum<E>> E in(Class<E> type, String word) {
    return Enum.valueOf(type, word.toUpperCase(Locale.ROOT));
  }

  /** Reads one of an enum's words; null when absent or, noted, none of them. */
  static <E extends Enum<E>> @Nullable E read(JsonReader in, Class<E> type) {
    String word = in.string();
    if (word == null) {
      return null;
    }
    for (E constant : type.getEnumConstants()) {
      if (of(constant).equals(word)) {
        return constant;
      }
    }
    in.reject(
        "Expected one of "
            + Arrays.stream(type.getEnumConstants())
                .map(Words::of)
                .collect(Collectors.joining(", "))
            + ".");
    return null;
  }
}
