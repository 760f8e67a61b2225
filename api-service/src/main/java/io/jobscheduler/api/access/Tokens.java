package io.jobscheduler.api.access;

import io.smallrye.jwt.algorithm.SignatureAlgorithm;
import io.smallrye.jwt.build.Jwt;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.UUID;

/** Makes access tokens (RFC 9068: a JWT of type at+jwt, signed with ES256). */
@ApplicationScoped
public class Tokens {
  /** Who issues them. */
  public static final String ISSUER = "job-scheduler";

  /** Whom they are for. */
  public static final String AUDIENCE = "job-scheduler-api";

  /** Their {@code typ}: no other token that our keys may sign passes for one. */
  public static final String TYPE = "at+jwt";

  /** The claim that names the session. */
  public static final String SESSION = "sid";

  private final SigningKeys keys;
  private final AccessConfig config;

  Tokens(SigningKeys keys, AccessConfig config) {
    this.keys = keys;
    this.config = config;
  }

  /** A token for a session, good from now for the configured lifetime. */
  String issue(SessionStore.Session session) {
    SigningKeys.Signing signing = keys.signing();
    return Jwt.issuer(ISSUER)
        .audience(AUDIENCE)
        .subject(Long.toString(session.user()))
        .upn(session.email())
        .claim("email", session.email())
        .claim(SESSION, Long.toString(session.id()))
        .claim("jti", UUID.randomUUID().toString())
        .expiresIn(config.tokenLifetime())
        .jws()
        .header("typ", TYPE)
        .algorithm(SignatureAlgorithm.ES256)
        .keyId(signing.kid())
        .sign(signing.key());
  }

  long lifetimeSeconds() {
    return config.tokenLifetime().toSeconds();
  }
}
