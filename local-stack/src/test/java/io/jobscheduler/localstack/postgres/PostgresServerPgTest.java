package io.jobscheduler.localstack.postgres;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.localstack.process.LogFile;
import io.jobscheduler.localstack.process.PidFile;
import io.jobscheduler.localstack.process.Ports;
import io.jobscheduler.localstack.process.StackFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server over crashes and restarts, on one data folder. */
class PostgresServerPgTest {
  private static final Path BINARIES = Path.of("target/postgres-binaries");

  private final Path data;
  private final int port = Ports.free(1).get(0);
  private final PostgresServer server;

  PostgresServerPgTest(@TempDir Path folder) {
    data = folder.resolve("data");
    server =
        new PostgresServer(
            BINARIES,
            data,
            port,
            "secret",
            Map.of("fsync", "off"),
            new LogFile(folder.resolve("postgres.log")),
            new PidFile(folder.resolve("postgres.pid")));
  }

  @AfterEach
  void stop() {
    server.stop();
  }

  @Test
  void keepsWhatWasCommittedOverKill() throws SQLException {
    server.start();
    execute("CREATE TABLE kept (n int); INSERT INTO kept VALUES (42)");

    server.kill9();
    server.start();

    assertEquals("42", ask("SELECT n FROM kept"));
  }

  /** After a restart of the machine another process may have the pid in the old pid file. */
  @Test
  void startsThoughAnotherProcessHasTheOldPid() throws SQLException, IOException {
    server.start();
    server.kill9();
    Path pidFile = data.resolve("postmaster.pid");
    List<String> lines = Files.readAllLines(pidFile);
    lines.set(0, Long.toString(ProcessHandle.current().pid()));
    lines.set(2, Long.toString(Instant.now().minusSeconds(3600).getEpochSecond()));
    Files.write(pidFile, lines);

    server.start();

    assertEquals("1", ask("SELECT 1"));
  }

  @Test
  void saysWhyItDoesNotStart() throws IOException {
    try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      StackFailure failure = assertThrows(StackFailure.class, server::start);

      assertTrue(failure.getMessage().contains("Address already in use"), failure.getMessage());
    }
  }

  @Test
  void makesRolesOnceAndRenewsTheirPasswords() throws SQLException {
    server.start();

    Roles.make(server, "jobs", passwords("first"));
    Roles.make(server, "jobs", passwords("second"));

    try (Connection owner =
        java.sql.DriverManager.getConnection(server.url("jobs"), "jobs_owner", "second-owner")) {
      assertTrue(owner.isValid(1));
    }
    assertEquals(
        "jobs_owner",
        ask("SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'jobs'"));
  }

  private static Map<String, String> passwords(String word) {
    return Map.of(
        "owner", word + "-owner",
        "api", word + "-api",
        "worker", word + "-worker",
        "scheduler", word + "-scheduler",
        "dashboard", word + "-dashboard");
  }

  private void execute(String sql) throws SQLException {
    try (Connection superuser = server.superuser("postgres");
        Statement statement = superuser.createStatement()) {
      statement.execute(sql);
    }
  }

  private String ask(String sql) throws SQLException {
    try (Connection superuser = server.superuser("postgres");
        Statement statement = superuser.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      assertTrue(row.next());
      return row.getString(1);
    }
  }
}
