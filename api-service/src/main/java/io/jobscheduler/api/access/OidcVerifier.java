package io.jobscheduler.api.access;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jwa.AlgorithmConstraints.ConstraintType;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.MalformedClaimException;
import org.jose4j.jwt.consumer.InvalidJwtException;
import org.jose4j.jwt.consumer.JwtConsumer;
import org.jose4j.jwt.consumer.JwtConsumerBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Verifies access tokens of the configured issuer: its keys, asymmetric algorithms only, its name,
 * our audience, an expiry. Thread-safe.
 */
@ApplicationScoped
public class OidcVerifier {
  private static final int CLOCK_SKEW_SECONDS = 30;
  private static final int LONGEST_SUBJECT = 255;
  private static final int LONGEST_EMAIL = 254;
  private static final int SHORTEST_EMAIL = 3;
  private static final int LONGEST_NAME = 200;

  private static final JwtConsumer UNPROVEN =
      new JwtConsumerBuilder()
          .setSkipAllValidators()
          .setDisableRequireSignature()
          .setSkipSignatureVerification()
          .setJwsAlgorithmConstraints(AlgorithmConstraints.NO_CONSTRAINTS)
          .build();

  private final @Nullable String issuer;
  private final RoleMapping roles;
  private final @Nullable JwtConsumer consumer;

  OidcVerifier(OidcConfig config) {
    this.issuer = config.issuer().orElse(null);
    this.roles = new RoleMapping(config.rolesClaim(), config.roles().orElse(List.of()));
    if (issuer == null) {
      this.consumer = null;
      return;
    }
    if (issuer.equals(Tokens.ISSUER)) {
      throw new IllegalStateException("jobs.oidc.issuer is the name of our own tokens");
    }
    String audience =
        config
            .audience()
            .orElseThrow(
                () -> new IllegalStateException("jobs.oidc.audience is needed with an issuer"));
    IssuerKeys.secure(config.jwksUrl().orElse(issuer));
    this.consumer =
        new JwtConsumerBuilder()
            .setJwsAlgorithmConstraints(
                new AlgorithmConstraints(
                    ConstraintType.PERMIT,
                    AlgorithmIdentifiers.RSA_USING_SHA256,
                    AlgorithmIdentifiers.RSA_USING_SHA384,
                    AlgorithmIdentifiers.RSA_USING_SHA512,
                    AlgorithmIdentifiers.RSA_PSS_USING_SHA256,
                    AlgorithmIdentifiers.RSA_PSS_USING_SHA384,
                    AlgorithmIdentifiers.RSA_PSS_USING_SHA512,
                    AlgorithmIdentifiers.ECDSA_USING_P256_CURVE_AND_SHA256,
                    AlgorithmIdentifiers.ECDSA_USING_P384_CURVE_AND_SHA384,
                    AlgorithmIdentifiers.ECDSA_USING_P521_CURVE_AND_SHA512,
                    AlgorithmIdentifiers.EDDSA))
            .setVerificationKeyResolver(new IssuerKeys(issuer, config.jwksUrl().orElse(null)))
            .setExpectedIssuer(issuer)
            .setExpectedAudience(audience)
            .setRequireExpirationTime()
            .setRequireSubject()
            .setAllowedClockSkewInSeconds(CLOCK_SKEW_SECONDS)
            .build();
  }

  /** The issuer; null when none is configured. */
  public @Nullable String issuer() {
    return issuer;
  }

  /** Whether a token, of which nothing is proven yet, says that it is of this issuer. */
  boolean isOf(String token) {
    if (issuer == null) {
      return false;
    }
    try {
      JwtClaims claims = UNPROVEN.processToClaims(token);
      return issuer.equals(claims.getClaimValue("iss"));
    } catch (InvalidJwtException e) {
      return false;
    }
  }

  /**
   * Verifies a token.
   *
   * @throws InvalidJwtException when it is not good, or the issuer's keys cannot be read
   */
  CallerPrincipal verify(String token) throws InvalidJwtException, MalformedClaimException {
    if (consumer == null || issuer == null) {
      throw new IllegalStateException("there is no issuer");
    }
    JwtClaims claims = consumer.process(token).getJwtClaims();
    String subject = claims.getSubject();
    if (subject.length() > LONGEST_SUBJECT || subject.indexOf('\0') >= 0) {
      throw new MalformedClaimException("the subject is too long");
    }
    return new CallerPrincipal(
        claims,
        new Caller.External(
            issuer,
            subject,
            email(claims, subject),
            name(claims),
            roles.of(claims.getClaimsMap())));
  }

  // For people to read only: what says who it is, is the subject.
  private static String email(JwtClaims claims, String subject) {
    String email = text(claims, "email", LONGEST_EMAIL);
    boolean denied = Boolean.FALSE.equals(claims.getClaimValue("email_verified"));
    if (!denied && email.length() >= SHORTEST_EMAIL) {
      return email;
    }
    return ("sub:" + subject).substring(0, Math.min(LONGEST_EMAIL, subject.length() + 4));
  }

  private static String name(JwtClaims claims) {
    String name = text(claims, "name", LONGEST_NAME);
    return name.isEmpty() ? text(claims, "preferred_username", LONGEST_NAME) : name;
  }

  private static String text(JwtClaims claims, String claim, int most) {
    String text = claims.getClaimValue(claim) instanceof String given ? given : "";
    String clean = text.replace("\0", "");
    return clean.length() > most ? clean.substring(0, most) : clean;
  }
}
