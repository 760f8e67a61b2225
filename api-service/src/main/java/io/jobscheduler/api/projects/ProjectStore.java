package io.jobscheduler.api.projects;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.jobscheduler.api.access.ProjectsSeen;
import io.jobscheduler.api.http.Etag;
import io.jobscheduler.api.paging.Count;
import io.jobscheduler.api.problem.ProblemException;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** SQL over projects. */
@ApplicationScoped
public class ProjectStore {
  private final Jdbi jdbi;

  ProjectStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** A project. */
  public record Project(
      String name, String description, Instant createdAt, @JsonIgnore String etag) {}

  // The project and the queue that every project has, in one statement. A second project of one
  // name
  // is a unique violation.
  private static final String INSERT_PROJECT =
      """
      WITH project AS (
        INSERT INTO jobs.projects (name, description) VALUES (:name, :description)
        RETURNING id, name, description, created_at, xmin::text AS version
      ), queue AS (
        INSERT INTO jobs.queues (project_id, name) SELECT p.id, 'default' FROM project p
      )
      SELECT p.id, p.name, p.description, p.created_at, p.version FROM project p
      """;

  Project insertProject(String name, String description) {
    return jdbi.withHandle(
        h ->
            h.createQuery(INSERT_PROJECT)
                .bind("name", name)
                .bind("description", description)
                .map((row, c) -> projectOf(row))
                .one());
  }

  private static final String PATCH_PROJECT =
      """
      UPDATE jobs.projects p SET description = coalesce(:description, p.description)
       WHERE p.id = :project AND p.deleted_at IS NULL
      RETURNING p.id, p.name, p.description, p.created_at, p.xmin::text AS version
      """;

  // Compared and changed under one lock. Whoever names the project in a row of its own (an enqueue)
  // does not wait for it.
  private static final String LOCK_FOR_PATCH =
      """
      SELECT p.id, p.xmin::text AS version
        FROM jobs.projects p WHERE p.id = :project AND p.deleted_at IS NULL FOR NO KEY UPDATE
      """;

  /**
   * Changes a project; what is null stays.
   *
   * @param ifMatch the tag that it must have
   * @throws ProblemException 412
   */
  Optional<Project> patchProject(
      int projectId, @Nullable String description, @Nullable String ifMatch) {
    return jdbi.inTransaction(
        h -> {
          if (!lock(h, LOCK_FOR_PATCH, projectId, ifMatch)) {
            return Optional.empty();
          }
          return h.createQuery(PATCH_PROJECT)
              .bind("project", projectId)
              .bind("description", description)
              .map((row, c) -> projectOf(row))
              .findOne();
        });
  }

  /** Whether there is such a project; then it is locked, and has the tag that it must have. */
  private static boolean lock(Handle h, String sql, int projectId, @Nullable String ifMatch) {
    Optional<String> etag =
        h.createQuery(sql).bind("project", projectId).map((row, c) -> etagOf(row)).findOne();
    etag.ifPresent(found -> Etag.require(ifMatch, found));
    return etag.isPresent();
  }

  private static final String FIND_PROJECT =
      """
      SELECT p.id, p.name, p.description, p.created_at, p.xmin::text AS version
        FROM jobs.projects p WHERE p.id = :project
      """;

  Optional<Project> findProject(int projectId) {
    return jdbi.withHandle(
        h ->
            h.createQuery(FIND_PROJECT)
                .bind("project", projectId)
                .map((row, c) -> projectOf(row))
                .findOne());
  }

  // Keyset by name, through the unique index; who sees all sees all, others what they are members
  // of, and what their token names.
  private static final String LIST_PROJECTS =
      """
      SELECT p.id, p.name, p.description, p.created_at, p.xmin::text AS version
        FROM jobs.projects p
       WHERE p.name > :after AND p.deleted_at IS NULL
         AND (:all OR p.name = ANY (:named) OR EXISTS (
               SELECT 1 FROM jobs.project_members m WHERE m.project_id = p.id AND m.user_id = :user))
       ORDER BY p.name
       LIMIT :limit
      """;

  List<Project> listProjects(ProjectsSeen seen, String after, int limit) {
    return jdbi.withHandle(
        h ->
            sees(h.createQuery(LIST_PROJECTS), seen)
                .bind("after", after)
                .bind("limit", limit)
                .map((row, c) -> projectOf(row))
                .list());
  }

  private static final String COUNT_PROJECTS =
      """
      SELECT count(*) FROM (
        SELECT 1
          FROM jobs.projects p
         WHERE p.deleted_at IS NULL
           AND (:all OR p.name = ANY (:named) OR EXISTS (
                 SELECT 1 FROM jobs.project_members m WHERE m.project_id = p.id AND m.user_id = :user))
         LIMIT :most) counted
      """;

