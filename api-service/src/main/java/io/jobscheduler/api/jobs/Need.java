package io.jobscheduler.api.jobs;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a job waits for that is no member of a workflow.
 *
 * @param job an id
 * @param on success, done or failure
 * @param pointer where the request names it
 */
public record Need(long job, String on, String pointer) {
  private static final int MOST = 1_000;
  private static final String SUCCESS = "success";
  private static final Set<String> CONDITIONS = Set.of(SUCCESS, "done", "failure");

  /** Said alike of what is not there and of what belongs to another project. */
  public static final String UNKNOWN = "The project has no such job.";

  /** Ids, or {job, on}; one named twice counts once. What is neither is noted. */
  static List<Need> read(JsonReader in) {
    Map<Long, Need> needs = new HashMap<>();
    List<Need> inOrder = new ArrayList<>();
    if (!in.startArray()) {
      return inOrder;
    }
    int items = 0;
    while (in.nextItem()) {
      Need need = in.isString() ? ofId(in, in.string(), SUCCESS, in.pointer()) : readObject(in);
      if (need == null || ++items > MOST) {
        continue;
      }
      Need before = needs.putIfAbsent(need.job(), need);
      if (before == null) {
        inOrder.add(need);
      } else if (!before.on().equals(need.on())) {
        in.violations().add(need.pointer(), "It depends on this job twice, on different outcomes.");
      }
    }
    if (items > MOST) {
      in.reject("At most " + MOST + " dependencies are accepted here.");
    }
    return inOrder;
  }

  private static @Nullable Need readObject(JsonReader in) {
    if (!in.startObject()) {
      return null;
    }
    String at = in.pointer() + "/job";
    String id = null;
    String on = SUCCESS;
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "job" -> id = in.string();
        case "on" -> on = Fields.oneOf(in, CONDITIONS, SUCCESS, "success, done or failure");
        default -> in.unknownField();
      }
    }
    in.violations().require(at, id != null);
    return ofId(in, id, on, at);
  }

  private static @Nullable Need ofId(JsonReader in, @Nullable String id, String on, String at) {
    if (id == null) {
      return null;
    }
    try {
      return new Need(Long.parseLong(id), on, at);
    } catch (NumberFormatException e) {
      in.violations().add(at, UNKNOWN);
      return null;
    }
  }
}
