package io.jobscheduler.localstack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jobscheduler.localstack.postgres.PostgresServer;
import io.jobscheduler.localstack.process.LogFile;
import io.jobscheduler.localstack.process.PidFile;
import io.jobscheduler.localstack.process.Ports;
import io.jobscheduler.localstack.process.StackFailure;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that was given is somebody's: what was there before is there afterwards. */
class GivenDatabasePgTest {
  private static final String THERE =
      """
      SELECT (SELECT string_agg(datname, ' ' ORDER BY datname) FROM pg_database WHERE datname LIKE 'kit%')
          || ':' || (SELECT count(*) FROM pg_roles WHERE rolname LIKE 'kit%')
      """;

  private final PostgresServer server;
  private final StackFolder folder;

  GivenDatabasePgTest(@TempDir Path home) {
    folder = new StackFolder(home);
    server =
        new PostgresServer(
            Path.of("target/postgres-binaries"),
            home.resolve("data"),
            Ports.free(1).get(0),
            "secret",
            Map.of("fsync", "off"),
            new LogFile(home.resolve("postgres.log")),
            new PidFile(home.resolve("postgres.pid")));
  }

  @BeforeEach
  void start() throws SQLException {
    server.start();
    execute("CREATE DATABASE kitchen");
  }

  @AfterEach
  void stop() {
    server.stop();
  }

  private GivenDatabase given(String name) {
    return new GivenDatabase(
        server.url("postgres") + "?user=postgres&password=secret", name, folder);
  }

  private void execute(String sql) throws SQLException {
    try (Connection superuser = server.superuser("postgres");
        Statement statement = superuser.createStatement()) {
      statement.execute(sql);
    }
  }

  private String there() throws SQLException {
    try (Connection superuser = server.superuser("postgres");
        Statement statement = superuser.createStatement();
        ResultSet row = statement.executeQuery(THERE)) {
      row.next();
      return row.getString(1);
    }
  }

  @Test
  void dropsWhatItMade() throws SQLException {
    GivenDatabase database = given("kit");
    database.start();
    assertEquals("kit kitchen:5", there());
    database.stop();
    assertEquals("kitchen:0", there());
  }

  /** Another run, or somebody, has these names already. */
  @Test
  void leavesWhatItDidNotMake() throws SQLException {
    given("kit").start();
    GivenDatabase late = given("kit");
    assertThrows(StackFailure.class, late::start);
    late.stop();
    assertEquals("kit kitchen:5", there());

    // A database of that name, and no such roles: these are made first, and go again.
    assertThrows(StackFailure.class, () -> given("kitchen").start());
    assertEquals("kit kitchen:5", there());
  }

  @Test
  void hasNothingToDropWhenItNeverStarted() throws SQLException {
    given("kitchen").stop();
    assertEquals("kitchen:0", there());
  }
}
