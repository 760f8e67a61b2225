package io.jobscheduler.api.bulk;

import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Asks for bulk actions and ends them. */
@ApplicationScoped
class BulkActions {
  private final BulkStore store;
  private final BulkLimits limits;

  BulkActions(BulkStore store, BulkLimits limits) {
    this.store = store;
    this.limits = limits;
  }

  /** Counts what an action would be for. */
  BulkAction.DryRun tryOut(Grant grant, BulkRequest request) {
    BulkStore.Preview found = store.preview(grant, spec(grant, request));
    return new BulkAction.DryRun(
        true,
        request.verb().label(),
        request.filter(),
        found.count(),
        found.samples(),
        found.snapshotAt());
  }

  /**
   * Stores an action for the leader.
   *
   * @return its id
   * @throws ProblemException 409 when it is for more jobs than it may be; 404 when the project was
   *     deleted meanwhile
   */
  long submit(Grant grant, BulkRequest request) {
    BulkStore.Submitted submitted =
        store
            .submit(grant, spec(grant, request))
            .orElseThrow(() -> ProblemException.notFound("project"));
    if (submitted.over()) {
      throw ProblemException.of(
          ProblemType.CONFLICT,
          "More than "
              + most(request)
              + (isAsked(request)
                  ? " jobs fit the filter now. Nothing is done; count again by a dry run."
                  : " jobs fit the filter, which is the most that one action may be for here."
                      + " Nothing is done; narrow the filter."));
    }
    return submitted.id();
  }

  /** Whether it is the request that bounds how many jobs it is for, and not our limit. */
  private boolean isAsked(BulkRequest request) {
    return request.maxJobs() != null && request.maxJobs() <= limits.mostJobs();
  }

  private int most(BulkRequest request) {
    Integer asked = request.maxJobs();
    return asked == null ? limits.mostJobs() : Math.min(asked, limits.mostJobs());
  }

  BulkAction get(Grant grant, long id) {
    return store.find(grant, id).orElseThrow(BulkActions::gone);
  }

  BulkAction abort(Grant grant, long id) {
    if (!store.abort(grant, id)) {
      throw gone();
    }
    return get(grant, id);
  }

  BulkAction undo(Grant grant, long id) {
    switch (store.undo(grant, id)) {
      case "gone" -> throw gone();
      case "deletes" ->
          throw ProblemException.of(
              ProblemType.CONFLICT, "What has been deleted cannot be brought back.");
      default -> {
        return get(grant, id);
      }
    }
  }

  private static ProblemException gone() {
    return ProblemException.notFound("bulk action");
  }

  /** The request in the words of the table's columns. */
  private Map<String, Object> spec(Grant grant, BulkRequest request) {
    BulkFilter filter = request.filter();
    Map<String, Object> spec = new HashMap<>();
    spec.put("action", request.verb().label());
    spec.put("filter", filter);
    put(spec, "states", filter.state());
    if (filter.queue() != null) {
      grant.requireQueues(List.of(filter.queue()));
      spec.put(
          "queue_ids",
          List.of(
              store
                  .findQueue(grant, filter.queue())
                  .orElseThrow(() -> unknown("queue", "There is no such queue."))));
    }
    if (filter.schedule() != null) {
      spec.put(
          "schedule_id",
          store
              .findSchedule(grant, filter.schedule())
              .orElseThrow(() -> unknown("schedule", "There is no such schedule.")));
    }
    put(spec, "type", filter.type());
    put(spec, "tag", filter.tag());
    put(spec, "workflow_id", filter.workflow());
    put(spec, "worker_id", filter.worker());
    put(spec, "error", filter.error());
    put(spec, "created_after", filter.createdAfter());
    put(spec, "created_before", filter.createdBefore());
    put(spec, "job_ids", filter.ids());
    put(spec, "reason", request.reason());
    spec.put("max_jobs", most(request));
    put(spec, "canary", request.canary());
    put(spec, "rate_per_second", request.ratePerSecond());
    put(
        spec,
        "stop_ratio",
        request.stopRatio() == null && request.canary() != null
            ? Double.valueOf(0)
            : request.stopRatio());
    put(spec, "snapshot_at", request.snapshotAt());
    return spec;
  }

  private static ProblemException unknown(String field, String detail) {
    return ProblemException.at(ProblemType.VALIDATION_FAILED, "/filter/" + field, detail);
  }

  // As text: an instant keeps its microseconds, which the answers' format would cut off.
  private static void put(Map<String, Object> spec, String column, @Nullable Object value) {
    if (value != null) {
      spec.put(column, value instanceof Instant ? value.toString() : value);
    }
  }
}
