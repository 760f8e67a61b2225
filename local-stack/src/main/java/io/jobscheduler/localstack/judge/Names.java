package io.jobscheduler.localstack.judge;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What projects and queues are called. */
record Names(Map<Integer, String> projects, Map<Integer, Queue> queues) {
  /** A queue. */
  record Queue(int project, String name) {}

  String project(int id) {
    return projects.getOrDefault(id, "#" + id);
  }

  @Nullable Queue queue(int id) {
    return queues.get(id);
  }

  /** A queue as people name it. */
  String path(int queue) {
    Queue known = queues.get(queue);
    return known == null ? "#" + queue : project(known.project()) + "/" + known.name();
  }
}
