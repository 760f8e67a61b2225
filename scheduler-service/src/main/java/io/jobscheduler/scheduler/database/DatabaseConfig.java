package io.jobscheduler.scheduler.database;

import io.smallrye.config.ConfigMapping;
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
}
