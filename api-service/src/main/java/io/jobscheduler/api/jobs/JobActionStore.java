package io.jobscheduler.api.jobs;

import io.jobscheduler.api.database.Patience;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * SQL by which people steer jobs. Each statement is one transaction and names the project, so that
 * another project's job is as absent as one that never was. Thread-safe.
 */
@ApplicationScoped
class JobActionStore {
  private final Jdbi jdbi;

  JobActionStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * What became of the request to cancel a job.
   *
   * @param verdict cancelled, cancel_requested or ended
   * @param worker the worker that runs it; null unless requested
   */
  record Cancelled(long id, String verdict, String state, @Nullable Long worker) {}

  // The function locks waiting jobs and leaves a request for running ones (R__31_cancel.sql).
  private static final String CANCEL_JOBS =
      """
      SELECT c.id, c.verdict, c.state, c.worker_id
        FROM jobs.cancel_jobs(:project, :ids::bigint[], :by, :reason) c
      """;

  /** One row for each job that the project has. */
  List<Cancelled> cancelJobs(
      int projectId, Collection<Long> ids, String by, @Nullable String reason) {
    return Patience.in(
        jdbi,
        h ->
            h.createQuery(CANCEL_JOBS)
                .bind("project", projectId)
                .bindArray("ids", Long.class, ids.toArray())
                .bind("by", by)
                .bind("reason", reason)
                .map(
                    (row, c) ->
                        new Cancelled(
                            row.getLong("id"),
                            row.getString("verdict"),
                            row.getString("state"),
                            row.getObject("worker_id", Long.class)))
                .list());
  }

  /**
   * What became of a job that was to go on.
   *
   * @param verdict moved, or why not: live, kept, unmet, ended
   * @param queueId where it waits now; these three only if it moved
   */
  record Moved(long id, String verdict, String state, int queueId, int lane, long dispatchKey) {
    boolean moved() {
      return verdict.equals("moved");
    }

    private static Moved of(ResultSet row) throws SQLException {
      return new Moved(
          row.getLong("id"),
          row.getString("verdict"),
          row.getString("state"),
          row.getInt("queue_id"),
          row.getInt("dispatch_lane"),
          row.getLong("dispatch_key"));
    }
  }

  // One DELETE … INSERT between the tables, workflow locks before row locks (R__32_redrive.sql).
  private static final String REDRIVE_JOBS =
      """
      SELECT r.id, r.verdict, r.state, r.queue_id, r.dispatch_lane, r.dispatch_key
        FROM jobs.redrive_jobs(:project, :ids::bigint[], :states::text[]) r
      """;

  /** One row for each job that the project has. */
  List<Moved> redriveJobs(int projectId, Collection<Long> ids, Collection<String> states) {
    return Patience.in(
        jdbi,
        h ->
            h.createQuery(REDRIVE_JOBS)
                .bind("project", projectId)
                .bindArray("ids", Long.class, ids.toArray())
                .bindArray("states", String.class, states.toArray())
                .map((row, c) -> Moved.of(row))
                .list());
  }

  private static final String RUN_JOBS_NOW =
      """
      SELECT r.id, r.verdict, r.state, r.queue_id, r.dispatch_lane, r.dispatch_key
        FROM jobs.run_jobs_now(:project, :ids::bigint[]) r
      """;

  /** One row for each job that the project has. */
  List<Moved> runJobsNow(int projectId, Collection<Long> ids) {
    return Patience.in(
        jdbi,
        h ->
            h.createQuery(RUN_JOBS_NOW)
                .bind("project", projectId)
                .bindArray("ids", Long.class, ids.toArray())
                .map((row, c) -> Moved.of(row))
                .list());
  }
}
