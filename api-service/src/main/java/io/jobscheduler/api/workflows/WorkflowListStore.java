package io.jobscheduler.api.workflows;

import io.jobscheduler.api.paging.Count;
import io.jobscheduler.api.paging.Place;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;

/** SQL that finds the workflows of a list, newest first, each statement by one index. */
@ApplicationScoped
class WorkflowListStore {
  /** A workflow's place in the list, and what can be told of it there. */
  record Candidate(int id, long createdMicros, String name) {}

  // By workflows_name, workflows_final, workflows_live and workflows_project, backwards. The bounds
  // are those of the index, so a page reads its rows and no others.
  private static final String LIST_BY_NAME =
      """
      SELECT w.id, jobs.micros(w.created_at) AS created, w.name FROM jobs.workflows w
       WHERE w.project_id = :project AND w.name = :name
         AND (w.created_at, w.id) < (:before::timestamptz, :beforeId) AND w.created_at >= :after::timestamptz
       ORDER BY w.created_at DESC, w.id DESC LIMIT :limit
      """;

  private static final String LIST_ENDED =
      """
      SELECT w.id, jobs.micros(w.created_at) AS created, w.name FROM jobs.workflows w
       WHERE w.project_id = :project AND w.final_state = :state AND w.final_state IS NOT NULL
         AND (w.created_at, w.id) < (:before::timestamptz, :beforeId) AND w.created_at >= :after::timestamptz
       ORDER BY w.created_at DESC, w.id DESC LIMIT :limit
      """;

  private static final String LIST_LIVE =
      """
      SELECT w.id, jobs.micros(w.created_at) AS created, w.name FROM jobs.workflows w
       WHERE w.project_id = :project AND w.final_state IS NULL
         AND (w.created_at, w.id) < (:before::timestamptz, :beforeId) AND w.created_at >= :after::timestamptz
       ORDER BY w.created_at DESC, w.id DESC LIMIT :limit
      """;

  private static final String LIST_ALL =
      """
      SELECT w.id, jobs.micros(w.created_at) AS created, w.name FROM jobs.workflows w
       WHERE w.project_id = :project
         AND (w.created_at, w.id) < (:before::timestamptz, :beforeId) AND w.created_at >= :after::timestamptz
       ORDER BY w.created_at DESC, w.id DESC LIMIT :limit
      """;

  /** The next {@code limit} of those that the filter's most selective part leaves. */
  List<Candidate> candidates(
      Handle h, int projectId, WorkflowFilter filter, Place place, int limit) {
    Query query =
        filter.name() != null
            ? h.createQuery(LIST_BY_NAME).bind("name", filter.name())
            : filter.ended()
                ? h.createQuery(LIST_ENDED).bind("state", filter.state())
                : filter.state() != null ? h.createQuery(LIST_LIVE) : h.createQuery(LIST_ALL);
    Place from = place;
    if (filter.createdBefore() != null && Place.micros(filter.createdBefore()) <= place.micros()) {
      // What lies before an instant is what lies before every id of that instant.
      from = new Place(Place.micros(filter.createdBefore()), Long.MIN_VALUE);
    }
    return query
        .bind("project", projectId)
        .bind("before", instant(from.micros()))
        .bind("beforeId", from.id())
        .bind(
            "after", filter.createdAfter() == null ? "-infinity" : filter.createdAfter().toString())
        .bind("limit", limit)
        .map(
            (row, c) ->
                new Candidate(row.getInt("id"), row.getLong("created"), row.getString("name")))
        .list();
  }

  private static String instant(long micros) {
    return micros >= Place.FIRST.micros()
        ? "infinity"
        : Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString();
  }

  private static final String STATES =
      """
      SELECT w.id, w.state FROM jobs.workflow_status w WHERE w.id = ANY (:ids)
      """;

  /** The state of each, as noted or as derived now. */
  Map<Integer, String> states(Handle h, List<Candidate> candidates) {
    Map<Integer, String> states = new HashMap<>();
    h.createQuery(STATES)
        .bindArray("ids", Integer.class, candidates.stream().map(Candidate::id).toArray())
        .map((row, c) -> Map.entry(row.getInt("id"), row.getString("state")))
        .forEach(e -> states.put(e.getKey(), e.getValue()));
    return states;
  }

  private static final String COUNT_BY_NAME =
      """
      SELECT count(*) FROM (
        SELECT 1 FROM jobs.workflows w WHERE w.project_id = :project AND w.name = :name
           AND w.created_at < :before::timestamptz AND w.created_at >= :after::timestamptz LIMIT :most) counted
      """;

  private static final String COUNT_ENDED =
      """
      SELECT count(*) FROM (
        SELECT 1 FROM jobs.workflows w
         WHERE w.project_id = :project AND w.final_state = :state AND w.final_state IS NOT NULL
           AND w.created_at < :before::timestamptz AND w.created_at >= :after::timestamptz LIMIT :most) counted
      """;

  private static final String COUNT_ALL =
      """
      SELECT count(*) FROM (
        SELECT 1 FROM jobs.workflows w WHERE w.project_id = :project
           AND w.created_at < :before::timestamptz AND w.created_at >= :after::timestamptz LIMIT :most) counted
      """;

  /**
   * Of a filter that one index answers: not of a name and a state, nor of a state that is derived.
   */
  Count count(Handle h, int projectId, WorkflowFilter filter) {
    Query query =
        filter.name() != null
            ? h.createQuery(COUNT_BY_NAME).bind("name", filter.name())
            : filter.state() != null
                ? h.createQuery(COUNT_ENDED).bind("state", filter.state())
                : h.createQuery(COUNT_ALL);
    return Count.of(
        query
            .bind("project", projectId)
            .bind(
                "before",
                filter.createdBefore() == null ? "infinity" : filter.createdBefore().toString())
            .bind(
                "after",
                filter.createdAfter() == null ? "-infinity" : filter.createdAfter().toString())
            .bind("most", Count.CAP + 1)
            .mapTo(Long.class)
            .one());
  }
}
