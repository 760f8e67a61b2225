package io.jobscheduler.api.migrate;

import io.jobscheduler.api.access.AccessConfig;
import io.jobscheduler.api.access.MasterKey;
import io.jobscheduler.schema.names.AdvisoryLocks;
import io.jobscheduler.schema.version.SchemaGate;
import io.jobscheduler.schema.version.SchemaVersion;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/**
 * Brings a database to this build's schema and gives it what a first start needs. Repeatable; two
 * at once take turns behind a session advisory lock.
 */
public final class Migration {
  private static final long POLL_MILLIS = 250;
  private static final int PARTITION_TRIES = 50;
  private static final String LOCK_NOT_AVAILABLE = "55P03";

  private final DataSource database;
  private final AccessConfig access;
  private final MigrateConfig config;

  /**
   * A migration over new connections of the schema's owner, past any pooler.
   *
   * @param access for the master key file
   */
  public Migration(DataSource database, AccessConfig access, MigrateConfig config) {
    this.database = database;
    this.access = access;
    this.config = config;
  }

  /**
   * Migrates, then seeds.
   *
   * @param report takes one line per thing done
   * @throws MigrateException with one line for the operator
   */
  public void run(Consumer<String> report) {
    MasterKey master = masterKey();
    try (Connection lock = database.getConnection()) {
      awaitTurn(lock);
      // The lock goes with its session, also when this process is killed.
      migrateSchema();
      report.accept("schema: " + SchemaGate.check(lock).message());
      report.accept("partitions made: " + ensurePartitions(lock));
      new Seed(lock, master, config).plant(report);
    } catch (SQLException e) {
      throw describe(e);
    }
  }

  private MasterKey masterKey() {
    try {
      return MasterKey.read(
          access
              .masterKeyFile()
              .orElseThrow(
                  () -> new IllegalStateException("jobs.access.master-key-file is not set")));
    } catch (IllegalStateException e) {
      throw new MigrateException(MigrateException.CONFIGURATION, message(e), e);
    }
  }

  // Asked again and again in autocommit: a wait inside pg_advisory_lock would hold a snapshot,
  // which
  // an index built concurrently by the other migration waits for.
  private static final String TRY_LOCK = "SELECT pg_try_advisory_lock(?, 0)";

  private void awaitTurn(Connection connection) throws SQLException {
    long deadline = System.nanoTime() + config.lockTimeout().toNanos();
    while (!tryLock(connection)) {
      if (System.nanoTime() - deadline > 0) {
        throw new MigrateException(
            MigrateException.MIGRATION,
            "another migration has been running for " + config.lockTimeout());
      }
      pause();
    }
  }

  private static boolean tryLock(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(TRY_LOCK)) {
      statement.setInt(1, AdvisoryLocks.MIGRATION);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() && row.getBoolean(1);
      }
    }
  }

  private void migrateSchema() {
    try {
      Flyway flyway =
          Flyway.configure()
              .dataSource(database)
              .schemas(SchemaVersion.SCHEMA)
              .defaultSchema(SchemaVersion.SCHEMA)
              .createSchemas(true)
              .table("schema_history")
              .locations(SchemaVersion.MIGRATIONS)
              .placeholders(
                  Map.of(
                      "api_role", config.roles().api(),
                      "worker_role", config.roles().worker(),
                      "scheduler_role", config.roles().scheduler(),
                      "dashboard_role", config.roles().dashboard()))
              .load();
      flyway.migrate();
    } catch (FlywayException e) {
      throw new MigrateException(MigrateException.MIGRATION, "the schema: " + message(e), e);
    }
  }

  // Waits at most 100 ms for its lock, so that inserts never queue up behind it: hence the repeats.
  private static final String ENSURE_PARTITIONS = "SELECT jobs.ensure_partitions()";

  private static int ensurePartitions(Connection connection) throws SQLException {
    for (int tries = 1; ; tries++) {
      try (Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery(ENSURE_PARTITIONS)) {
        row.next();
        return row.getInt(1);
      } catch (SQLException e) {
        if (!LOCK_NOT_AVAILABLE.equals(e.getSQLState()) || tries == PARTITION_TRIES) {
          throw e;
        }
        pause();
      }
    }
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MigrateException(MigrateException.MIGRATION, "interrupted", e);
    }
  }

  private static MigrateException describe(SQLException e) {
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    boolean away = state.startsWith("08") || state.startsWith("28") || state.startsWith("3D");
    return new MigrateException(
        away || state.startsWith("57")
            ? MigrateException.DATABASE_AWAY
            : MigrateException.MIGRATION,
        "the database: " + message(e) + " (SQLSTATE " + state + ")",
        e);
  }

  private static String message(Throwable e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }
}
