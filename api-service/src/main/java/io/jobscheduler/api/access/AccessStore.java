package io.jobscheduler.api.access;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** SQL that every request asks: who the caller is, and what it may. */
@ApplicationScoped
public class AccessStore {
  private static final long RENAME_EVERY_NANOS = 60_000_000_000L;
  private static final int MOST_REMEMBERED = 10_000;

  private final Jdbi jdbi;
  private final ConcurrentHashMap<Long, Long> renamedAt = new ConcurrentHashMap<>();

  AccessStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** What a user is to a project; the project's id is null when there is none of that name. */
  record Standing(
      long userId,
      String email,
      boolean platformAdmin,
      @Nullable Integer projectId,
      @Nullable Role role,
      boolean payloadVisible) {}

  // Four unique look-ups. Outer joins tell "no user" (no row) from "no project" (nulls). A session
  // that
  // has ended (logout, a stolen token, another password) ends its access tokens with it.
  private static final String FIND_STANDING =
      """
      SELECT u.id, u.email, u.platform_admin, p.id AS project_id, m.role,
             coalesce(m.payload_visible, false) AS payload_visible
        FROM jobs.users u
        LEFT JOIN jobs.projects p ON p.name = :project AND p.deleted_at IS NULL
        LEFT JOIN jobs.project_members m ON m.project_id = p.id AND m.user_id = u.id
       WHERE u.id = :user AND u.disabled_at IS NULL
         AND (:session::bigint IS NULL
              OR EXISTS (SELECT 1 FROM jobs.sessions s WHERE s.id = :session AND s.user_id = u.id))
      """;

  Optional<Standing> findStanding(long user, @Nullable Long session, String project) {
    return jdbi.withHandle(
        h ->
            h.createQuery(FIND_STANDING)
                .bind("user", user)
                .bind("session", session)
                .bind("project", project)
                .map(
                    (row, c) -> {
                      String role = row.getString("role");
                      return new Standing(
                          row.getLong("id"),
                          row.getString("email"),
                          row.getBoolean("platform_admin"),
                          row.getObject("project_id", Integer.class),
                          role == null ? null : Role.of(role),
                          row.getBoolean("payload_visible"));
                    })
                .findOne());
  }

  private static final String FIND_ACTIVE_USER =
      """
      SELECT u.id, u.email, u.name, u.platform_admin, u.created_at, u.issuer, u.disabled_at
        FROM jobs.users u
       WHERE u.id = :user AND u.disabled_at IS NULL
         AND (:session::bigint IS NULL
              OR EXISTS (SELECT 1 FROM jobs.sessions s WHERE s.id = :session AND s.user_id = u.id))
      """;

  Optional<UserRow> findActiveUser(long user, @Nullable Long session) {
    return jdbi.withHandle(
        h ->
            h.createQuery(FIND_ACTIVE_USER)
                .bind("user", user)
                .bind("session", session)
                .map((row, c) -> UserStore.userOf(row))
                .findOne());
  }

  private static final String FIND_EXTERNAL_USER =
      """
      SELECT u.id, u.email, u.name FROM jobs.users u
       WHERE u.issuer = :issuer AND u.subject = :subject
      """;

  // Two first requests at once: the second finds the first one's row in the next look. A function,
  // so that the record of it names the user, whose id nobody knows before.
  private static final String MAKE_EXTERNAL_USER =
      """
      SELECT jobs.make_external_user(:issuer, :subject, :email, :name, :address, :request)
      """;

  private static final String RENAME_EXTERNAL_USER =
      """
      SELECT jobs.rename_external_user(:id, :email, :name, :address, :request)
      """;

  private record Known(long id, String email, String name) {}

