package io.jobscheduler.api.migrate;

import io.jobscheduler.api.access.MasterKey;
import io.jobscheduler.api.access.NewSigningKey;
import io.jobscheduler.api.access.PasswordHash;
import io.jobscheduler.api.access.SigningKeys;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Base64;
import java.util.function.Consumer;

/**
 * What a database needs before its first start: a signing key, an admin, the project {@code
 * default}. One transaction; what is there already stays as it is. The caller holds the migration
 * lock.
 */
final class Seed {
  private static final int PASSWORD_BYTES = 18;

  private final Connection connection;
  private final MasterKey master;
  private final MigrateConfig config;

  Seed(Connection connection, MasterKey master, MigrateConfig config) {
    this.connection = connection;
    this.master = master;
    this.config = config;
  }

  /**
   * Plants what is missing.
   *
   * @throws MigrateException when the password file cannot be written, or the master key is not the
   *     one of the signing key
   */
  void plant(Consumer<String> report) throws SQLException {
    connection.setAutoCommit(false);
    try {
      plantSigningKey(report);
      plantProject(report);
      plantAdmin(report);
      connection.commit();
    } finally {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }

  private static final String NEWEST_KEY =
      """
      SELECT kid, private_key_encrypted FROM jobs.signing_keys
       WHERE retired_at IS NULL ORDER BY created_at DESC, kid LIMIT 1
      """;

  private static final String INSERT_KEY =
      """
      INSERT INTO jobs.signing_keys (kid, algorithm, public_jwk, private_key_encrypted)
      VALUES (?, ?, ?, ?)
      """;

  private void plantSigningKey(Consumer<String> report) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(NEWEST_KEY)) {
      if (row.next()) {
        try {
          SigningKeys.openPrivateKey(master, row.getString(1), row.getBytes(2));
        } catch (IllegalStateException e) {
          throw new MigrateException(
              MigrateException.CONFIGURATION, String.valueOf(e.getMessage()), e);
        }
        return;
      }
    }
    NewSigningKey key = NewSigningKey.generate(master);
    try (PreparedStatement statement = connection.prepareStatement(INSERT_KEY)) {
      statement.setString(1, key.kid());
      statement.setString(2, NewSigningKey.ALGORITHM);
      statement.setString(3, key.publicJwk());
      statement.setBytes(4, key.privateKeyEncrypted());
      statement.executeUpdate();
    }
    report.accept("signing key made: " + key.kid());
  }

  private static final String INSERT_PROJECT =
      """
      INSERT INTO jobs.projects (name) SELECT 'default'
       WHERE NOT EXISTS (SELECT 1 FROM jobs.projects WHERE name = 'default')
      """;

  private static final String INSERT_QUEUE =
      """
      INSERT INTO jobs.queues (project_id, name) SELECT p.id, 'default' FROM jobs.projects p
       WHERE p.name = 'default'
      ON CONFLICT (project_id, name) DO NOTHING
      """;

  private void plantProject(Consumer<String> report) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      int made = statement.executeUpdate(INSERT_PROJECT);
      statement.executeUpdate(INSERT_QUEUE);
      if (made > 0) {
        report.accept("project made: default");
      }
    }
  }

  private static final String ANY_USER = "SELECT 1 FROM jobs.users LIMIT 1";

  private static final String INSERT_ADMIN =
      """
      INSERT INTO jobs.users (email, name, password_hash, platform_admin)
      VALUES (?, 'Administrator', ?, true)
      """;

  // The file is complete before the row commits. Killed between the two, the next run finds no user
  // and
  // writes both anew: there is never an admin whose password nobody knows.
  private void plantAdmin(Consumer<String> report) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(ANY_USER)) {
      if (row.next()) {
        return;
      }
    }
    Path file =
        config
            .adminPasswordFile()
            .orElseThrow(
                () ->
                    new MigrateException(
                        MigrateException.CONFIGURATION,
                        "jobs.migrate.admin-password-file is not set, and there is no user yet"));
    String password = randomPassword();
    try (PreparedStatement statement = connection.prepareStatement(INSERT_ADMIN)) {
      statement.setString(1, config.adminEmail());
      statement.setString(2, PasswordHash.of(password));
      statement.executeUpdate();
    }
    PasswordFile.write(file, password);
    report.accept("first admin made: " + config.adminEmail() + ", password in " + file);
  }

  private static String randomPassword() {
    byte[] random = new byte[PASSWORD_BYTES];
    new SecureRandom().nextBytes(random);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
  }
}
