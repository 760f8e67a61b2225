package io.jobscheduler.api.migrate;

import io.jobscheduler.api.access.AccessConfig;
import io.jobscheduler.api.database.DatabaseConfig;
import io.jobscheduler.api.database.DirectConnections;
import io.smallrye.config.ConfigValidationException;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * The command line of the migrate mode: reads the configuration, runs {@link Migration}, says what
 * it did. Exit codes: 0 done, 2 configuration, 3 database not reached, 4 migration failed.
 */
public final class MigrateCommand {
  private MigrateCommand() {}

  /** Runs once with the process's configuration; returns the exit code. */
  public static int run(PrintStream out, PrintStream err) {
    try {
      SmallRyeConfig config =
          new SmallRyeConfigBuilder()
              .addDefaultSources()
              .addDefaultInterceptors()
              .addDiscoveredConverters()
              .withMapping(DatabaseConfig.class)
              .withMapping(AccessConfig.class)
              .withMapping(MigrateConfig.class)
              .build();
      Migration migration =
          new Migration(
              DirectConnections.of(config.getConfigMapping(DatabaseConfig.class)),
              config.getConfigMapping(AccessConfig.class),
              config.getConfigMapping(MigrateConfig.class));
      migration.run(line -> out.println("migrate: " + line));
      return 0;
    } catch (MigrateException e) {
      return fail(err, e.exitCode(), e.getMessage());
    } catch (ConfigValidationException | NoSuchElementException | IllegalArgumentException e) {
      return fail(err, MigrateException.CONFIGURATION, "configuration: " + e.getMessage());
    } catch (UncheckedIOException e) {
      return fail(err, MigrateException.CONFIGURATION, "a file cannot be read: " + e.getMessage());
    }
  }

  private static int fail(PrintStream err, int exitCode, @Nullable String message) {
    err.println(
        "migrate: failed: " + String.valueOf(message).strip().replaceAll("\\s*\\R\\s*", " "));
    return exitCode;
  }
}
