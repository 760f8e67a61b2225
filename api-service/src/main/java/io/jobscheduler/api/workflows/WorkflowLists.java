package io.jobscheduler.api.workflows;

import io.jobscheduler.api.database.IndexReads;
import io.jobscheduler.api.paging.Count;
import io.jobscheduler.api.paging.Cursor;
import io.jobscheduler.api.paging.Page;
import io.jobscheduler.api.paging.Place;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Lists workflows, newest first. A state that is derived is looked for among the next {@link
 * #SCANNED} that an index gives: a page may be short, or empty, and still have a next one.
 */
@ApplicationScoped
class WorkflowLists {
  /** How many workflows a page looks at for a state that no index knows. */
  static final int SCANNED = 500;

  private final Jdbi jdbi;
  private final WorkflowListStore store;
  private final WorkflowStore workflows;

  WorkflowLists(Jdbi jdbi, WorkflowListStore store, WorkflowStore workflows) {
    this.jdbi = jdbi;
    this.store = store;
    this.workflows = workflows;
  }

  /** A page after {@code cursor}. */
  Page<Workflow> list(int projectId, WorkflowFilter filter, @Nullable String cursor, int limit) {
    Place place = Place.of(cursor);
    boolean derives = filter.state() != null && (filter.name() != null || !filter.ended());
    return IndexReads.in(
        jdbi,
        h -> {
          int scan = derives ? SCANNED : limit + 1;
          List<WorkflowListStore.Candidate> candidates =
              store.candidates(h, projectId, filter, place, scan);
          List<WorkflowListStore.Candidate> found =
              derives ? inState(h, candidates, filter) : candidates;
          boolean more = found.size() > limit;
          List<WorkflowListStore.Candidate> shown = more ? found.subList(0, limit) : found;
          WorkflowListStore.Candidate last =
              more
                  ? shown.get(limit - 1)
                  : candidates.size() == scan ? candidates.get(scan - 1) : null;
          Count count =
              derives
                  ? new Count(found.size(), candidates.size() == scan || cursor != null)
                  : store.count(h, projectId, filter);
          return new Page<>(
              workflows.read(
                  h, projectId, shown.stream().map(WorkflowListStore.Candidate::id).toList()),
              last == null ? null : Cursor.after(new Place(last.createdMicros(), last.id()).key()),
              count);
        });
  }

  private List<WorkflowListStore.Candidate> inState(
      Handle h, List<WorkflowListStore.Candidate> candidates, WorkflowFilter filter) {
    Map<Integer, String> states = store.states(h, candidates);
    return candidates.stream().filter(c -> filter.inState(states.get(c.id()))).toList();
  }
}
