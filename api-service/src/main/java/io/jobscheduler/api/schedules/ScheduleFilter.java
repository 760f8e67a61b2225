package io.jobscheduler.api.schedules;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.problem.Violations;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * Which schedules a list shows.
 *
 * @param states empty: all
 */
record ScheduleFilter(List<String> states, @Nullable String type, @Nullable String queue) {
  private static final Set<String> STATES = Set.of("active", "paused", "completed", "disabled");

  /**
   * Reads the query parameters; states may repeat or be separated by commas.
   *
   * @throws io.jobscheduler.api.problem.ProblemException naming all that are wrong
   */
  static ScheduleFilter of(List<String> states, @Nullable String type, @Nullable String queue) {
    Violations violations = new Violations();
    List<String> wanted =
        states.stream().flatMap(s -> Arrays.stream(s.split(",", -1))).distinct().toList();
    for (String state : wanted) {
      if (!STATES.contains(state)) {
        violations.add("?state", "There is no state \"" + state + "\".");
      }
    }
    if (type != null && !Fields.isName(type)) {
      violations.add("?type", "This is not a name.");
    }
    if (queue != null && !Fields.isName(queue)) {
      violations.add("?queue", "This is not a name.");
    }
    violations.throwIfAny();
    return new ScheduleFilter(wanted, type, queue);
  }

  Query bindTo(Query query) {
    return query
        .bindArray("states", String.class, states.toArray())
        .bind("type", type)
        .bind("queue", queue);
  }
}
