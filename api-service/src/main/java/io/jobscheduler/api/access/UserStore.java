package io.jobscheduler.api.access;

import io.jobscheduler.api.paging.Count;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** SQL that makes, lists and changes users. */
@ApplicationScoped
class UserStore {
  private final Jdbi jdbi;

  UserStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  // A second user of one address is a unique violation, which the resource answers 409.
  private static final String INSERT_USER =
      """
      INSERT INTO jobs.users (email, name, password_hash, platform_admin)
      VALUES (:email, :name, :hash, :admin)
      RETURNING id, email, name, platform_admin, created_at, issuer, disabled_at
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
      SELECT u.id, u.email, u.name, u.platform_admin, u.created_at, u.issuer, u.disabled_at
        FROM jobs.users u
       WHERE u.id > :after
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
      SELECT count(*) FROM (SELECT 1 FROM jobs.users u LIMIT :most) counted
      """;

  Count countUsers() {
    return jdbi.withHandle(
        h ->
            Count.of(
                h.createQuery(COUNT_USERS).bind("most", Count.CAP + 1).mapTo(Long.class).one()));
  }

  // What is null stays. A user who is disabled keeps the time of the first time.
  private static final String PATCH_USER =
      """
      UPDATE jobs.users u
         SET name = coalesce(:name, u.name),
             platform_admin = coalesce(:admin, u.platform_admin),
             disabled_at = CASE WHEN :disabled::boolean IS NULL THEN u.disabled_at
                                WHEN :disabled THEN coalesce(u.disabled_at, clock_timestamp()) END
       WHERE u.id = :user
      RETURNING u.id, u.email, u.name, u.platform_admin, u.created_at, u.issuer, u.disabled_at
      """;

  // Two admins who take each other's right away at once must not both succeed: all of them are
  // locked, in one order, before one is changed.
  private static final String LOCK_PLATFORM_ADMINS =
      """
      SELECT u.id FROM jobs.users u
       WHERE u.platform_admin AND u.disabled_at IS NULL
       ORDER BY u.id FOR UPDATE
      """;

  private static final String DELETE_SESSIONS =
      """
      DELETE FROM jobs.sessions WHERE user_id = :user
      """;

  /** What became of a change. */
  enum Patched {
    DONE,
    NO_SUCH_USER,
    LAST_ADMIN
  }

  /** Changes a user; refuses to leave the platform without an admin. What is null stays. */
  Patched patchUser(
      long user, @Nullable String name, @Nullable Boolean admin, @Nullable Boolean disabled) {
    return jdbi.inTransaction(
        h -> {
          if (Boolean.FALSE.equals(admin) || Boolean.TRUE.equals(disabled)) {
            List<Long> admins = h.createQuery(LOCK_PLATFORM_ADMINS).mapTo(Long.class).list();
            if (admins.equals(List.of(user))) {
              return Patched.LAST_ADMIN;
            }
          }
          boolean found =
              h.createQuery(PATCH_USER)
                  .bind("user", user)
                  .bind("name", name)
                  .bind("admin", admin)
                  .bind("disabled", disabled)
                  .map((row, c) -> row.getLong("id"))
                  .findOne()
                  .isPresent();
          if (Boolean.TRUE.equals(disabled)) {
            deleteSessions(h, user);
          }
          return found ? Patched.DONE : Patched.NO_SUCH_USER;
        });
  }

  private static final String FIND_USER =
      """
      SELECT u.id, u.email, u.name, u.platform_admin, u.created_at, u.issuer, u.disabled_at
        FROM jobs.users u WHERE u.id = :user
      """;

  Optional<UserRow> findUser(long user) {
    return jdbi.withHandle(
        h -> h.createQuery(FIND_USER).bind("user", user).map((row, c) -> userOf(row)).findOne());
  }

  // The hash again: of two changes at once, the second one's old password is no longer right.
  private static final String SET_PASSWORD =
      """
      UPDATE jobs.users SET password_hash = :hash
       WHERE id = :user AND password_hash = :old AND disabled_at IS NULL
      """;

  /**
   * Sets a password and ends every session of the user, in one; empty when the old one is no longer
   * what was checked.
   */
  Optional<AccessStore.Credentials> setPassword(AccessStore.Credentials old, String hash) {
    return jdbi.inTransaction(
        h -> {
          int changed =
              h.createUpdate(SET_PASSWORD)
                  .bind("hash", hash)
                  .bind("user", old.id())
                  .bind("old", old.passwordHash())
                  .execute();
          if (changed == 0) {
            return Optional.empty();
          }
          deleteSessions(h, old.id());
          return Optional.of(new AccessStore.Credentials(old.id(), old.email(), hash));
        });
  }

  private static void deleteSessions(Handle h, long user) {
    h.createUpdate(DELETE_SESSIONS).bind("user", user).execute();
  }

  static UserRow userOf(ResultSet row) throws SQLException {
    OffsetDateTime disabled = row.getObject("disabled_at", OffsetDateTime.class);
    return new UserRow(
        row.getLong("id"),
        row.getString("email"),
        row.getString("name"),
        row.getBoolean("platform_admin"),
        row.getObject("created_at", OffsetDateTime.class).toInstant(),
        row.getString("issuer"),
        disabled == null ? null : disabled.toInstant());
  }
}
