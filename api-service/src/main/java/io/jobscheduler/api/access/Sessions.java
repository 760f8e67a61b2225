package io.jobscheduler.api.access;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Optional;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Sessions: what begins with a login and goes on with refresh tokens, each of which is good once
 * (RFC 9700, section 4.14).
 *
 * <p>A client whose answer was lost, or two windows of one client, bring a token twice within
 * moments: they get the same successor, also where that has given way itself since, of which the
 * same holds. So all of them end up with the token that is good. Later it is somebody else who has
 * it; who is right cannot be told, so the session ends for both, and with it its access tokens.
 * When the last two tokens gave way is remembered; one before those ends the session however soon
 * it comes. Thread-safe.
 */
@ApplicationScoped
class Sessions {
  /** How long after its use a token gives its successor again. */
  static final Duration GRACE = Duration.ofSeconds(10);

  private static final Logger LOG = Logger.getLogger(Sessions.class);

  private final SessionStore store;
  private final AccessConfig config;
  private volatile @Nullable MasterKey master;

  Sessions(SessionStore store, AccessConfig config) {
    this.store = store;
    this.config = config;
  }

  /** A session and the refresh token that is good now. */
  record Open(SessionStore.Session session, String refreshToken) {}

  /** Begins a session; empty when the credentials are no longer what was checked. */
  Optional<Open> begin(AccessStore.Credentials user) {
    RefreshToken token = RefreshToken.first(master());
    return store
        .insertSession(user, token)
        .map(id -> new Open(new SessionStore.Session(id, user.id(), user.email()), token.text()));
  }

  /** Goes on with a session; empty when the token is not good. */
  Optional<Open> refresh(String text) {
    RefreshToken token = RefreshToken.read(master(), text);
    if (token == null) {
      return Optional.empty();
    }
    RefreshToken next = token.successor(master());
    Optional<SessionStore.Session> rotated = store.rotate(token, next);
    if (rotated.isPresent()) {
      return Optional.of(new Open(rotated.get(), next.text()));
    }
    // Asked after it: who waited for another's rotation sees it here.
    Optional<SessionStore.Found> found = store.findSession(token, GRACE);
    if (found.isEmpty() || token.generation() >= found.get().generation()) {
      return Optional.empty();
    }
    SessionStore.Session session = found.get().session();
    if (found.get().justRotated(token.generation())) {
      return Optional.of(new Open(session, next.text()));
    }
    store.deleteSession(token);
    LOG.warnf(
        "A refresh token was used again, so it may have been stolen; its session was ended:"
            + " user_id=%d session_id=%d",
        session.user(), session.id());
    return Optional.empty();
  }

  /** Ends the session of a token, whichever of its tokens that is. */
  void end(String text) {
    RefreshToken token = RefreshToken.read(master(), text);
    if (token != null) {
      store.deleteSession(token);
    }
  }

  private MasterKey master() {
    MasterKey known = master;
    if (known == null) {
      known = MasterKey.of(config);
      master = known;
    }
    return known;
  }
}
