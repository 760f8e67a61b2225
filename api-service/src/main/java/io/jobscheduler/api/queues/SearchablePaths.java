package io.jobscheduler.api.queues;

import io.jobscheduler.api.jobs.PayloadPath;
import io.jobscheduler.api.json.JsonReader;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The paths of payloads that an admin declares for a queue: at most five, each once. */
final class SearchablePaths {
  private static final int MOST = 5;

  private SearchablePaths() {}

  static List<String> read(JsonReader in) {
    Set<String> paths = new LinkedHashSet<>();
    if (!in.startArray()) {
      return List.of();
    }
    while (in.nextItem()) {
      String path = in.string();
      if (path == null) {
        continue;
      }
      if (!PayloadPath.isOne(path)) {
        in.reject(PayloadPath.EXPECTED);
      } else if (!paths.add(path)) {
        in.reject("Named already.");
      } else if (paths.size() > MOST) {
        in.reject("At most " + MOST + " paths.");
      }
    }
    return List.copyOf(paths);
  }
}
