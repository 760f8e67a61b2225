package io.jobscheduler.api.access;

import io.jobscheduler.api.paging.Count;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** SQL over users and memberships. */
@ApplicationScoped
public class AccessStore {
  private final Jdbi jdbi;

  AccessStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** What a user is to a project; the project's id is null when there is none of that name. */
  record Standing(
      boolean platformAdmin,
      @Nullable Integer projectId,
      @Nullable Role role,
      boolean payloadVisible) {}

  // Three unique look-ups. Outer joins tell "no user" (no row) from "no project" (nulls).
  private static final String FIND_STANDING =
      """
      SELECT u.platform_admin, p.id AS project_id, m.role, coalesce(m.payload_visible, false) AS payload_visible
        FROM jobs.users u
        LEFT JOIN jobs.projects p ON p.name = :project
        LEFT JOIN jobs.project_members m ON m.project_id = p.id AND m.user_id = u.id
       WHERE u.id = :user AND u.disabled_at IS NULL
      """;

  Optional<Standing> findStanding(long user, String project) {
    return jdbi.withHandle(
        h ->
            h.createQuery(FIND_STANDING)
                .bind("user", user)
                .bind("project", project)
                .map(
                    (row, c) -> {
                      String role = row.getString("role");
                      return new Standing(
                          row.getBoolean("platform_admin"),
                          row.getObject("project_id", Integer.class),
                          role == null ? null : Role.of(role),
                          row.getBoolean("payload_visible"));
                    })
                .findOne());
  }

  private static final String FIND_ACTIVE_USER =
      """
      SELECT u.id, u.email, u.name, u.platform_admin, u.created_at
        FROM jobs.users u
       WHERE u.id = :user AND u.disabled_at IS NULL
      """;

  Optional<UserRow> findActiveUser(long user) {
    return jdbi.withHandle(
        h ->
            h.createQuery(FIND_ACTIVE_USER)
                .bind("user", user)
                .map((row, c) -> userOf(row))
                .findOne());
  }

  /** What a login compares. */
  record Credentials(long id, String email, String passwordHash) {}

  // By the unique index on lower(email).
  private static final String FIND_CREDENTIALS =
      """
      SELECT u.id, u.email, u.password_hash
        FROM jobs.users u
       WHERE lower(u.email) = lower(:email) AND u.disabled_at IS NULL
      """;

  Optional<Credentials> findCredentials(String email) {
    return jdbi.withHandle(
        h ->
            h.createQuery(FIND_CREDENTIALS)
                .bind("email", email)
                .map(
                    (row, c) ->
                        new Credentials(
                            row.getLong("id"),
                            row.getString("email"),
                            row.getString("password_hash")))
                .findOne());
  }

  // A second user of one address is a unique violation, which the resource answers 409.
  private static final String INSERT_USER =
      """
      INSERT INTO jobs.users (email, name, password_hash, platform_admin)
      VALUES (:email, :name, :hash, :admin)
      RETURNING id, email, name, platform_admin, created_at
      """;

  UserRow insertUser(String email, String name, String hash, boolean platformAdmin) {
    return jdbi.withHandle(
        h ->
            h.createQuery(INSERT_USER)
                .bind("email", email)
                .bind("name", name)
                .bind("hash", hash)
                .bind("admin", platformAdmin)
                .map((row, c) -> userOf(row))
                .one());
  }

  // Keyset by the primary key, oldest first.
  private static final String LIST_USERS =
      """
      SELECT u.id, u.email, u.name, u.platform_admin, u.created_at
        FROM jobs.users u
       WHERE u.id > :after AND u.disabled_at IS NULL
       ORDER BY u.id
       LIMIT :limit
      """;

  List<UserRow> listUsers(long after, int limit) {
    return jdbi.withHandle(
        h ->
            h.createQuery(LIST_USERS)
                .bind("after", after)
                .bind("limit", limit)
                .map((row, c) -> userOf(row))
                .list());
  }

  private static final String COUNT_USERS =
      """
      SELECT count(*) FROM (SELECT 1 FROM jobs.users u WHERE u.disabled_at IS NULL LIMIT :most) counted
      """;

  Count countUsers() {
    return jdbi.withHandle(
        h ->
            Count.of(
                h.createQuery(COUNT_USERS).bind("most", Count.CAP + 1).mapTo(Long.class).one()));
  }

  /** A project and the caller's role in it. */
  record ProjectRole(String project, Role role) {}

  // A platform admin is an admin everywhere. Bounded: /auth/me is for people, who see so many at
  // most.
  private static final String LIST_PROJECT_ROLES =
      """
      SELECT p.name, CASE WHEN :admin THEN 'admin' ELSE m.role END AS role
        FROM jobs.projects p
        LEFT JOIN jobs.project_members m ON m.project_id = p.id AND m.user_id = :user
       WHERE :admin OR m.user_id IS NOT NULL
       ORDER BY p.name
       LIMIT 1000
      """;

  List<ProjectRole> listProjectRoles(long user, boolean platformAdmin) {
    return jdbi.withHandle(
        h ->
            h.createQuery(LIST_PROJECT_ROLES)
                .bind("user", user)
                .bind("admin", platformAdmin)
                .map(
                    (row, c) ->
                        new ProjectRole(row.getString("name"), Role.of(row.getString("role"))))
                .list());
  }

  private static UserRow userOf(ResultSet row) throws SQLException {
    return new UserRow(
        row.getLong("id"),
        row.getString("email"),
        row.getString("name"),
        row.getBoolean("platform_admin"),
        row.getObject("created_at", OffsetDateTime.class).toInstant());
  }
}
