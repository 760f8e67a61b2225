package io.jobscheduler.scheduler.database;

import io.quarkus.credentials.CredentialsProvider;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The role and its password, from the configuration or a mounted file. Thread-safe. */
@Singleton
@Named("jobs-db")
public class DatabaseCredentials implements CredentialsProvider {
  private final DatabaseConfig config;

  DatabaseCredentials(DatabaseConfig config) {
    if (config.password().isPresent() && config.passwordFile().isPresent()) {
      throw new IllegalStateException("set jobs.db.password or jobs.db.password-file, not both");
    }
    this.config = config;
  }

  @Override
  public Map<String, String> getCredentials(@Nullable String provider) {
    return Map.of(USER_PROPERTY_NAME, config.username(), PASSWORD_PROPERTY_NAME, currentPassword());
  }

  private String currentPassword() {
    Path file = config.passwordFile().orElse(null);
    if (file == null) {
      return config.password().orElse("");
    }
    try {
      return Files.readString(file).lines().findFirst().orElse("");
    } catch (IOException e) {
      throw new UncheckedIOException("jobs.db.password-file cannot be read", e);
    }
  }
}
