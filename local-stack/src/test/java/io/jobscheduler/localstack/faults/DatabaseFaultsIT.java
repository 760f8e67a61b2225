package io.jobscheduler.localstack.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.localstack.LocalStack;
import io.jobscheduler.localstack.client.ApiClient;
import io.jobscheduler.localstack.process.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each fault of the database does what it says, to sessions like those of services. */
class DatabaseFaultsIT {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  @TempDir private static Path folder;
  private static LocalStack stack;
  private static Ground ground;

  @BeforeAll
  static void start() {
    stack =
        LocalStack.builder(folder)
            .services()
            .quickStart()
            .postgresBinaries(Path.of("target/postgres-binaries").toAbsolutePath())
            .postgres("fsync", "off")
            .postgres("max_connections", "20")
            .start();
    Knobs none = new Knobs(List.of(), List.of(), new ApiClient(stack.apiUrl()));
    ground = new Ground(stack, new Fleet(stack), none, null);
  }

  @AfterAll
  static void stop() {
    if (stack != null) {
      stack.close();
    }
  }

  private static Breakage inject(FaultKind kind, long choice) throws Exception {
    return kind.fault().inject(ground, choice).orElseThrow();
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static boolean works(Connection connection) {
    try {
      run(connection, "SELECT 1");
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  private static String refusal() {
    return assertThrows(SQLException.class, () -> stack.connect("worker").close()).getSQLState();
  }

  @Test
  void restartBreaksEverySessionAndTheServerIsBack() throws Exception {
    try (Connection before = stack.connect("worker")) {
      inject(FaultKind.DATABASE_RESTART, 0).undo();
      assertFalse(works(before));
    }
    try (Connection after = stack.connect("worker")) {
      assertTrue(works(after));
    }
  }

  @Test
  void takenConnectionsLeaveNoneUntilUndone() throws Exception {
    try (Connection before = stack.connect("worker")) {
      Breakage taken = inject(FaultKind.CONNECTIONS_TAKEN, 0);
      assertFalse(works(before));
      assertEquals("53300", refusal());
      assertTrue(FaultKind.TABLE_LOCKED.fault().inject(ground, 0).isEmpty(), "two at a time");
      taken.undo();
    }
    assertTrue(Await.until(LIMIT, DatabaseFaultsIT::connects));
  }

  private static boolean connects() {
    try (Connection connection = stack.connect("worker")) {
      return works(connection);
    } catch (SQLException e) {
      return false;
    }
  }

  @Test
  void limitOfARoleRefusesItsThirdConnection() throws Exception {
    try (Connection before = stack.connect("worker")) {
      Breakage limited = inject(FaultKind.CONNECTION_LIMIT, 0);
      assertFalse(works(before));
      try (Connection one = stack.connect("worker");
          Connection two = stack.connect("worker")) {
        assertEquals("53300", refusal());
        assertTrue(works(one) && works(two));
      }
      limited.undo();
    }
    assertTrue(connects());
  }

  @Test
  void lockedTableAnswersNobodyUntilUndone() throws Exception {
    try (Connection owner = stack.connect("owner")) {
      run(owner, "SET lock_timeout = '50ms'");
      Breakage locked = inject(FaultKind.TABLE_LOCKED, 0);
      SQLException refused =
          assertThrows(SQLException.class, () -> run(owner, "SELECT id FROM jobs.jobs LIMIT 1"));
      assertEquals("55P03", refused.getSQLState());
      locked.undo();
      run(owner, "SELECT id FROM jobs.jobs LIMIT 1");
    }
  }

  @Test
  void endsTheSessionsThatItNames() throws Exception {
    try (Connection lock = stack.connect("worker");
        Connection listen = stack.connect("worker");
        Connection ordinary = stack.connect("api")) {
      run(lock, "SELECT pg_advisory_lock(77)");
      run(listen, "LISTEN jobs_ready");
      run(ordinary, "SELECT 1");

      inject(FaultKind.LOCK_SESSIONS_ENDED, 1).undo();
      assertTrue(Await.until(LIMIT, () -> !works(lock)));
      run(listen, "LISTEN jobs_ready");
      run(ordinary, "SELECT 1");

      inject(FaultKind.LISTEN_SESSIONS_ENDED, 1).undo();
      assertTrue(Await.until(LIMIT, () -> !works(listen)));
      run(ordinary, "SELECT 1");

      inject(FaultKind.ORDINARY_SESSIONS_ENDED, 4).undo();
      assertTrue(Await.until(LIMIT, () -> !works(ordinary)));
    }
    assertTrue(FaultKind.LISTEN_SESSIONS_ENDED.fault().inject(ground, 0).isEmpty());
  }
}
