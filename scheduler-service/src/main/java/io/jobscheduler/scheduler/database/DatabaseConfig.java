package io.jobscheduler.scheduler.database;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.NotBlank;
import java.nio.file.Path;
import java.util.Optional;

/** Where the database is and who asks. The same keys in every service. */
@ConfigMapping(prefix = "jobs.db")
public interface DatabaseConfig {

  /** The ordinary address, pooled if a pooler stands in front: {@code jdbc:postgresql://…}. */
  @NotBlank
  String url();

  /** The address that leads to a session of its own; the ordinary one when absent. */
  Optional<String> directUrl();

  /** The database role, for example {@code jobs_scheduler}. */
  @NotBlank
  String username();

  /** Its password; empty where the server asks for none. */
  Optional<String> password();

  /** A file whose first line is the password; read at each connect, so it may be rotated. */
  Optional<Path> passwordFile();

  /**
   * What stands between {@link #url} and the server. This service prepares nothing in the server
   * and sets nothing beyond a transaction on that address, so both kinds are the same to it.
   */
  @WithDefault("none")
  Pooler pooler();

  /** Kinds of pooler. */
  enum Pooler {
    /** None, or one that keeps a session per connection. */
    NONE,
    /** One that changes the session with each transaction. */
    TRANSACTION
  }
}
