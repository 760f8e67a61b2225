package io.jobscheduler.api.schedules;

import io.jobscheduler.api.json.JsonReader;
import io.jobscheduler.api.problem.Violations;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A JSON merge patch (RFC 7396) on the texts themselves, so that payloads keep their digits. Only
 * the members named {@code deep} are merged inside; all others are replaced whole.
 */
final class MergePatch {
  // Members of which one drives out the others.
  private static final Map<String, Set<String>> EXCLUDES =
      Map.of(
          "cron", Set.of("every", "anchor", "dialect"),
          "every", Set.of("cron", "dialect"),
          "job", Set.of("workflow"),
          "workflow", Set.of("job"));

  private MergePatch() {}

  /** {@code target} changed by {@code patch}; both are objects. */
  static Map<String, String> apply(
      Map<String, String> target, Map<String, String> patch, Set<String> deep) {
    Map<String, String> merged = new LinkedHashMap<>(target);
    patch.forEach(
        (name, value) -> {
          if (value.equals("null")) {
            merged.remove(name);
          } else {
            EXCLUDES
                .getOrDefault(name, Set.of())
                .forEach(
                    other -> {
                      if (!patch.containsKey(other)) {
                        merged.remove(other);
                      }
                    });
            String before = merged.get(name);
            merged.put(
                name,
                before != null && deep.contains(name) && value.startsWith("{")
                    ? text(apply(members(before), members(value), Set.of()))
                    : value);
          }
        });
    return merged;
  }

  /** The members of an object, each as typed. */
  static Map<String, String> members(String object) {
    JsonReader in = new JsonReader(object.getBytes(StandardCharsets.UTF_8), new Violations());
    return members(in);
  }

  /** The same of an object that is read; empty when, noted, it is none. */
  static Map<String, String> members(JsonReader in) {
    Map<String, String> members = new LinkedHashMap<>();
    if (in.startObject()) {
      String name;
      while ((name = in.nextField()) != null) {
        members.put(name, in.unread());
      }
    }
    return members;
  }

  /** The object that has these members. */
  static String text(Map<String, String> members) {
    return members.entrySet().stream()
        .map(m -> Quoted.of(m.getKey()) + ":" + m.getValue())
        .collect(Collectors.joining(",", "{", "}"));
  }
}