  Count countProjects(ProjectsSeen seen) {
    return jdbi.withHandle(
        h ->
            Count.of(
                sees(h.createQuery(COUNT_PROJECTS), seen)
                    .bind("most", Count.CAP + 1)
                    .mapTo(Long.class)
                    .one()));
  }

  private static Query sees(Query query, ProjectsSeen seen) {
    return query
        .bind("user", seen.user())
        .bind("all", seen.all())
        .bindArray("named", String.class, seen.named().toArray());
  }

  // Held to the end: of two deletions one finds it deleted; and bulk actions, retries and
  // callbacks,
  // which hold it KEY SHARE, come before what follows or find it deleted. An enqueue in flight does
  // not wait for it; as with a queue, what it brings is still served. Others wait for it, the
  // leader
  // among them, so who falls silent before the commit loses the session.
  private static final String LOCK_PROJECT =
      """
      SELECT p.id, p.xmin::text AS version, set_config('idle_in_transaction_session_timeout', '2s', true)
        FROM jobs.projects p WHERE p.id = :project AND p.deleted_at IS NULL FOR UPDATE
      """;

  // One snapshot, later than the lock: what an action that has ended brought back is seen. By
  // jobs_project, the unique index over schedules, and bulk_actions_open, which is as good as
  // empty: one row of each.
  private static final String WHAT_LIVES =
      """
      SELECT EXISTS (SELECT 1 FROM jobs.jobs j
                      WHERE j.project_id >= :project AND (j.project_id, j.id) <= (:project, 9223372036854775807)) AS jobs,
             EXISTS (SELECT 1 FROM jobs.schedules s WHERE s.project_id = :project) AS schedules,
             EXISTS (SELECT 1 FROM jobs.bulk_actions b
                      WHERE b.project_id = :project
                        AND b.state IN ('pending', 'running', 'canary', 'undoing')) AS actions
      """;

  private static final String DELETE_QUEUES =
      """
      UPDATE jobs.queues SET deleted_at = clock_timestamp() WHERE project_id = :project AND deleted_at IS NULL
      """;

  private static final String DELETE_KEYS =
      """
      DELETE FROM jobs.api_keys WHERE project_id = :project
      """;

  private static final String DELETE_MEMBERS =
      """
      DELETE FROM jobs.project_members WHERE project_id = :project
      """;

  private static final String DELETE_PROJECT =
      """
      UPDATE jobs.projects SET deleted_at = clock_timestamp() WHERE id = :project
      """;

  /** What became of a deletion. */
  enum Deleted {
    DONE,
    NO_SUCH_PROJECT,
    HAS_JOBS,
    HAS_SCHEDULES,
    HAS_BULK_ACTIONS
  }

  private record Living(boolean jobs, boolean schedules, boolean actions) {}

  /**
   * Ends a project that nothing lives in, with its queues, keys and memberships, in one.
   *
   * @param ifMatch the tag that it must have
   * @throws ProblemException 412
   */
  Deleted deleteProject(int projectId, @Nullable String ifMatch) {
    return jdbi.inTransaction(
        h -> {
          if (!lock(h, LOCK_PROJECT, projectId, ifMatch)) {
            return Deleted.NO_SUCH_PROJECT;
          }
          Living living =
              h.createQuery(WHAT_LIVES)
                  .bind("project", projectId)
                  .map(
                      (row, c) ->
                          new Living(
                              row.getBoolean("jobs"),
                              row.getBoolean("schedules"),
                              row.getBoolean("actions")))
                  .one();
          if (living.jobs() || living.schedules()) {
            return living.jobs() ? Deleted.HAS_JOBS : Deleted.HAS_SCHEDULES;
          }
          if (living.actions()) {
            return Deleted.HAS_BULK_ACTIONS;
          }
          for (String sql : List.of(DELETE_QUEUES, DELETE_KEYS, DELETE_MEMBERS, DELETE_PROJECT)) {
            h.createUpdate(sql).bind("project", projectId).execute();
          }
          return Deleted.DONE;
        });
  }

  private static Project projectOf(ResultSet row) throws SQLException {
    return new Project(
        row.getString("name"),
        row.getString("description"),
        row.getObject("created_at", OffsetDateTime.class).toInstant(),
        etagOf(row));
  }

  private static String etagOf(ResultSet row) throws SQLException {
    return Etag.of(row.getInt("id"), row.getLong("version"));
  }
}
