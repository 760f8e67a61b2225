package io.jobscheduler.api.access;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/** SQL over sessions: the families of refresh tokens. */
@ApplicationScoped
class SessionStore {
  /** Sessions that one user can have; a new one beyond takes the place of the oldest. */
  static final int MOST_OF_A_USER = 1_000;

  private final Jdbi jdbi;
  private final AccessConfig config;

  SessionStore(Jdbi jdbi, AccessConfig config) {
    this.jdbi = jdbi;
    this.config = config;
  }

  /** A session and whose it is. */
  record Session(long id, long user, String email) {}

  // A change of the password, or of the account, that was under way while the password was checked
  // either waits for this lock and then ends this session too, or is waited for and leaves no row.
  private static final String INSERT_SESSION =
      """
      INSERT INTO jobs.sessions (user_id, handle, token_hash, expires_at)
      SELECT u.id, :handle, :hash,
             clock_timestamp() + make_interval(secs => least(:idle::float8, :lifetime::float8))
        FROM jobs.users u
       WHERE u.id = :user AND u.password_hash = :passwordHash AND u.disabled_at IS NULL
         FOR SHARE
      RETURNING id
      """;

  // By sessions_user, backwards: what stands beyond the newest. And, by sessions_expiry, some of
  // whoever
  // has not come back: each login takes away more than it adds, so the table follows who is there.
  private static final String DELETE_SURPLUS =
      """
      DELETE FROM jobs.sessions
       WHERE id IN (SELECT s.id FROM jobs.sessions s WHERE s.user_id = :user
                     ORDER BY s.user_id DESC, s.id DESC OFFSET :most LIMIT 10 FOR UPDATE SKIP LOCKED)
          OR id IN (SELECT s.id FROM jobs.sessions s WHERE s.expires_at < clock_timestamp()
                     ORDER BY s.expires_at LIMIT 10 FOR UPDATE SKIP LOCKED)
      """;

  /** Empty when the user's password is no longer the one that was checked. */
  Optional<Long> insertSession(AccessStore.Credentials user, RefreshToken token) {
    return jdbi.withHandle(
        h -> {
          h.createUpdate(DELETE_SURPLUS)
              .bind("user", user.id())
              .bind("most", MOST_OF_A_USER - 1)
              .execute();
          return h.createQuery(INSERT_SESSION)
              .bind("user", user.id())
              .bind("passwordHash", user.passwordHash())
              .bind("handle", token.handle())
              .bind("hash", token.hash())
              .bind("idle", seconds(config.sessionIdle()))
              .bind("lifetime", seconds(config.sessionLifetime()))
              .mapTo(Long.class)
              .findOne();
        });
  }

  // Compare and set: of two that bring one token, one changes the row, and the other, having waited
  // for it, changes none.
  private static final String ROTATE =
      """
      UPDATE jobs.sessions s
         SET generation = s.generation + 1, token_hash = :next, rotated_at = clock_timestamp(),
             rotated_before = s.rotated_at,
             expires_at = least(s.created_at + make_interval(secs => :lifetime),
                                clock_timestamp() + make_interval(secs => :idle))
        FROM jobs.users u
       WHERE s.handle = :handle AND s.generation = :generation AND s.token_hash = :hash
         AND s.expires_at > clock_timestamp()
         AND u.id = s.user_id AND u.disabled_at IS NULL
      RETURNING s.id, s.user_id, u.email
      """;

  /** Puts the successor in the place of a token that is good now; empty when it is not. */
  Optional<Session> rotate(RefreshToken token, RefreshToken next) {
    return jdbi.withHandle(
        h ->
            h.createQuery(ROTATE)
                .bind("handle", token.handle())
                .bind("generation", token.generation())
                .bind("hash", token.hash())
                .bind("next", next.hash())
                .bind("idle", seconds(config.sessionIdle()))
                .bind("lifetime", seconds(config.sessionLifetime()))
                .map(
                    (row, c) ->
                        new Session(
                            row.getLong("id"), row.getLong("user_id"), row.getString("email")))
                .findOne());
  }

  /**
   * A session, as it stands.
   *
   * @param generation of the token that is good now
   * @param last the one before it gave way a moment ago
   * @param beforeLast so did the one before that
   */
  record Found(Session session, int generation, boolean last, boolean beforeLast) {

    /**
     * Whether the token of this generation gave way a moment ago; of older ones it is forgotten.
     */
    boolean justRotated(int old) {
      return old == generation - 1 ? last : old == generation - 2 && beforeLast;
    }
  }

  private static final String FIND_SESSION =
      """
      SELECT s.id, s.user_id, u.email, s.generation,
             s.rotated_at > clock_timestamp() - make_interval(secs => :grace) AS last,
             coalesce(s.rotated_before > clock_timestamp() - make_interval(secs => :grace), false) AS before_last
        FROM jobs.sessions s
        JOIN jobs.users u ON u.id = s.user_id AND u.disabled_at IS NULL
       WHERE s.handle = :handle AND s.expires_at > clock_timestamp()
      """;

  Optional<Found> findSession(RefreshToken token, Duration grace) {
    return jdbi.withHandle(
        h ->
            h.createQuery(FIND_SESSION)
                .bind("handle", token.handle())
                .bind("grace", seconds(grace))
                .map(
                    (row, c) ->
                        new Found(
                            new Session(
                                row.getLong("id"), row.getLong("user_id"), row.getString("email")),
                            row.getInt("generation"),
                            row.getBoolean("last"),
                            row.getBoolean("before_last")))
                .findOne());
  }

  private static final String DELETE_SESSION =
      """
      DELETE FROM jobs.sessions WHERE handle = :handle
      """;

  void deleteSession(RefreshToken token) {
    jdbi.useHandle(h -> h.createUpdate(DELETE_SESSION).bind("handle", token.handle()).execute());
  }

  private static double seconds(Duration duration) {
    return duration.toSeconds();
  }
}
