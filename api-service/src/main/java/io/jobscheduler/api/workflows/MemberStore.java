package io.jobscheduler.api.workflows;

import io.jobscheduler.api.database.Patience;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** SQL of single members of a workflow. Thread-safe. */
@ApplicationScoped
class MemberStore {
  private final Jdbi jdbi;

  MemberStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  private static final String FIND_MEMBER =
      """
      SELECT m.job_id
        FROM jobs.workflow_members m
        JOIN jobs.workflows w ON w.id = m.workflow_id
       WHERE m.workflow_id = :workflow AND m.key = :key AND w.project_id = :project
      """;

  /** The id of the job of that key. */
  Optional<Long> findMember(int project, int workflow, String key) {
    return jdbi.withHandle(
        h ->
            h.createQuery(FIND_MEMBER)
                .bind("project", project)
                .bind("workflow", workflow)
                .bind("key", key)
                .mapTo(Long.class)
                .findOne());
  }

  private static final String MEMBER_TAG =
      """
      SELECT jobs.member_tag(a.id, a.generation, a.attempt, a.payload) FROM jobs.all_jobs a WHERE a.id = :job
      """;

  /** The tag of what may be edited of a job; empty when its row is gone. */
  Optional<String> findTag(long job) {
    return jdbi.withHandle(
        h -> h.createQuery(MEMBER_TAG).bind("job", job).mapTo(String.class).findOne());
  }

  // Locks the row only, while it waits (R__37_surgery.sql).
  private static final String EDIT_MEMBER =
      """
      SELECT jobs.edit_member(:project, :workflow, :job, :payload, :tag) AS verdict
      """;

  /** edited, stale, running, ended, gate or absent. */
  String edit(int project, int workflow, long job, String payload, @Nullable String tag) {
    return Patience.in(
        jdbi,
        h ->
            h.createQuery(EDIT_MEMBER)
                .bind("project", project)
                .bind("workflow", workflow)
                .bind("job", job)
                .bind("payload", payload)
                .bind("tag", tag)
                .mapTo(String.class)
                .one());
  }
}
