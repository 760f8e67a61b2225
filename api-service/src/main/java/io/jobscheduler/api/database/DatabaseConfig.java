package io.jobscheduler.api.database;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** How this process reaches Postgres ({@code jobs.db.*}). */
@ConfigMapping(prefix = "jobs.db")
public interface DatabaseConfig {
  /** JDBC URL for ordinary work; may lead through a pooler. */
  String url();

  /** JDBC URL past any pooler, for session locks and migration. Default: {@link #url()}. */
  Optional<String> directUrl();

  /** The database role. */
  String username();

  /** The role's password; {@link #passwordFile()} goes before it. */
  Optional<String> password();

  /** A file that holds the password; read again for each new connection. */
  Optional<Path> passwordFile();

  /** What stands between {@link #url()} and the server. */
  @WithDefault("none")
  Pooler pooler();

  /** Kinds of pooler. */
  enum Pooler {
    /** None, or one that keeps a session per connection. */
    NONE,
    /** One that changes the session with each transaction: no server-prepared statements. */
    TRANSACTION
  }

  /** Most connections of the pool. */
  @WithDefault("16")
  @Min(1)
  @Max(1000)
  int poolSize();

  /** How long a request waits for a free connection before it is answered 503. */
  @WithDefault("PT5S")
  Duration acquisitionTimeout();
}
