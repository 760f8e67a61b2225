package io.jobscheduler.api.database;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** A configuration of which a test chooses what matters to it. */
record TestConfig(Optional<String> password, Optional<Path> passwordFile, Pooler pooler)
    implements DatabaseConfig {

  @Override
  public String url() {
    return "";
  }

  @Override
  public Optional<String> directUrl() {
    return Optional.empty();
  }

  @Override
  public String username() {
    return "jobs_api";
  }

  @Override
  public int poolSize() {
    return 16;
  }

  @Override
  public Duration acquisitionTimeout() {
    return Duration.ofSeconds(5);
  }
}
