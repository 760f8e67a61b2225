package io.jobscheduler.api.access;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.JdbiException;
import org.jose4j.jwk.JsonWebKey;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.lang.JoseException;
import org.jspecify.annotations.Nullable;

/**
 * The signing keys, kept in memory: read again after a minute, and when an unknown key id is met,
 * but then at most once a second. Whichever replica finds the newest key old enough makes the next
 * one, which is published a day before it signs. Thread-safe; one lock, held while the keys are
 * read.
 */
@ApplicationScoped
public class SigningKeys {
  private static final Logger LOG = Logger.getLogger(SigningKeys.class);
  private static final long FRESH_NANOS = Duration.ofMinutes(1).toNanos();
  private static final long UNKNOWN_NANOS = Duration.ofSeconds(1).toNanos();

  /** After a failed reading nobody tries for so long: who waited for it does not wait once more. */
  private static final long AGAIN_NANOS = Duration.ofSeconds(1).toNanos();

  /** How old they may be when they cannot be read: nothing but the key set works without. */
  private static final long STALE_NANOS = Duration.ofMinutes(10).toNanos();

  /** How long a key is published before it signs: far longer than anybody keeps our key set. */
  static final Duration LEAD = Duration.ofDays(1);

  // Another replica may go on with the key before for a minute.
  private static final Duration MARGIN = Duration.ofMinutes(5);

  private record Signer(String kid, byte[] privateKeyEncrypted) {}

  private record Keys(
      Map<String, PublicKey> verifying,
      List<Map<String, Object>> published,
      @Nullable Signer signer,
      long readAtNanos) {}

  /** A private key and its id. */
  record Signing(String kid, PrivateKey key) {}

  private final SigningKeyStore store;
  private final AccessConfig config;
  private final LongSupplier nanoClock;
  private volatile @Nullable Keys keys;
  private volatile @Nullable Signing signing;

  /** Why the last reading failed, and when. Guarded by the monitor. */
  private @Nullable RuntimeException failure;

  private long failedAtNanos;

  @Inject
  SigningKeys(SigningKeyStore store, AccessConfig config) {
    this(store, config, System::nanoTime);
  }

  SigningKeys(SigningKeyStore store, AccessConfig config, LongSupplier nanoClock) {
    this.store = store;
    this.config = config;
    this.nanoClock = nanoClock;
  }

  /** The key that verifies tokens of {@code kid}; null when there is none. */
  @Nullable PublicKey verifying(String kid) {
    PublicKey key = read(FRESH_NANOS).verifying().get(kid);
    return key != null ? key : read(UNKNOWN_NANOS).verifying().get(kid);
  }

  /** The public keys as JWKs. */
  List<Map<String, Object>> published() {
    return read(FRESH_NANOS).published();
  }

  /**
   * The newest key, to sign with.
   *
   * @throws IllegalStateException when there is none or the master key does not open it
   */
  Signing signing() {
    Signer signer = read(FRESH_NANOS).signer();
    if (signer == null) {
      signer = read(UNKNOWN_NANOS).signer();
    }
    if (signer == null) {
      throw new IllegalStateException("there is no signing key: run the migrate mode");
    }
    Signing known = signing;
    if (known == null || !known.kid().equals(signer.kid())) {
      known = new Signing(signer.kid(), open(signer));
      signing = known;
    }
    return known;
  }

  private PrivateKey open(Signer signer) {
    MasterKey master = MasterKey.of(config);
    return openPrivateKey(master, signer.kid(), signer.privateKeyEncrypted());
  }

  /**
   * Opens a stored private key.
   *
   * @throws IllegalStateException when it was sealed under another master key
   */
  public static PrivateKey openPrivateKey(MasterKey master, String kid, byte[] encrypted) {
    try {
      return KeyFactory.getInstance("EC")
          .generatePrivate(new PKCS8EncodedKeySpec(master.decrypt(encrypted, kid)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(
          "the master key does not open the signing key " + kid + ": it is another file's", e);
    }
  }

  private Keys read(long freshNanos) {
    Keys known = keys;
    if (known != null && nanoClock.getAsLong() - known.readAtNanos() < freshNanos) {
      return known;
    }
    synchronized (this) {
      known = keys;
      if (known != null && nanoClock.getAsLong() - known.readAtNanos() < freshNanos) {
        return known;
      }
      RuntimeException before = failure;
      if (before == null || nanoClock.getAsLong() - failedAtNanos >= AGAIN_NANOS) {
        try {
          Keys fresh = readOnce();
          keys = fresh;
          failure = null;
          return fresh;
        } catch (RuntimeException e) {
          before = e;
          failure = e;
          failedAtNanos = nanoClock.getAsLong();
        }
      }
      // The keys of before do for a while when the database is away, but not to say that there is
      // no such key.
      if (known == null
          || freshNanos < FRESH_NANOS
          || nanoClock.getAsLong() - known.readAtNanos() >= STALE_NANOS) {
        throw before;
      }
      return known;
    }
  }

  private Keys readOnce() {
    rotateIfDue();
    return parse(store.listSigningKeys(config.tokenLifetime().plus(MARGIN)));
  }

  // What goes wrong here must not stop those who only want to verify: the keys that are there go
  // on,
  // and the next reading tries again.
  private void rotateIfDue() {
    try {
      if (store.isDue(config.keyRotation())) {
        NewSigningKey next = NewSigningKey.generate(MasterKey.of(config));
        if (store.rotate(next, config.keyRotation(), LEAD, config.tokenLifetime().plus(LEAD))) {
          LOG.infof("A new signing key was made; it signs from tomorrow on: kid=%s", next.kid());
        }
      }
    } catch (ConnectionException e) {
      // The reading would wait for one in vain once more.
      throw e;
    } catch (IllegalStateException | JdbiException e) {
      LOG.warnf(e, "The next signing key could not be made; it is tried again in a minute");
    }
  }

  private Keys parse(List<SigningKeyStore.StoredKey> stored) {
    Map<String, PublicKey> verifying = new HashMap<>();
    List<Map<String, Object>> published = new ArrayList<>();
    Signer signer = null;
    for (SigningKeyStore.StoredKey key : stored) {
      try {
        PublicJsonWebKey jwk = PublicJsonWebKey.Factory.newPublicJwk(key.publicJwk());
        verifying.put(key.kid(), jwk.getPublicKey());
        published.add(jwk.toParams(JsonWebKey.OutputControlLevel.PUBLIC_ONLY));
      } catch (JoseException e) {
        LOG.errorf(e, "A signing key in the database cannot be read; retire it: kid=%s", key.kid());
        continue;
      }
      if (signer == null && key.signs()) {
        signer = new Signer(key.kid(), key.privateKeyEncrypted());
      }
    }
    return new Keys(Map.copyOf(verifying), List.copyOf(published), signer, nanoClock.getAsLong());
  }
}
