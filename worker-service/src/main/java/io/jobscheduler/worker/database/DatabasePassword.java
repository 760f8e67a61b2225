package io.jobscheduler.worker.database;

import io.quarkus.arc.Unremovable;
import io.quarkus.credentials.CredentialsProvider;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Named;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The database user and password, for the pool and for direct connections. */
@ApplicationScoped
@Unremovable
@Named("jobs-db")
public class DatabasePassword implements CredentialsProvider {
  private final DatabaseConfig config;

  DatabasePassword(DatabaseConfig config) {
    this.config = config;
  }

  @Override
  public Map<String, String> getCredentials(String name) {
    String password = current();
    return password == null
        ? Map.of(USER_PROPERTY_NAME, config.username())
        : Map.of(USER_PROPERTY_NAME, config.username(), PASSWORD_PROPERTY_NAME, password);
  }

  /** The password as it is now, or null when none is given (peer or trust authentication). */
  @Nullable String current() {
    Path file = config.passwordFile().orElse(null);
    if (file == null) {
      return config.password().orElse(null);
    }
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("jobs.db.password-file cannot be read", e);
    }
  }
}
