package io.jobscheduler.schema.testing;

import io.jobscheduler.schema.version.SchemaVersion;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.flywaydb.core.Flyway;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * The one PostgreSQL of a test JVM, with the roles and a migrated template database.
 *
 * <p>Where it comes from: the address in the environment variable {@code JOBS_TEST_POSTGRES_URL} (a
 * superuser's JDBC URL with user and password in it); else a container, when a Docker engine
 * answers; else the embedded binaries. Its time zone is one that nobody's machine has.
 */
public final class TestPostgres {
  static final String TEMPLATE = "jobs_template";
  static final String PASSWORD = "only-for-tests";
  private static final String ZONE = "Pacific/Chatham";

  private static TestPostgres shared;
  private static RuntimeException failure;

  private final String adminUrl;
  private final String prefix;

  private TestPostgres(String adminUrl, String prefix) {
    this.adminUrl = adminUrl;
    this.prefix = prefix;
  }

  /** The running server, started at the first call. It ends with the JVM. */
  public static synchronized TestPostgres shared() {
    if (failure != null) {
      throw new IllegalStateException("PostgreSQL or its template could not be made", failure);
    }
    if (shared == null) {
      // Several test JVMs may share a server given by address: each has its own template and
      // databases.
      String prefix = "t" + Long.toString(ProcessHandle.current().pid(), 36) + "_";
      try {
        TestPostgres server = new TestPostgres(start(), prefix);
        server.makeRoles();
        server.makeTemplate();
        shared = server;
      } catch (RuntimeException e) {
        // Said once for all tests of this JVM, not tried again for each.
        failure = e;
        throw e;
      }
    }
    return shared;
  }

  private static String start() {
    String given = System.getenv("JOBS_TEST_POSTGRES_URL");
    if (given != null && !given.isBlank()) {
      return given;
    }
    return dockerAnswers() ? startContainer() : startEmbedded();
  }

  private static boolean dockerAnswers() {
    // Asked only where a socket is, since Testcontainers tries for long before it gives up.
    if (System.getenv("DOCKER_HOST") == null && !Files.exists(Path.of("/var/run/docker.sock"))) {
      return false;
    }
    return org.testcontainers.DockerClientFactory.instance().isDockerAvailable();
  }

  @SuppressWarnings("resource") // ends with the JVM
  private static String startContainer() {
    PostgreSQLContainer container =
        new PostgreSQLContainer("postgres:18")
            .withUsername("postgres")
            .withPassword(PASSWORD)
            .withDatabaseName("postgres")
            .withCommand(
                "postgres",
                "-c",
                "fsync=off",
                "-c",
                "max_connections=300",
                "-c",
                "timezone=" + ZONE,
                "-c",
                "shared_preload_libraries=pg_stat_statements");
    container.start();
    return container.getJdbcUrl() + "&user=postgres&password=" + PASSWORD;
  }

  private static String startEmbedded() {
    try {
      EmbeddedPostgres server =
          EmbeddedPostgres.builder()
              .setServerConfig("fsync", "off")
              .setServerConfig("max_connections", "300")
              .setServerConfig("shared_buffers", "256MB")
              .setServerConfig("timezone", ZONE)
              .setServerConfig("log_timezone", ZONE)
              // Statement budgets are counted.
              .setServerConfig("shared_preload_libraries", "pg_stat_statements")
              .setPGStartupWait(Duration.ofSeconds(60))
              .start();
      Runtime.getRuntime().addShutdownHook(new Thread(() -> close(server)));
      return "jdbc:postgresql://localhost:" + server.getPort() + "/postgres?user=postgres";
    } catch (IOException e) {
      throw new UncheckedIOException("the embedded PostgreSQL did not start", e);
    }
  }

  private static void close(EmbeddedPostgres server) {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void makeRoles() {
    try (Connection admin = admin()) {
      admin.setAutoCommit(false);
      try (Statement statement = admin.createStatement()) {
        statement.execute("SELECT pg_advisory_xact_lock(hashtext('jobs-test-roles'))");
        try (ResultSet row =
            statement.executeQuery("SELECT 1 FROM pg_roles WHERE rolname = 'jobs_owner'")) {
          if (row.next()) {
            return;
          }
        }
        statement.execute(rolesScript());
        admin.commit();
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String rolesScript() {
    String script;
    try (InputStream in = SchemaVersion.class.getResourceAsStream("/db/roles.sql")) {
      script = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    for (Role role : Role.values()) {
      script =
          script
              .replace("${" + role.label() + "_role}", role.databaseName())
              .replace("${" + role.label() + "_password}", PASSWORD);
    }
    return script;
  }

  private void makeTemplate() {
    String template = prefix + TEMPLATE;
    create(template, "template0");
    Flyway.configure()
        .dataSource(urlOf(template), Role.OWNER.databaseName(), PASSWORD)
        .schemas(SchemaVersion.SCHEMA)
        .defaultSchema(SchemaVersion.SCHEMA)
        .createSchemas(true)
        .table("schema_history")
        .locations(SchemaVersion.MIGRATIONS)
        .placeholders(placeholders())
        .load()
        .migrate();
  }

  /** The migrations' placeholders, for tests that migrate by themselves. */
  public static Map<String, String> placeholders() {
    return Map.of(
        "api_role", Role.API.databaseName(),
        "worker_role", Role.WORKER.databaseName(),
        "scheduler_role", Role.SCHEDULER.databaseName(),
        "dashboard_role", Role.DASHBOARD.databaseName());
  }

  /** A new database, cloned from the migrated template; returns its name. */
  String createDatabase(String suffix) {
    String name = (prefix + suffix).toLowerCase(Locale.ROOT);
    create(name, prefix + TEMPLATE);
    return name;
  }

  /** A new database without the schema; returns its name. */
  String createEmptyDatabase(String suffix) {
    String name = (prefix + suffix).toLowerCase(Locale.ROOT);
    create(name, "template0");
    return name;
  }

  private void create(String name, String template) {
    execute("DROP DATABASE IF EXISTS \"" + name + "\" WITH (FORCE)");
    execute("CREATE DATABASE \"" + name + "\" OWNER jobs_owner TEMPLATE \"" + template + "\"");
    execute("ALTER DATABASE \"" + name + "\" SET timezone = '" + ZONE + "'");
  }

  void dropDatabase(String name) {
    execute("DROP DATABASE IF EXISTS \"" + name + "\" WITH (FORCE)");
  }

  private void execute(String sql) {
    try (Connection admin = admin();
        Statement statement = admin.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /** A superuser's connection to the maintenance database. */
  Connection admin() throws SQLException {
    return DriverManager.getConnection(adminUrl);
  }

  /** A superuser's connection to a database. */
  Connection admin(String database) throws SQLException {
    return DriverManager.getConnection(replaceDatabase(adminUrl, database));
  }

  /** The JDBC URL of a database, without user and password. */
  String urlOf(String database) {
    String url = replaceDatabase(adminUrl, database);
    int query = url.indexOf('?');
    return query < 0 ? url : url.substring(0, query);
  }

  private static String replaceDatabase(String url, String database) {
    return url.replaceFirst("(jdbc:postgresql://[^/]+/)[^?]*", "$1" + database);
  }
}
