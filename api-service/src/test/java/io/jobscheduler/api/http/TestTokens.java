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

/** Tokens under the service's own key, with claims that it would not issue. */
final class TestTokens {
  private TestTokens() {}

  static String of(long user, String issuer, Instant expiry) {
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
          .subject(Long.toString(user))
          .issuedAt(expiry.minusSeconds(600))
          .expiresAt(expiry)
          .jws()
          .algorithm(SignatureAlgorithm.ES256)
          .keyId(row.getString(1))
          .sign(key);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
