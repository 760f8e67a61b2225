package io.jobscheduler.api.http;

import io.jobscheduler.api.access.MasterKey;
import io.jobscheduler.api.access.SigningKeys;
import io.jobscheduler.schema.testing.Role;
import io.smallrye.jwt.algorithm.SignatureAlgorithm;
import io.smallrye.jwt.build.Jwt;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import org.eclipse.microprofile.config.ConfigProvider;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.consumer.InvalidJwtException;
import org.jose4j.jwt.consumer.JwtConsumerBuilder;

/** Tokens under the service's own key, with claims that it would not issue. */
final class TestTokens {
  private TestTokens() {}

  /**
   * One of our tokens, with the user and session of {@code valid}, a token that the service gave.
   */
  static String of(String valid, String issuer, Instant expiry) {
    return of(valid, issuer, "job-scheduler-api", "at+jwt", expiry);
  }

  static String of(String valid, String issuer, String audience, String type, Instant expiry) {
    JwtClaims claims;
    try {
      claims =
          new JwtConsumerBuilder()
              .setSkipAllValidators()
              .setSkipSignatureVerification()
              .build()
              .processToClaims(valid);
    } catch (InvalidJwtException e) {
      throw new IllegalArgumentException(e);
    }
    MasterKey master =
        MasterKey.read(
            ConfigProvider.getConfig().getValue("jobs.access.master-key-file", Path.class));
    try (Connection owner =
            DriverManager.getConnection(
                System.getProperty(ApiDatabase.URL),
                Role.OWNER.databaseName(),
                Role.OWNER.password());
        Statement statement = owner.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT kid, private_key_encrypted FROM jobs.signing_keys")) {
      row.next();
      PrivateKey key = SigningKeys.openPrivateKey(master, row.getString(1), row.getBytes(2));
      return Jwt.issuer(issuer)
          .subject(String.valueOf(claims.getClaimValue("sub")))
          .claim("sid", claims.getClaimValue("sid"))
          .audience(audience)
          .issuedAt(expiry.minusSeconds(600))
          .expiresAt(expiry)
          .jws()
          .header("typ", type)
          .algorithm(SignatureAlgorithm.ES256)
          .keyId(row.getString(1))
          .sign(key);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
