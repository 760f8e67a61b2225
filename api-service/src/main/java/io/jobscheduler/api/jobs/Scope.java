package io.jobscheduler.api.jobs;

import java.util.List;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * What narrows every statement of a list.
 *
 * @param queueIds null for all
 * @param type null for all
 * @param scanned the bound of a scan, in rows
 */
record Scope(int projectId, @Nullable List<Integer> queueIds, @Nullable String type, int scanned) {
  Query bindTo(Query query) {
    return query
        .bind("project", projectId)
        .bindByType(
            "queues", queueIds == null ? null : queueIds.toArray(new Integer[0]), Integer[].class)
        .bind("type", type)
        .bind("scanned", scanned);
  }

  /** Whether rows have more to pass than project and state. */
  boolean looksInside() {
    return queueIds != null || type != null;
  }
}
