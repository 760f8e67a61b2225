package io.jobscheduler.api.migrate;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** The migrate mode ({@code jobs.migrate.*}). */
@ConfigMapping(prefix = "jobs.migrate")
public interface MigrateConfig {
  /** Email address of the first admin. */
  @WithDefault("admin@localhost")
  String adminEmail();

  /** Where the first admin's password is written, readable by its owner only. */
  Optional<Path> adminPasswordFile();

  /** How long to wait for another migration to end. */
  @WithDefault("PT5M")
  Duration lockTimeout();

  /** The services' database roles. */
  Roles roles();

  /** The services' database roles, as the operator has named them. */
  interface Roles {
    @WithDefault("jobs_api")
    String api();

    @WithDefault("jobs_worker")
    String worker();

    @WithDefault("jobs_scheduler")
    String scheduler();

    @WithDefault("jobs_dashboard")
    String dashboard();
  }
}
