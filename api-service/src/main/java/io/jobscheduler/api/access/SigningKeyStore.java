package io.jobscheduler.api.access;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/** SQL over the signing keys. */
@ApplicationScoped
class SigningKeyStore {
  private final Jdbi jdbi;

  SigningKeyStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** A key as stored; {@code signs}: not retired. */
  record StoredKey(String kid, String publicJwk, byte[] privateKeyEncrypted, boolean signs) {}

  // A handful of rows. A retired key still verifies for as long as the last token it signed lives.
  private static final String LIST_SIGNING_KEYS =
      """
      SELECT k.kid, k.public_jwk, k.private_key_encrypted, k.retired_at IS NULL AS signs
        FROM jobs.signing_keys k
       WHERE k.algorithm = 'ES256'
         AND (k.retired_at IS NULL OR k.retired_at > clock_timestamp() - make_interval(secs => :lifetime))
       ORDER BY k.created_at DESC, k.kid
      """;

  /** The keys that are valid now, newest first. */
  List<StoredKey> listSigningKeys(Duration tokenLifetime) {
    return jdbi.withHandle(
        h ->
            h.createQuery(LIST_SIGNING_KEYS)
                .bind("lifetime", (double) tokenLifetime.toSeconds())
                .map(
                    (row, c) ->
                        new StoredKey(
                            row.getString("kid"),
                            row.getString("public_jwk"),
                            row.getBytes("private_key_encrypted"),
                            row.getBoolean("signs")))
                .list());
  }
}
