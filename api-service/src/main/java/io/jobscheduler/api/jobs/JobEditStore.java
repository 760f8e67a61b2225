package io.jobscheduler.api.jobs;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** SQL that changes or deletes one job. Thread-safe. */
@ApplicationScoped
class JobEditStore {
  private final Jdbi jdbi;

  JobEditStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** What became of a job that was to be deleted: deleted, running, needed or gone. */
  record Deleted(String verdict, @Nullable String state) {}

  // Never waits for a claim or a lease (R__40_enqueue.sql).
  private static final String DELETE_JOB =
      """
      SELECT d.verdict, d.state FROM jobs.delete_job(:project, :id) d
      """;

  Deleted deleteJob(int projectId, long id) {
    return jdbi.withHandle(
        h ->
            h.createQuery(DELETE_JOB)
                .bind("project", projectId)
                .bind("id", id)
                .map((row, c) -> new Deleted(row.getString("verdict"), row.getString("state")))
                .one());
  }

  /**
   * What became of a job that was to be changed: edited, state, stale, locked, gate, member or
   * gone.
   *
   * @param queueId where it waits now, if it was edited; so are the next two
   */
  record Edited(
      String verdict,
      @Nullable String state,
      int queueId,
      int lane,
      long dispatchKey,
      @Nullable Instant runAt) {}

  private static final String EDIT_JOB =
      """
      SELECT e.verdict, e.state, e.queue_id, e.dispatch_lane, e.dispatch_key, e.run_at
        FROM jobs.edit_job(:project, :id, :versions::text[], :priority::int, :setPayload, :payload, :setRunAt,
                           :runAt::timestamptz, :setTags, :tags::text[]) e
      """;

  /**
   * Changes a waiting job.
   *
   * @param versions the row versions that the caller accepts; null: any
   */
  Edited editJob(int projectId, long id, @Nullable List<String> versions, JobEdit edit) {
    return jdbi.withHandle(
        h ->
            h.createQuery(EDIT_JOB)
                .bind("project", projectId)
                .bind("id", id)
                .bind("versions", versions == null ? null : "{" + String.join(",", versions) + "}")
                .bind("priority", edit.priority())
                .bind("setPayload", edit.payload() != null)
                .bind("payload", edit.payload())
                .bind("setRunAt", edit.runAt() != null)
                .bind("runAt", JobColumns.text(edit.runAt()))
                .bind("setTags", edit.tags() != null)
                .bind("tags", edit.tags() == null ? null : JobColumns.tagsText(edit.tags()))
                .map(
                    (row, c) ->
                        new Edited(
                            row.getString("verdict"),
                            row.getString("state"),
                            row.getInt("queue_id"),
                            row.getInt("dispatch_lane"),
                            row.getLong("dispatch_key"),
                            EnqueueStore.instant(row.getObject("run_at", OffsetDateTime.class))))
                .one());
  }
}
