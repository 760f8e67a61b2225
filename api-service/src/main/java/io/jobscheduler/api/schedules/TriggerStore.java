package io.jobscheduler.api.schedules;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The call of the function by which a schedule runs at once; the leader fires by its like. */
@ApplicationScoped
class TriggerStore {

  /**
   * One job that a trigger made ready, or none.
   *
   * @param outcome of the trigger, the same in each row: fired, queued or skipped
   * @param jobId the job of a job template
   * @param workflowId the workflow of a workflow template
   */
  record Triggered(
      String outcome,
      @Nullable String reason,
      @Nullable Long jobId,
      @Nullable Integer workflowId,
      @Nullable Long readyJobId,
      int queueId,
      int lane,
      long dispatchKey) {}

  // Locks the schedule; the project is checked inside.
  private static final String TRIGGER_SCHEDULE =
      """
      SELECT t.outcome, t.reason, t.job_id, t.workflow_id, t.ready_job_id, t.queue_id, t.dispatch_lane, t.dispatch_key
        FROM jobs.trigger_schedule(:project, :schedule, :by, :local, :overlap) t
      """;

  List<Triggered> triggerSchedule(
      Handle h, int projectId, int schedule, String by, String local, @Nullable String overlap) {
    return h.createQuery(TRIGGER_SCHEDULE)
        .bind("project", projectId)
        .bind("schedule", schedule)
        .bind("by", by)
        .bind("local", local)
        .bind("overlap", overlap)
        .map(
            (row, c) ->
                new Triggered(
                    row.getString("outcome"),
                    row.getString("reason"),
                    row.getObject("job_id", Long.class),
                    row.getObject("workflow_id", Integer.class),
                    row.getObject("ready_job_id", Long.class),
                    row.getInt("queue_id"),
                    row.getInt("dispatch_lane"),
                    row.getLong("dispatch_key")))
        .list();
  }
}
