package io.jobscheduler.api.projects;

import com.fasterxml.jackson.annotation.JsonIgnore;
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
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** SQL over the members of a project. */
@ApplicationScoped
public class MemberStore {
  private final Jdbi jdbi;

  MemberStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** A member of a project. */
  public record Member(
      String userId,
      String email,
      String name,
      @Schema(enumeration = {"viewer", "operator", "admin"}) String role,
      boolean payloadVisible,
      Instant createdAt,
      @JsonIgnore String etag) {}

  // Keyset by user, through the primary key.
  private static final String LIST_MEMBERS =
      """
      SELECT u.id, u.email, u.name, m.role, m.payload_visible, m.created_at, m.xmin::text AS version
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

  private static final String FIND_MEMBER =
      """
      SELECT u.id, u.email, u.name, m.role, m.payload_visible, m.created_at, m.xmin::text AS version
        FROM jobs.project_members m
        JOIN jobs.users u ON u.id = m.user_id
       WHERE m.project_id = :project AND m.user_id = :user
      """;

  Optional<Member> findMember(int projectId, long user) {
    return jdbi.withHandle(
        h ->
            h.createQuery(FIND_MEMBER)
                .bind("project", projectId)
                .bind("user", user)
                .map((row, c) -> memberOf(row))
                .findOne());
  }

  // Two admins who remove each other at once must not both succeed: all of them are locked, in one
  // order, before one is changed.
  private static final String LOCK_ADMINS =
      """
      SELECT m.user_id FROM jobs.project_members m
       WHERE m.project_id = :project AND m.role = 'admin'
       ORDER BY m.user_id FOR UPDATE
      """;

  private static boolean isLastAdmin(Handle h, int projectId, long user) {
    return h.createQuery(LOCK_ADMINS)
        .bind("project", projectId)
        .mapTo(Long.class)
        .list()
        .equals(List.of(user));
  }

  // Selected from users, so that an unknown or disabled one gives no row and no constraint is
  // needed to tell. Who is no member yet has to be known by address, or ids would tell addresses;
  // an address that is given has to be the user's.
  private static final String PUT_MEMBER =
      """
      INSERT INTO jobs.project_members AS m (project_id, user_id, role, payload_visible)
      SELECT :project, u.id, :role, :payloadVisible
        FROM jobs.users u
       WHERE u.id = :user AND u.disabled_at IS NULL
         AND (:email::text IS NULL OR lower(u.email) = lower(:email::text))
         AND (:anybody OR :email::text IS NOT NULL
              OR EXISTS (SELECT 1 FROM jobs.project_members k
                          WHERE k.project_id = :project AND k.user_id = u.id))
          ON CONFLICT (project_id, user_id) DO UPDATE
         SET role = excluded.role, payload_visible = excluded.payload_visible
      """;

  private static final String LOCK_MEMBER =
      """
      SELECT m.user_id AS id, m.xmin::text AS version
        FROM jobs.project_members m
       WHERE m.project_id = :project AND m.user_id = :user
         FOR UPDATE
      """;

  /** The tag of a member that is there, which then is locked. */
  private static Optional<String> lock(Handle h, int projectId, long user) {
    return h.createQuery(LOCK_MEMBER)
        .bind("project", projectId)
        .bind("user", user)
        .map((row, c) -> etagOf(row))
        .findOne();
  }

  /** What became of a change. */
  enum Changed {
    DONE,
    NOBODY,
    LAST_ADMIN
  }

  /**
   * Makes a user a member, or changes what it may.
   *
   * @param email its address, if the caller gave one
   * @param anybody whether the caller may see every user
   * @param ifMatch the tag that the membership must have; then it must exist
   * @throws ProblemException 412
   */
  Changed putMember(
      int projectId,
      long user,
      String role,
      boolean payloadVisible,
      @Nullable String email,
      boolean anybody,
      @Nullable String ifMatch) {
    return jdbi.inTransaction(
        h -> {
          if (!role.equals("admin") && isLastAdmin(h, projectId, user)) {
            return Changed.LAST_ADMIN;
          }
          if (ifMatch != null) {
            Etag.require(ifMatch, lock(h, projectId, user).orElseThrow(Etag::stale));
          }
          int put =
              h.createUpdate(PUT_MEMBER)
                  .bind("project", projectId)
                  .bind("user", user)
                  .bind("role", role)
                  .bind("payloadVisible", payloadVisible)
                  .bind("email", email)
                  .bind("anybody", anybody)
                  .execute();
          return put > 0 ? Changed.DONE : Changed.NOBODY;
        });
  }

  private static final String DELETE_MEMBER =
      """
      DELETE FROM jobs.project_members WHERE project_id = :project AND user_id = :user
      """;

  /**
   * Ends a membership.
   *
   * @param ifMatch the tag that it must have
   * @throws ProblemException 412
   */
  Changed deleteMember(int projectId, long user, @Nullable String ifMatch) {
    return jdbi.inTransaction(
        h -> {
          if (isLastAdmin(h, projectId, user)) {
            return Changed.LAST_ADMIN;
          }
          lock(h, projectId, user).ifPresent(etag -> Etag.require(ifMatch, etag));
          int deleted =
              h.createUpdate(DELETE_MEMBER).bind("project", projectId).bind("user", user).execute();
          return deleted > 0 ? Changed.DONE : Changed.NOBODY;
        });
  }

  private static Member memberOf(ResultSet row) throws SQLException {
    return new Member(
        row.getString("id"),
        row.getString("email"),
        row.getString("name"),
        row.getString("role"),
        row.getBoolean("payload_visible"),
        row.getObject("created_at", OffsetDateTime.class).toInstant(),
        etagOf(row));
  }

  private static String etagOf(ResultSet row) throws SQLException {
    return Etag.of(row.getLong("id"), row.getLong("version"));
  }
}
