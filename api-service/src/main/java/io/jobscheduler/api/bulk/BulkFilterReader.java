package io.jobscheduler.api.bulk;

import io.jobscheduler.api.jobs.JobFilter;
import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import io.jobscheduler.api.problem.FieldError;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.Violations;
import io.jobscheduler.schema.state.JobState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads a filter from JSON. What its values mean is judged by the list's own reader. */
final class BulkFilterReader {
  private static final int MOST_IDS = 1_000;
  private static final String AT = "/filter";
  private static final String PAYLOAD = "payload.";

  private BulkFilterReader() {}

  /** What was given, in the words of the list's query. */
  record Given(
      List<String> states,
      @Nullable String queue,
      @Nullable String type,
      @Nullable String tag,
      @Nullable String workflow,
      @Nullable String schedule,
      @Nullable String worker,
      @Nullable Instant createdAfter,
      @Nullable Instant createdBefore,
      @Nullable String error,
      @Nullable Set<Long> ids,
      boolean all) {

    /** The filter for an action; null when, noted, it is not acceptable. */
    @Nullable BulkFilter check(Violations violations, BulkVerb verb) {
      boolean narrow =
          queue != null
              || type != null
              || tag != null
              || workflow != null
              || schedule != null
              || worker != null
              || createdAfter != null
              || createdBefore != null
              || error != null
              || ids != null;
      if (all ? narrow : !narrow && states.isEmpty()) {
        violations.add(
            AT,
            all
                ? "all: true is for every job; it goes with state only."
                : "It names no job. Say all: true if you mean every job of the project.");
        return null;
      }
      try {
        JobFilter read = JobFilter.of(states, queue, type, workflow).ofSchedule(schedule).ofError(error);
        Set<JobState> wanted = states.isEmpty() ? verb.usual() : read.states();
        List<String> impossible =
            wanted.stream().filter(s -> !verb.possible().contains(s)).map(JobState::label).toList();
        if (!impossible.isEmpty()) {
          violations.add(
              AT + "/state",
              verb.label() + " does nothing with jobs that are " + String.join(" or ", impossible) + ".");
        }
        return new BulkFilter(
            wanted.stream().sorted().map(JobState::label).toList(),
            queue,
            type,
            tag,
            workflow,
            schedule,
            worker,
            createdAfter,
            createdBefore,
            error,
            ids == null ? null : ids.stream().map(String::valueOf).toList(),
            all ? true : null);
      } catch (ProblemException e) {
        for (FieldError wrong : e.errors()) {
          violations.add(AT + "/" + wrong.pointer().replace("?", ""), wrong.detail());
        }
        return null;
      }
    }
  }

  /** Reads one; null when absent or, noted, none. */
  static @Nullable Given read(JsonReader in) {
    if (!in.startObject()) {
      return null;
    }
    List<String> states = List.of();
    String queue = null;
    String type = null;
    String workflow = null;
    String schedule = null;
    String error = null;
    Set<Long> ids = null;
    boolean all = false;
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "state" -> states = strings(in);
        case "queue" -> queue = in.string();
        case "type" -> type = in.string();
        case "workflow" -> workflow = in.string();
        case "schedule" -> schedule = in.string();
        case "error" -> error = in.string();
        case "ids" -> ids = ids(in);
        case "all" -> all = Boolean.TRUE.equals(in.bool());
        default -> {
          if (field.startsWith(PAYLOAD)) {
            in.unread();
            in.reject(
                "No bulk action looks into payloads: list the jobs by it, and give their ids.");
          } else {
            in.unknownField();
          }
        }
      }
    }
    return new Given(
        states, queue, type, null, workflow, schedule, null, null, null, error, ids, all);
  }

  /** One string, or several. */
  private static List<String> strings(JsonReader in) {
    if (in.isString()) {
      return List.of(String.valueOf(in.string()));
    }
    Set<String> texts = new LinkedHashSet<>();
    if (in.startArray()) {
      while (in.nextItem()) {
        String text = in.string();
        if (text != null) {
          texts.add(text);
        }
      }
    }
    return new ArrayList<>(texts);
  }

  private static @Nullable Set<Long> ids(JsonReader in) {
    Set<Long> ids = new TreeSet<>();
    if (!in.startArray()) {
      return null;
    }
    while (in.nextItem()) {
      String text = in.string();
      if (text == null) {
        continue;
      }
      try {
        ids.add(Long.valueOf(text));
      } catch (NumberFormatException e) {
        in.reject("Expected the id of a job.");
      }
    }
    if (ids.size() > MOST_IDS) {
      in.violations().add(AT + "/ids", "At most " + MOST_IDS + " ids; several actions may go on.");
    }
    return ids;
  }
}
