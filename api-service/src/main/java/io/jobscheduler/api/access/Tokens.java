package io.jobscheduler.api.access;

import io.smallrye.jwt.algorithm.SignatureAlgorithm;
import io.smallrye.jwt.build.Jwt;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.UUID;

/** Makes access tokens (RFC 9068 in spirit: a JWT signed with ES256). */
@ApplicationScoped
public class Tokens {
  /** Who issues them. */
  public static final String ISSUER = "job-scheduler";

  private final SigningKeys keys;
  private final AccessConfig config;

  Tokens(SigningKeys keys, AccessConfig config) {
    this.keys = keys;
    this.config = config;
  }

  /** A token for a user, good from now for the configured lifetime. */
  String issue(long user, String email) {
    SigningKeys.Signing signing = keys.signing();
    return Jwt.issuer(ISSUER)
        .subject(Long.toString(user))
        .upn(email)
        .claim("email", email)
        .claim("jti", UUID.randomUUID().toString())
        .expiresIn(config.tokenLifetime())
        .jws()
        .algorithm(SignatureAlgorithm.ES256)
        .keyId(signing.kid())
        .sign(signing.key());
  }

  long lifetimeSeconds() {
    return config.tokenLifetime().toSeconds();
  }
}
