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

  // A handful of rows. The newest whose time has come signs. One that another has followed still
  // verifies for as long as the last token it signed can live, and so does one that was retired.
  private static final String LIST_SIGNING_KEYS =
      """
      SELECT k.kid, k.public_jwk, k.private_key_encrypted,
             k.retired_at IS NULL AND k.signs_from <= clock_timestamp() AS signs
        FROM jobs.signing_keys k
       WHERE k.algorithm = 'ES256'
         AND (k.retired_at IS NULL OR k.retired_at > clock_timestamp() - make_interval(secs => :kept))
         AND NOT EXISTS (
               SELECT 1 FROM jobs.signing_keys n
                WHERE n.retired_at IS NULL AND n.signs_from > k.signs_from
                  AND n.signs_from <= clock_timestamp() - make_interval(secs => :kept))
       ORDER BY k.signs_from DESC, k.kid
      """;

  /**
   * The keys that are valid now, newest first.
   *
   * @param kept how long after it signed last a key verifies
   */
  List<StoredKey> listSigningKeys(Duration kept) {
    return jdbi.withHandle(
        h ->
            h.createQuery(LIST_SIGNING_KEYS)
                .bind("kept", (double) kept.toSeconds())
                .map(
                    (row, c) ->
                        new StoredKey(
                            row.getString("kid"),
                            row.getString("public_jwk"),
                            row.getBytes("private_key_encrypted"),
                            row.getBoolean("signs")))
                .list());
  }

  private static final String IS_DUE =
      """
      SELECT NOT EXISTS (
        SELECT 1 FROM jobs.signing_keys k
         WHERE k.retired_at IS NULL AND k.signs_from > clock_timestamp() - make_interval(secs => :age))
      """;

  /** Whether the newest key is older than {@code age}. */
  boolean isDue(Duration age) {
    return jdbi.withHandle(
        h ->
            h.createQuery(IS_DUE).bind("age", (double) age.toSeconds()).mapTo(Boolean.class).one());
  }

  private static final String ROTATE =
      """
      SELECT jobs.rotate_signing_key(:kid, :algorithm, :publicJwk, :privateKey,
               make_interval(secs => :age), make_interval(secs => :lead), make_interval(secs => :kept))
      """;

  /** Stores a new key unless another replica has; whether it did. */
  boolean rotate(NewSigningKey key, Duration age, Duration lead, Duration kept) {
    return jdbi.withHandle(
        h ->
            h.createQuery(ROTATE)
                .bind("kid", key.kid())
                .bind("algorithm", NewSigningKey.ALGORITHM)
                .bind("publicJwk", key.publicJwk())
                .bind("privateKey", key.privateKeyEncrypted())
                .bind("age", (double) age.toSeconds())
                .bind("lead", (double) lead.toSeconds())
                .bind("kept", (double) kept.toSeconds())
                .mapTo(Boolean.class)
                .one());
  }
}
