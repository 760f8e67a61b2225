package io.jobscheduler.api.access;

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
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.MalformedClaimException;
import org.jose4j.jwt.consumer.InvalidJwtException;
import org.jose4j.jwt.consumer.JwtConsumer;
import org.jose4j.jwt.consumer.JwtConsumerBuilder;
import org.jose4j.jwx.JsonWebStructure;
import org.jose4j.lang.UnresolvableKeyException;

/**
 * Verifies what stands behind {@code Bearer}, for Quarkus' JWT authentication: our access tokens
 * (one algorithm, type, issuer and audience), the form of an API key, and tokens of the configured
 * issuer. Thread-safe.
 */
@ApplicationScoped
@Alternative
@Priority(1)
public class TokenVerifier extends JWTCallerPrincipalFactory {
  private static final int LONGEST_TOKEN = 8 * 1024;

  private final SigningKeys keys;
  private final OidcVerifier oidc;
  private final JwtConsumer consumer;

  TokenVerifier(SigningKeys keys, OidcVerifier oidc) {
    this.keys = keys;
    this.oidc = oidc;
    this.consumer =
        new JwtConsumerBuilder()
            .setJwsAlgorithmConstraints(
                new AlgorithmConstraints(ConstraintType.PERMIT, NewSigningKey.ALGORITHM))
            .setVerificationKeyResolver(this::resolve)
            .setExpectedType(true, Tokens.TYPE)
            .setExpectedIssuer(Tokens.ISSUER)
            .setExpectedAudience(Tokens.AUDIENCE)
            .setRequireExpirationTime()
            .setRequireSubject()
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
    if (ApiKey.looksLike(token)) {
      return key(token);
    }
    try {
      // What a token says of its issuer decides only whose keys it must have been signed with.
      if (oidc.isOf(token)) {
        return oidc.verify(token);
      }
      JwtClaims claims = consumer.process(token).getJwtClaims();
      return new CallerPrincipal(
          claims,
          new Caller.Login(
              Long.parseLong(claims.getSubject()),
              Long.parseLong(claims.getStringClaimValue(Tokens.SESSION))));
    } catch (InvalidJwtException | MalformedClaimException | NumberFormatException e) {
      throw new ParseException("the token is not valid", e);
    }
  }

  // Whether there is such a key, Authorizer asks together with what it opens.
  private static CallerPrincipal key(String token) throws ParseException {
    if (!ApiKey.isWhole(token)) {
      throw new ParseException("the API key is not whole");
    }
    JwtClaims claims = new JwtClaims();
    claims.setSubject("api-key");
    return new CallerPrincipal(claims, new Caller.Key(ApiKey.hexHash(token)));
  }
}
