package io.jobscheduler.api.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.security.Key;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jose4j.http.Get;
import org.jose4j.jwk.HttpsJwks;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwx.JsonWebStructure;
import org.jose4j.keys.resolvers.HttpsJwksVerificationKeyResolver;
import org.jose4j.keys.resolvers.VerificationKeyResolver;
import org.jose4j.lang.JoseException;
import org.jose4j.lang.UnresolvableKeyException;
import org.jspecify.annotations.Nullable;

/**
 * The keys of another issuer: found by OpenID Connect discovery when they are first needed, kept as
 * long as its answer allows, read again when a token names one that is not there, but at most twice
 * a minute, and kept for a day when the issuer is away. While it cannot be read at all, it is asked
 * every 30 seconds, and its tokens are not good. Thread-safe: one reads, some others wait for it.
 */
final class IssuerKeys implements VerificationKeyResolver {
  private static final int CONNECT_MILLIS = 3_000;
  private static final int READ_MILLIS = 5_000;
  private static final int MOST_BYTES = 256 * 1024;
  private static final long READ_AGAIN_MILLIS = Duration.ofSeconds(30).toMillis();
  private static final long MILLI = 1_000_000;
  private static final int MOST_WAITING = 16;
  private static final Duration KEPT_WHEN_AWAY = Duration.ofDays(1);

  private final String issuer;
  private final @Nullable String jwksUrl;
  private final Get http = new Get();
  private final LongSupplier nanoClock;
  private final ReentrantLock reading = new ReentrantLock();
  private volatile @Nullable HttpsJwksVerificationKeyResolver resolver;
  private volatile @Nullable Long failedAt;

  /**
   * The keys of an issuer.
   *
   * @param jwksUrl where they are; null: discovered
   */
  IssuerKeys(String issuer, @Nullable String jwksUrl) {
    this(issuer, jwksUrl, System::nanoTime);
  }

  /** The same, on a monotonic clock. */
  IssuerKeys(String issuer, @Nullable String jwksUrl, LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    this.issuer = issuer;
    this.jwksUrl = jwksUrl;
    http.setConnectTimeout(CONNECT_MILLIS);
    http.setReadTimeout(READ_MILLIS);
    http.setResponseBodySizeLimit(MOST_BYTES);
    http.setRetries(0);
  }

  @Override
  public Key resolveKey(JsonWebSignature signature, List<JsonWebStructure> nesting)
      throws UnresolvableKeyException {
    // Without a key id each token would have to be tried with each key.
    if (signature.getKeyIdHeaderValue() == null) {
      throw new UnresolvableKeyException("no key id");
    }
    return resolver().resolveKey(signature, nesting);
  }

  private HttpsJwksVerificationKeyResolver resolver() throws UnresolvableKeyException {
    HttpsJwksVerificationKeyResolver known = resolver;
    if (known != null) {
      return known;
    }
    refuseAfterFailure();
    // Each holds a request thread meanwhile, and a token of the issuer need not be good to wait.
    if (reading.getQueueLength() >= MOST_WAITING) {
      throw new UnresolvableKeyException("the issuer's keys are being read");
    }
    reading.lock();
    try {
      known = resolver;
      if (known == null) {
        refuseAfterFailure();
        known = read();
        resolver = known;
      }
      return known;
    } finally {
      reading.unlock();
    }
  }

  private void refuseAfterFailure() throws UnresolvableKeyException {
    Long at = failedAt;
    if (at != null && nanoClock.getAsLong() - at < READ_AGAIN_MILLIS * MILLI) {
      throw new UnresolvableKeyException("the issuer's keys could not be read a moment ago");
    }
  }

  private HttpsJwksVerificationKeyResolver read() throws UnresolvableKeyException {
    try {
      HttpsJwks jwks = new HttpsJwks(location());
      jwks.setSimpleHttpGet(http);
      jwks.setRefreshReprieveThreshold(READ_AGAIN_MILLIS);
      jwks.setRetainCacheOnErrorDuration(KEPT_WHEN_AWAY.toSeconds());
      jwks.refresh();
      return new HttpsJwksVerificationKeyResolver(jwks);
    } catch (IOException | JoseException | IllegalArgumentException e) {
      failedAt = nanoClock.getAsLong();
      throw new UnresolvableKeyException("the issuer's keys cannot be read", e);
    }
  }

  private String location() throws IOException, UnresolvableKeyException {
    if (jwksUrl != null) {
      return secure(jwksUrl);
    }
    String base = issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer;
    JsonNode found =
        new ObjectMapper()
            .readTree(http.get(secure(base + "/.well-known/openid-configuration")).getBody());
    // OpenID Connect Discovery, section 4.3: else one issuer could speak for another.
    if (!found.path("issuer").asText().equals(issuer)) {
      throw new UnresolvableKeyException("the issuer calls itself something else");
    }
    return secure(found.path("jwks_uri").asText());
  }

  /** Keys that came over an open line are anybody's; on this machine there is no line. */
  static String secure(String url) {
    URI uri = URI.create(url);
    String host = uri.getHost();
    boolean here = "localhost".equals(host) || "127.0.0.1".equals(host) || "[::1]".equals(host);
    if ("https".equals(uri.getScheme()) || ("http".equals(uri.getScheme()) && here)) {
      return url;
    }
    throw new IllegalArgumentException("keys of an issuer are read over https only: " + url);
  }
}
