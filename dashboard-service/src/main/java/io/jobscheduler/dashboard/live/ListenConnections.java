package io.jobscheduler.dashboard.live;

import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/** Opens the dedicated connection, direct and with its own timeouts. */
@ApplicationScoped
class ListenConnections {
  private final DatabaseConfig config;

  ListenConnections(DatabaseConfig config) {
    this.config = config;
  }

  Connection open() throws SQLException {
    Properties properties = new Properties();
    config.username().ifPresent(user -> properties.setProperty("user", user));
    String password = password();
    if (!password.isEmpty()) {
      properties.setProperty("password", password);
    }
    properties.setProperty("ApplicationName", "jobs-dashboard");
    properties.setProperty("connectTimeout", "5");
    // Bounds each answer: a half-open connection is noticed by the next check.
    properties.setProperty("socketTimeout", "10");
    properties.setProperty("tcpKeepAlive", "true");
    return DriverManager.getConnection(config.directUrl().orElse(config.url()), properties);
  }

  private String password() throws SQLException {
    if (config.passwordFile().isEmpty()) {
      return config.password().orElse("");
    }
    Path file = Path.of(config.passwordFile().get());
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new SQLException("jobs.db.password-file cannot be read: " + file, e);
    }
  }
}
