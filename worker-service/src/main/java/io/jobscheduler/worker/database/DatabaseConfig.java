package io.jobscheduler.worker.database;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.util.Optional;

/** Where the database is. The pool's settings in {@code application.properties} refer to these. */
@ConfigMapping(prefix = "jobs.db")
public interface DatabaseConfig {
  /** JDBC URL for ordinary work; may lead through a pooler. */
  String url();

  /** JDBC URL without a pooler, for LISTEN and session locks; {@link #url} when absent. */
  Optional<String> directUrl();

  /** The worker's database role. */
  String username();

  /** Its password, unless it stands in a file. */
  Optional<String> password();

  /** A file that holds the password; read at each new connection, so it may be rotated. */
  Optional<Path> passwordFile();

  /** What stands between {@link #url} and the server. */
  @WithDefault("none")
  Pooler pooler();

  /** Kinds of pooler. */
  enum Pooler {
    /** None, or one that keeps a session per connection. */
    NONE,
    /** One that changes the session with each transaction: no server-prepared statements. */
    TRANSACTION
  }
}