  /**
   * The user of another issuer's subject, made at the first request, and renamed at most once a
   * minute.
   *
   * @param address from which it came
   * @param request its id; both for the audit log
   */
  long externalUser(Caller.External who, @Nullable String address, @Nullable String request) {
    return jdbi.withHandle(
        h -> {
          Optional<Known> known = findExternal(h, who);
          if (known.isEmpty()) {
            h.createQuery(MAKE_EXTERNAL_USER)
                .bind("issuer", who.issuer())
                .bind("subject", who.subject())
                .bind("email", who.email())
                .bind("name", who.name())
                .bind("address", address)
                .bind("request", request)
                .map((row, c) -> true)
                .one();
            known = findExternal(h, who);
          }
          Known user = known.orElseThrow();
          if ((!user.email().equals(who.email()) || !user.name().equals(who.name()))
              && mayRename(user.id())) {
            h.createQuery(RENAME_EXTERNAL_USER)
                .bind("id", user.id())
                .bind("email", who.email())
                .bind("name", who.name())
                .bind("address", address)
                .bind("request", request)
                .map((row, c) -> true)
                .one();
          }
          return user.id();
        });
  }

  // Of two tokens that tell different names, each request would write the row.
  private boolean mayRename(long user) {
    long now = System.nanoTime();
    if (renamedAt.size() > MOST_REMEMBERED) {
      renamedAt.values().removeIf(at -> now - at > RENAME_EVERY_NANOS);
    }
    boolean[] may = new boolean[1];
    renamedAt.compute(
        user,
        (key, at) -> {
          may[0] = at == null || now - at > RENAME_EVERY_NANOS;
          return may[0] ? Long.valueOf(now) : at;
        });
    return may[0];
  }

  private static Optional<Known> findExternal(Handle h, Caller.External who) {
    return h.createQuery(FIND_EXTERNAL_USER)
        .bind("issuer", who.issuer())
        .bind("subject", who.subject())
        .map(
            (row, c) -> new Known(row.getLong("id"), row.getString("email"), row.getString("name")))
        .findOne();
  }

  // A job never changes its queue, so what is true here stays true for the statement that acts on
  // it.
  private static final String IS_JOB_IN =
      """
      SELECT EXISTS (SELECT 1 FROM jobs.all_jobs j
                      WHERE j.id = :job AND j.project_id = :project AND j.queue_id = ANY (:queues))
      """;

  boolean isJobIn(int projectId, long job, Collection<Integer> queues) {
    return jdbi.withHandle(
        h ->
            h.createQuery(IS_JOB_IN)
                .bind("job", job)
                .bind("project", projectId)
                .bindArray("queues", Integer.class, queues.toArray())
                .mapTo(Boolean.class)
                .one());
  }

  /** What a login compares. */
  record Credentials(long id, String email, String passwordHash) {}

  // By the unique index on lower(email).
  private static final String FIND_CREDENTIALS =
      """
      SELECT u.id, u.email, u.password_hash
        FROM jobs.users u
       WHERE lower(u.email) = lower(:email) AND u.issuer IS NULL AND u.disabled_at IS NULL
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

  /** A project and the caller's role in it. */
  record ProjectRole(String project, @Nullable Role role, boolean payloadVisible) {}

  // A platform admin, and who is mapped to every project, sees all. Bounded; the caller says so
  // when
  // there are more.
  private static final String LIST_PROJECT_ROLES =
      """
      SELECT p.name, m.role, coalesce(m.payload_visible, false) AS payload_visible
        FROM jobs.projects p
        LEFT JOIN jobs.project_members m ON m.project_id = p.id AND m.user_id = :user
       WHERE p.deleted_at IS NULL
         AND (:all OR m.user_id IS NOT NULL OR p.name = ANY (:named))
       ORDER BY p.name
       LIMIT :limit
      """;

  List<ProjectRole> listProjectRoles(ProjectsSeen seen, int limit) {
    return jdbi.withHandle(
        h ->
            h.createQuery(LIST_PROJECT_ROLES)
                .bind("user", seen.user())
                .bind("all", seen.all())
                .bindArray("named", String.class, seen.named().toArray())
                .bind("limit", limit)
                .map(
                    (row, c) -> {
                      String role = row.getString("role");
                      return new ProjectRole(
                          row.getString("name"),
                          role == null ? null : Role.of(role),
                          row.getBoolean("payload_visible"));
                    })
                .list());
  }
}
