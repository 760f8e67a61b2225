package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Who holds a unique key, whoever comes at the same time and however its holder ends. */
class UniqueKeysPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();
  private final ExecutorService other = Executors.newSingleThreadExecutor();
  private Sql sql;
  private int project;
  private int queue;

  @BeforeEach
  void queue() {
    sql = new Sql(database);
    project = sql.project("acme");
    queue = sql.queue(project, "default", null);
    sql.worker(1);
  }

  @AfterEach
  void end() {
    other.shutdownNow();
  }

  /** Hands in a job as the API does, in the connection's transaction: {@code taken} or why not. */
  private String enqueue(Connection api, String key, String until, String onConflict)
      throws SQLException {
    try (Statement statement = api.createStatement()) {
      long id = first(statement, "SELECT nextval('jobs.job_id_seq')");
      String verdict;
      try (ResultSet row =
          statement.executeQuery(
              "SELECT verdict, job_id FROM jobs.take_unique_keys(%d, '{%s}', '{%s}', '{%s}', '{%s}', '{%d}')"
                  .formatted(
                      project,
                      key,
                      until,
                      until.equals("window") ? "3600000" : "NULL",
                      onConflict,
                      id))) {
        row.next();
        verdict = row.getString(1);
        if (!verdict.equals("taken")) {
          return verdict + " " + row.getLong(2);
        }
      }
      statement.execute(
          """
          INSERT INTO jobs.jobs (id, project_id, queue_id, type, state, priority, dispatch_lane, dispatch_key,
              ready_at, max_attempts, unique_key, unique_until)
          VALUES (%d, %d, %d, 't', 'ready', 4, 4, jobs.micros(clock_timestamp()), clock_timestamp(), 1, '%s', '%s')
          """
              .formatted(id, project, queue, key, until));
      return "taken " + id;
    }
  }

  private String enqueue(String key, String until, String onConflict) throws SQLException {
    try (Connection api = database.connect(Role.API)) {
      api.setAutoCommit(false);
      String verdict = enqueue(api, key, until, onConflict);
      api.commit();
      return verdict;
    }
  }

  private String enqueue(String key) throws SQLException {
    return enqueue(key, "finished", "return");
  }

  private static long first(Statement statement, String query) throws SQLException {
    try (ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }

  private static long id(String verdict) {
    return Long.parseLong(verdict.substring(verdict.indexOf(' ') + 1));
  }

  private void awaitWaiting(Future<?> waiting) {
    while (!waiting.isDone()
        && database.sql("SELECT count(*) FROM pg_locks WHERE NOT granted").equals("0")) {
      Thread.onSpinWait();
    }
    assertFalse(waiting.isDone(), "nobody waits");
  }

  @Test
  void whoComesMeanwhileWaitsAndFindsTheHolder() throws Exception {
    try (Connection first = database.connect(Role.API)) {
      first.setAutoCommit(false);
      String taken = enqueue(first, "K", "finished", "return");
      Future<String> second = other.submit(() -> enqueue("K"));
      awaitWaiting(second);
      first.commit();
      assertEquals("duplicate " + id(taken), second.get(10, TimeUnit.SECONDS));
    }
  }

  @Test
  void whoComesMeanwhileTakesTheKeyWhenTheFirstGivesUp() throws Exception {
    try (Connection first = database.connect(Role.API)) {
      first.setAutoCommit(false);
      enqueue(first, "K", "finished", "return");
      Future<String> second = other.submit(() -> enqueue("K"));
      awaitWaiting(second);
      first.rollback();
      assertEquals("taken", second.get(10, TimeUnit.SECONDS).split(" ")[0]);
    }
  }

  @Test
  void aHolderThatVanishesWhileItIsLookedAtFreesTheKey() throws Exception {
    enqueue("K");
    try (Connection worker = sql.asWorker()) {
      List<Sql.Claimed> claimed = sql.claim(worker, 1, 1, queue, 1);
      worker.setAutoCommit(false);
      sql.settle(worker, 1, claimed, new Integer[1], "succeeded", null);
      Future<String> second = other.submit(() -> enqueue("K"));
      awaitWaiting(second);
      worker.commit();
      assertEquals("taken", second.get(10, TimeUnit.SECONDS).split(" ")[0]);
    }
  }

  @Test
  void everyEndFreesTheKey() throws SQLException {
    try (Connection worker = sql.asWorker()) {
      int claim = 0;
      for (String outcome : List.of("succeeded", "failed", "dead", "cancelled", "revoked")) {
        enqueue("K");
        sql.settle(worker, 1, sql.claim(worker, 1, ++claim, queue, 1), outcome);
        assertEquals("0", database.sql("SELECT count(*) FROM unique_keys"), outcome);
      }
      long waiting = id(enqueue("K"));
      database.sql(
          "SELECT count(*) FROM cancel_jobs(%d, '{%d}', 'a', NULL)".formatted(project, waiting));
      assertEquals("0", database.sql("SELECT count(*) FROM unique_keys"));
      // The worker dies with its last attempt.
      long lost = id(enqueue("K"));
      sql.claim(worker, 1, ++claim, queue, 1);
      assertEquals("duplicate " + lost, enqueue("K"));
      database.sql("UPDATE workers SET lost_at = clock_timestamp()");
      database.sql("SELECT count(*) FROM rescue_jobs(10, true)");
      assertEquals("dead", sql.state(lost));
      assertEquals("taken", enqueue("K").split(" ")[0]);
    }
  }

  @Test
  void aRetryKeepsTheKeyAndIsNoConflictWithItself() throws SQLException {
    long id = id(enqueue("K"));
    database.sql("UPDATE jobs SET max_attempts = 5");
    try (Connection worker = sql.asWorker()) {
      sql.settle(worker, 1, sql.claim(worker, 1, 1, queue, 1), "failed");
      assertEquals("retrying", sql.state(id));
      assertEquals("duplicate " + id, enqueue("K"));
      database.sql("UPDATE jobs SET run_at = now()");
      database.sql("SELECT count(*) FROM promote_due(10)");
      assertEquals("ready", sql.state(id));
      sql.settle(worker, 1, sql.claim(worker, 1, 2, queue, 1), "succeeded");
      assertEquals("succeeded", sql.state(id));
    }
  }

  @Test
  void untilStartedEndsWithTheFirstClaim() throws SQLException {
    long first = id(enqueue("K", "started", "return"));
    assertEquals("duplicate " + first, enqueue("K"));
    try (Connection worker = sql.asWorker()) {
      List<Sql.Claimed> claimed = sql.claim(worker, 1, 1, queue, 1);
      long second = id(enqueue("K", "started", "return"));
      assertEquals("ready", sql.state(second));
      // The end of the first leaves the key of the second alone.
      sql.settle(worker, 1, claimed, "succeeded");
      assertEquals("duplicate " + second, enqueue("K"));
    }
  }

  @Test
  void aWindowOutlivesItsJobAndEndsByTheClock() throws SQLException {
    long first = id(enqueue("K", "window", "return"));
    try (Connection worker = sql.asWorker()) {
      sql.settle(worker, 1, sql.claim(worker, 1, 1, queue, 1), "succeeded");
    }
    assertEquals("duplicate " + first, enqueue("K"));
    assertEquals("rejected " + first, enqueue("K", "window", "reject"));
    database.sql("UPDATE unique_keys SET expires_at = now() - interval '1 s'");
    assertEquals("taken", enqueue("K").split(" ")[0]);
  }

  @Test
  void replaceCancelsWhatWaitsAndNeverWhatRuns() throws SQLException {
    long first = id(enqueue("K"));
    long second = id(enqueue("K", "finished", "replace"));
    assertEquals("cancelled", sql.state(first));
    assertEquals("replaced", database.sql("SELECT state_reason FROM finished_jobs"));
    try (Connection worker = sql.asWorker()) {
      assertEquals(second, sql.claim(worker, 1, 1, queue, 1).get(0).id());
      assertEquals("rejected " + second, enqueue("K", "finished", "replace"));
      assertEquals("running", sql.state(second));
    }
  }

  @Test
  void aRowLeftBehindBindsNobodyAndIsSwept() throws Exception {
    long first = id(enqueue("K"));
    try (Connection worker = sql.asWorker();
        Connection looking = database.connect(Role.OWNER)) {
      // Somebody looks at the key just when its holder ends: the settle does not wait.
      looking.setAutoCommit(false);
      looking.createStatement().execute("SELECT 1 FROM jobs.unique_keys FOR UPDATE");
      sql.settle(worker, 1, sql.claim(worker, 1, 1, queue, 1), "succeeded");
      looking.commit();
    }
    assertEquals("" + first, database.sql("SELECT job_id FROM unique_keys"));
    assertEquals("taken", enqueue("K").split(" ")[0]);
    database.sql("UPDATE unique_keys SET job_id = " + first);
    assertEquals("1", database.sql("SELECT forget_keys(100)"));
    assertNull(database.sql("SELECT key FROM unique_keys"));
  }

  @Test
  void sweepSparesKeysThatBind() throws SQLException {
    enqueue("K");
    enqueue("L", "window", "return");
    assertEquals("0", database.sql("SELECT forget_keys(100)"));
    database.sql("UPDATE unique_keys SET expires_at = now() WHERE key = 'L'");
    assertEquals("1", database.sql("SELECT forget_keys(100)"));
    assertEquals("K", database.sql("SELECT key FROM unique_keys"));
  }

  private String redrive(long id) {
    return database.sql(
        "SELECT verdict FROM redrive_jobs(%d, '{%d}', '{succeeded,dead,cancelled}')"
            .formatted(project, id));
  }

  @Test
  void aRedriveTakesItsKeyAgainUnlessAnotherHoldsIt() throws SQLException {
    long first = id(enqueue("K"));
    try (Connection worker = sql.asWorker()) {
      sql.settle(worker, 1, sql.claim(worker, 1, 1, queue, 1), "dead");
      assertEquals("moved", redrive(first));
      assertEquals("duplicate " + first, enqueue("K"));
      sql.settle(worker, 1, sql.claim(worker, 1, 2, queue, 1), "dead");
      long second = id(enqueue("K"));
      assertEquals("taken", redrive(first));
      assertEquals("dead", sql.state(first));
      sql.settle(worker, 1, sql.claim(worker, 1, 3, queue, 1), "succeeded");
      assertEquals("moved", redrive(first));
      assertEquals("taken", redrive(second));
    }
  }

  @Test
  void anEnqueueWaitsForARedriveInFlight() throws Exception {
    long first = id(enqueue("K"));
    try (Connection worker = sql.asWorker();
        Connection api = database.connect(Role.API)) {
      sql.settle(worker, 1, sql.claim(worker, 1, 1, queue, 1), "dead");
      api.setAutoCommit(false);
      api.createStatement()
          .execute("SELECT jobs.redrive_jobs(%d, '{%d}', '{dead}')".formatted(project, first));
      Future<String> second = other.submit(() -> enqueue("K"));
      awaitWaiting(second);
      api.commit();
      assertEquals("duplicate " + first, second.get(10, TimeUnit.SECONDS));
    }
  }
}
