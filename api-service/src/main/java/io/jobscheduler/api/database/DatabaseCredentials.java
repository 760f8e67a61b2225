package io.jobscheduler.api.database;

import io.quarkus.arc.Unremovable;
import io.quarkus.credentials.CredentialsProvider;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Named;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Map;

/** Hands the pool user and password, so that a password file may change while the process runs. */
@ApplicationScoped
@Unremovable
@Named("jobs-database")
class DatabaseCredentials implements CredentialsProvider {
  private final DatabaseConfig config;

  DatabaseCredentials(DatabaseConfig config) {
    this.config = config;
  }

  @Override
  public Map<String, String> getCredentials(String credentialsProviderName) {
    return Map.of(USER_PROPERTY_NAME, config.username(), PASSWORD_PROPERTY_NAME, password(config));
  }

  /**
   * On the thread of the pool that asks: by default a request thread would be taken, of which a
   * burst on an empty pool leaves none, each of them waiting for this very connection.
   */
  @Override
  public Uni<Map<String, String>> getCredentialsAsync(String credentialsProviderName) {
    return Uni.createFrom().item(() -> getCredentials(credentialsProviderName));
  }

  /**
   * The password of {@code config}: the file's first line, else the plain value, else empty.
   *
   * @throws UncheckedIOException when the file cannot be read
   */
  static String password(DatabaseConfig config) {
    if (config.passwordFile().isPresent()) {
      try {
        return Files.readString(config.passwordFile().get()).strip();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return config.password().orElse("");
  }
}
