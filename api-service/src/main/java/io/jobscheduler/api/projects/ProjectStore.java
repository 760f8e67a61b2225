package io.jobscheduler.api.projects;

import io.jobscheduler.api.paging.Count;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/** SQL over projects and their members. */
@ApplicationScoped
public class ProjectStore {
  private final Jdbi jdbi;

  ProjectStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** A project. */
  public record Project(String name, Instant createdAt) {}

  /** A member of a project. */
  public record Member(String userId, String email, String name, String role, Instant createdAt) {}

  // The project and the queue that every project has, in one statement. A second project of one
  // name
  // is a unique violation.
  private static final String INSERT_PROJECT =
      """
      WITH project AS (
        INSERT INTO jobs.projects (name) VALUES (:name) RETURNING id, name, created_at
      ), queue AS (
        INSERT INTO jobs.queues (project_id, name) SELECT p.id, 'default' FROM project p
      )
      SELECT p.name, p.created_at FROM project p
      """;

  Project insertProject(String name) {
    return jdbi.withHandle(
        h ->
            h.createQuery(INSERT_PROJECT).bind("name", name).map((row, c) -> projectOf(row)).one());
  }

  private static final String FIND_PROJECT =
      """
      SELECT p.name, p.created_at FROM jobs.projects p WHERE p.id = :project
      """;

  Optional<Project> findProject(int projectId) {
    return jdbi.withHandle(
        h ->
            h.createQuery(FIND_PROJECT)
                .bind("project", projectId)
                .map((row, c) -> projectOf(row))
                .findOne());
  }

  // Keyset by name, through the unique index; a platform admin sees all, others their own.
  private static final String LIST_PROJECTS =
      """
      SELECT p.name, p.created_at
        FROM jobs.projects p
       WHERE p.name > :after AND p.deleted_at IS NULL
         AND (:admin OR EXISTS (
               SELECT 1 FROM jobs.project_members m WHERE m.project_id = p.id AND m.user_id = :user))
       ORDER BY p.name
       LIMIT :limit
      """;

  List<Project> listProjects(long user, boolean platformAdmin, String after, int limit) {
    return jdbi.withHandle(
        h ->
            h.createQuery(LIST_PROJECTS)
                .bind("user", user)
                .bind("admin", platformAdmin)
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
           AND (:admin OR EXISTS (
                 SELECT 1 FROM jobs.project_members m WHERE m.project_id = p.id AND m.user_id = :user))
         LIMIT :most) counted
      """;

  Count countProjects(long user, boolean platformAdmin) {
    return jdbi.withHandle(
        h ->
            Count.of(
                h.createQuery(COUNT_PROJECTS)
                    .bind("user", user)
                    .bind("admin", platformAdmin)
                    .bind("most", Count.CAP + 1)
                    .mapTo(Long.class)
                    .one()));
  }

  // Keyset by user, through the primary key.
  private static final String LIST_MEMBERS =
      """
      SELECT u.id, u.email, u.name, m.role, m.created_at
        FROM jobs.project_members m
        JOIN jobs.users u ON u.id = m.user_id
       WHERE m.project_id = :project AND m.user_id > :after
       ORDER BY m.user_id
       LIMIT :limit
      """;

  List<Member> listMembers(int projectId, long after, int limit) {
    return jdbi.withHandle(
        h ->
            h.createQuery(LIST_MEMBERS)
                .bind("project", projectId)
                .bind("after", after)
                .bind("limit", limit)
                .map((row, c) -> memberOf(row))
                .list());
  }

  private static final String COUNT_MEMBERS =
      """
      SELECT count(*) FROM (
        SELECT 1 FROM jobs.project_members m WHERE m.project_id = :project LIMIT :most) counted
      """;

  Count countMembers(int projectId) {
    return jdbi.withHandle(
        h ->
            Count.of(
                h.createQuery(COUNT_MEMBERS)
                    .bind("project", projectId)
                    .bind("most", Count.CAP + 1)
                    .mapTo(Long.class)
                    .one()));
  }

  // Selected from users, so that an unknown or disabled one gives no row and no constraint is
  // needed
  // to tell.
  private static final String PUT_MEMBER =
      """
      WITH put AS (
        INSERT INTO jobs.project_members AS m (project_id, user_id, role)
        SELECT :project, u.id, :role FROM jobs.users u WHERE u.id = :user AND u.disabled_at IS NULL
        ON CONFLICT (project_id, user_id) DO UPDATE SET role = excluded.role
        RETURNING m.user_id, m.role, m.created_at
      )
      SELECT u.id, u.email, u.name, p.role, p.created_at
        FROM put p
        JOIN jobs.users u ON u.id = p.user_id
      """;

  Optional<Member> putMember(int projectId, long user, String role) {
    return jdbi.withHandle(
        h ->
            h.createQuery(PUT_MEMBER)
                .bind("project", projectId)
                .bind("user", user)
                .bind("role", role)
                .map((row, c) -> memberOf(row))
                .findOne());
  }

  private static final String DELETE_MEMBER =
      """
      DELETE FROM jobs.project_members WHERE project_id = :project AND user_id = :user
      """;

  boolean deleteMember(int projectId, long user) {
    return jdbi.withHandle(
        h ->
            h.createUpdate(DELETE_MEMBER).bind("project", projectId).bind("user", user).execute()
                > 0);
  }

  private static Project projectOf(ResultSet row) throws SQLException {
    return new Project(
        row.getString("name"), row.getObject("created_at", OffsetDateTime.class).toInstant());
  }

  private static Member memberOf(ResultSet row) throws SQLException {
    return new Member(
        row.getString("id"),
        row.getString("email"),
        row.getString("name"),
        row.getString("role"),
        row.getObject("created_at", OffsetDateTime.class).toInstant());
  }
}
