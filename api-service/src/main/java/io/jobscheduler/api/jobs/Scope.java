package io.jobscheduler.api.jobs;

import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * What narrows every statement of a list.
 *
 * @param queueId null for all
 * @param type null for all
 * @param scanned the bound of a scan, in rows
 */
record Scope(int projectId, @Nullable Integer queueId, @Nullable String type, int scanned) {
  Query bindTo(Query query) {
    return query
        .bind("project", projectId)
        .bind("queue", queueId)
        .bind("type", type)
        .bind("scanned", scanned);
  }

  /** Whether rows have more to pass than project and state. */
  boolean looksInside() {
    return queueId != null || type != null;
  }
}
