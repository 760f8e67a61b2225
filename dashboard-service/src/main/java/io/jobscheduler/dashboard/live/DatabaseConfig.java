package io.jobscheduler.dashboard.live;

import io.smallrye.config.ConfigMapping;
import java.util.Optional;

/** Where the database is. The dashboard keeps exactly one connection to it, for LISTEN. */
@ConfigMapping(prefix = "jobs.db")
public interface DatabaseConfig {
  /** JDBC URL for ordinary work, possibly through a pooler. */
  String url();

  /** JDBC URL without a pooler, which LISTEN needs; the ordinary one when absent. */
  Optional<String> directUrl();

  /** The role, {@code jobs_dashboard}. */
  Optional<String> username();

  /** The role's password. */
  Optional<String> password();

  /** A file that holds the password; read at each connect, so that it can be changed. */
  Optional<String> passwordFile();
}
