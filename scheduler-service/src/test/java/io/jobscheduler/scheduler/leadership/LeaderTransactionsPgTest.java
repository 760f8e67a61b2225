package io.jobscheduler.scheduler.leadership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.scheduler.testing.Configs;
import io.jobscheduler.scheduler.testing.ManualClock;
import io.jobscheduler.scheduler.testing.SchedulerRig;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LeaderTransactionsPgTest {
  private static final String MARK = "UPDATE jobs.leadership SET holder = 'marked'";

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private SchedulerRig rig;

  @BeforeEach
  void lead() throws SQLException {
    rig = SchedulerRig.leading(database);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  void changesWhatItIsToldInItsTerm() throws Exception {
    assertEquals(1, rig.transactions.run(rig.term(), LeaderTransactionsPgTest::mark));
    assertEquals("marked", database.sql("SELECT holder FROM leadership"));
  }

  @Test
  void staleTermChangesNothing() throws Exception {
    Term stale = rig.term();
    rig.leadership.close();
    rig.leadership.runOnce();

    assertThrows(
        NotLeadingException.class,
        () -> rig.transactions.run(stale, LeaderTransactionsPgTest::mark));
    assertEquals("rig", database.sql("SELECT holder FROM leadership"));
  }

  @Test
  void workThatFailsLeavesNothing() throws Exception {
    assertThrows(
        IllegalStateException.class,
        () ->
            rig.transactions.run(
                rig.term(),
                t -> {
                  mark(t);
                  throw new IllegalStateException("after the change");
                }));
    assertEquals("rig", database.sql("SELECT holder FROM leadership"));
  }

  @Test
  void limitsAreSetForTheTransactionOnly() throws Exception {
    assertEquals("4s", rig.transactions.run(rig.term(), t -> setting(t, "statement_timeout")));
    assertEquals(
        "2s",
        rig.transactions.run(rig.term(), t -> setting(t, "idle_in_transaction_session_timeout")));
    assertEquals(
        "500ms",
        rig.transactions.run(rig.term(), t -> setting(t, "client_connection_check_interval")));
  }

  @Test
  void statementThatTakesTooLongIsEndedByTheServer() throws Exception {
    LeaderTransactions impatient =
        new LeaderTransactions(
            rig.dataSource,
            Configs.of(
                LeadershipConfig.class, "jobs.scheduler.leadership.statement-limit", "PT0.1S"),
            System::nanoTime);

    SQLException thrown =
        assertThrows(
            SQLException.class,
            () ->
                impatient.run(
                    rig.term(),
                    t -> {
                      mark(t);
                      try (PreparedStatement wait = t.prepare("SELECT pg_sleep(60)")) {
                        return wait.execute();
                      }
                    }));
    assertEquals("57014", thrown.getSQLState());
    assertEquals("rig", database.sql("SELECT holder FROM leadership"));
  }

  @Test
  void noStatementBeginsThatCouldExceedTheTransactionsLimit() throws Exception {
    ManualClock clock = new ManualClock();
    LeaderTransactions timed =
        new LeaderTransactions(rig.dataSource, Configs.of(LeadershipConfig.class), clock);

    assertThrows(
        SQLTimeoutException.class,
        () ->
            timed.run(
                rig.term(),
                t -> {
                  mark(t);
                  // 5 s in all, 4 s for a statement: the second must begin within one.
                  clock.advance(Duration.ofMillis(1_001));
                  return mark(t);
                }));
    assertEquals("rig", database.sql("SELECT holder FROM leadership"));
  }

  @Test
  void refusesLimitsThatContradictEachOther() {
    IllegalStateException thrown =
        assertThrows(
            IllegalStateException.class,
            () ->
                new LeaderTransactions(
                    rig.dataSource,
                    Configs.of(
                        LeadershipConfig.class,
                        "jobs.scheduler.leadership.statement-limit",
                        "PT5S"),
                    System::nanoTime));
    assertTrue(thrown.getMessage().contains("statement-limit"), thrown::getMessage);
  }

  private static int mark(LeaderTransaction transaction) throws SQLException {
    try (PreparedStatement statement = transaction.prepare(MARK)) {
      return statement.executeUpdate();
    }
  }

  private static String setting(LeaderTransaction transaction, String name) throws SQLException {
    try (PreparedStatement statement = transaction.prepare("SELECT current_setting(?)")) {
      statement.setString(1, name);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getString(1);
      }
    }
  }
}
