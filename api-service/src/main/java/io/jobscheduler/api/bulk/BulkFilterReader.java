package io.jobscheduler.api.bulk;

import io.jobscheduler.api.jobs.JobFilter;
import io.jobscheduler.api.jobs.JobSearch;
import io.jobscheduler.api.json.JsonReader;
import io.jobscheduler.api.problem.FieldError;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.Violations;
import io.jobscheduler.schema.state.JobState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads a filter from JSON. What its values mean is judged by the list's own reader. */
final class BulkFilterReader {
  private static final int MOST_IDS = 1_000;
  private static final String AT = "/filter";
  private static final Set<String> TEXTS =
      Set.of(
          "queue",
          "type",
          "tag",
          "workflow",
          "schedule",
          "worker",
          "createdAfter",
          "createdBefore",
          "error");

  private BulkFilterReader() {}

  /** What was given: the list's query parameters of one value each, by name, and the rest. */
  record Given(
      List<String> states, Map<String, String> texts, @Nullable Set<Long> ids, boolean all) {

    /** The filter for an action; null when, noted, it is not acceptable. */
    @Nullable BulkFilter check(Violations violations, BulkVerb verb) {
      boolean narrow = !texts.isEmpty() || ids != null;
      if (all ? narrow : !narrow && states.isEmpty()) {
        violations.add(
            AT,
            all
                ? "all: true is for every job; it goes with state only."
                : "It names no job. Say all: true if you mean every job of the project.");
        return null;
      }
      try {
        JobFilter read =
            JobFilter.of(states, texts.get("queue"), texts.get("type"), texts.get("workflow"))
                .ofSchedule(texts.get("schedule"))
                .ofError(texts.get("error"))
                .matching(
                    JobSearch.of(
                        texts.get("tag"),
                        texts.get("worker"),
                        texts.get("createdAfter"),
                        texts.get("createdBefore"),
                        Map.of()));
        Set<JobState> wanted = states.isEmpty() ? verb.usual() : read.states();
        List<String> impossible =
            wanted.stream().filter(s -> !verb.possible().contains(s)).map(JobState::label).toList();
        if (!impossible.isEmpty()) {
          violations.add(
              AT + "/state",
              "%s does nothing with jobs that are %s."
                  .formatted(verb.label(), String.join(" or ", impossible)));
        }
        return new BulkFilter(
            wanted.stream().sorted().map(JobState::label).toList(),
            read.queue(),
            read.type(),
            read.search().tag(),
            texts.get("workflow"),
            read.schedule(),
            texts.get("worker"),
            read.search().createdAfter(),
            read.search().createdBefore(),
            read.error(),
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
    Map<String, String> texts = new HashMap<>();
    Set<Long> ids = null;
    boolean all = false;
    String field;
    while ((field = in.nextField()) != null) {
      if (TEXTS.contains(field)) {
        String text = in.string();
        if (text != null) {
          texts.put(field, text);
        }
      } else if (field.equals("state")) {
        states = strings(in);
      } else if (field.equals("ids")) {
        ids = ids(in);
      } else if (field.equals("all")) {
        all = Boolean.TRUE.equals(in.bool());
      } else if (field.startsWith(JobSearch.PAYLOAD)) {
        in.unread();
        in.reject("No bulk action looks into payloads: list the jobs by it, and give their ids.");
      } else {
        in.unknownField();
      }
    }
    return new Given(states, texts, ids, all);
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
