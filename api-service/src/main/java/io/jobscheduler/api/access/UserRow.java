package io.jobscheduler.api.access;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A user as the API shows it.
 *
 * @param issuer who vouches for it; null: it has a password here
 * @param disabledAt null: it may log in
 */
public record UserRow(
    long id,
    String email,
    String name,
    boolean platformAdmin,
    Instant createdAt,
    @Nullable String issuer,
    @Nullable Instant disabledAt) {
  UserRow asPlatformAdmin() {
    return new UserRow(id, email, name, true, createdAt, issuer, disabledAt);
  }
}
