package io.jobscheduler.api.access;

import io.smallrye.jwt.auth.principal.DefaultJWTCallerPrincipal;
import io.smallrye.jwt.auth.principal.JWTAuthContextInfo;
import io.smallrye.jwt.auth.principal.JWTCallerPrincipal;
import io.smallrye.jwt.auth.principal.JWTCallerPrincipalFactory;
import io.smallrye.jwt.auth.principal.ParseException;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Alternative;
import java.security.Key;
import java.security.PublicKey;
import java.util.List;
import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jwa.AlgorithmConstraints.ConstraintType;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.consumer.InvalidJwtException;
import org.jose4j.jwt.consumer.JwtConsumer;
import org.jose4j.jwt.consumer.JwtConsumerBuilder;
import org.jose4j.jwx.JsonWebStructure;
import org.jose4j.lang.UnresolvableKeyException;

/**
 * Verifies access tokens against the keys in the database, for Quarkus' JWT authentication. One
 * algorithm, one issuer, an expiry and a subject are required. Thread-safe.
 */
@ApplicationScoped
@Alternative
@Priority(1)
public class TokenVerifier extends JWTCallerPrincipalFactory {
  private static final int LONGEST_TOKEN = 8 * 1024;

  private final SigningKeys keys;
  private final JwtConsumer consumer;

  TokenVerifier(SigningKeys keys) {
    this.keys = keys;
    this.consumer =
        new JwtConsumerBuilder()
            .setJwsAlgorithmConstraints(
                new AlgorithmConstraints(ConstraintType.PERMIT, NewSigningKey.ALGORITHM))
            .setVerificationKeyResolver(this::resolve)
            .setExpectedIssuer(Tokens.ISSUER)
            .setRequireExpirationTime()
            .setRequireSubject()
            .setSkipDefaultAudienceValidation()
            .build();
  }

  private Key resolve(JsonWebSignature signature, List<JsonWebStructure> nesting)
      throws UnresolvableKeyException {
    String kid = signature.getKeyIdHeaderValue();
    PublicKey key = kid == null ? null : keys.verifying(kid);
    if (key == null) {
      throw new UnresolvableKeyException("unknown key");
    }
    return key;
  }

  @Override
  public JWTCallerPrincipal parse(String token, JWTAuthContextInfo context) throws ParseException {
    if (token.length() > LONGEST_TOKEN) {
      throw new ParseException("the token is too long");
    }
    try {
      return new DefaultJWTCallerPrincipal(consumer.process(token).getJwtClaims());
    } catch (InvalidJwtException e) {
      throw new ParseException("the token is not valid", e);
    }
  }
}
