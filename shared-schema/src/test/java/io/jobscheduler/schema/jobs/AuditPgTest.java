package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class AuditPgTest {
  private static final String ANN =
      "SELECT set_config('jobs.audit', '{\"kind\":\"user\",\"id\":\"7\",\"name\":\"ann@x\","
          + "\"action\":\"patchQueue\",\"address\":\"::1\",\"request\":\"r1\"}', true)";

  @RegisterExtension final TestDatabase database = new TestDatabase();

  @BeforeEach
  void project() {
    database.sql("INSERT INTO projects (name) VALUES ('p')");
    database.sql("INSERT INTO queues (project_id, name) VALUES (1, 'default')");
  }

  private static void run(Connection connection, String... statements) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET LOCAL search_path = jobs");
      for (String sql : statements) {
        statement.execute(sql);
      }
      connection.commit();
    } catch (SQLException e) {
      connection.rollback();
      throw e;
    }
  }

  private void api(String... statements) throws SQLException {
    try (Connection connection = database.connect(Role.API)) {
      run(connection, statements);
    }
  }

  private void superuser(String... statements) throws SQLException {
    try (Connection connection = database.superuser()) {
      run(connection, statements);
    }
  }

  private int seal(int limit) throws SQLException {
    try (Connection connection = database.connect(Role.SCHEDULER);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT jobs.seal_audit(" + limit + ")")) {
      row.next();
      return row.getInt(1);
    }
  }

  /** Checked, broken at, why, unsealed. */
  private String verdict() {
    return database.sql(
        "SELECT concat_ws(' ', checked, coalesce(broken_id::text, 'whole'), broken_why, unsealed)"
            + " FROM verify_audit(1)");
  }

  private void entries(int count) throws SQLException {
    for (int i = 0; i < count; i++) {
      api(ANN, "SELECT audit_action(1, 'job', '" + i + "')");
    }
  }

  @Test
  void changeIsNotedWithItsActorAndTheFieldsBeforeAndAfter() throws SQLException {
    api(
        ANN,
        "UPDATE queues SET weight = 3, updated_at = now() WHERE id = 1",
        "SELECT set_queue_limits(1, 5, NULL, NULL, NULL, NULL)",
        "UPDATE queues SET weight = 4 WHERE id = 1",
        "SELECT audit_action(1, 'queue', 'default')");
    assertEquals(
        "1 user 7 ann@x patchQueue queue default ::1 r1 "
            + "{\"weight\": {\"after\": 4, \"before\": 1},"
            + " \"maxConcurrency\": {\"after\": 5, \"before\": null}}",
        database.sql(
            "SELECT concat_ws(' ', count(*) OVER (), actor_kind, actor_id, actor, action,"
                + " object_kind, object_id, address, request_id, changes) FROM audit_log"));
  }

  @Test
  void rollbackTakesTheRowWithIt() throws SQLException {
    try (Connection connection = database.connect(Role.API);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute(ANN);
      statement.execute("UPDATE jobs.queues SET weight = 3");
      statement.execute("SELECT jobs.audit_action(1, 'queue', 'default')");
      connection.rollback();
    }
    assertEquals("0", database.sql("SELECT count(*) FROM audit_log"));
  }

  @Test
  void apiThatForgetsToSayWhoIsRecordedAllTheSame() throws SQLException {
    api("UPDATE queues SET weight = 3");
    assertEquals(
        "unknown update queues",
        database.sql("SELECT concat_ws(' ', actor_kind, action) FROM audit_log"));
  }

  @Test
  void theLeadersOwnChangesAreNot() throws SQLException {
    database.sql("UPDATE queues SET paused_at = now(), resume_at = now()");
    try (Connection connection = database.connect(Role.SCHEDULER)) {
      run(connection, "SELECT resume_due_queues()");
    }
    assertNull(database.sql("SELECT paused_at FROM queues"));
    assertEquals("0", database.sql("SELECT count(*) FROM audit_log"));
  }

  @Test
  void secretsAndPayloadsStayOut() throws SQLException {
    api(
        ANN,
        "INSERT INTO users (email, name, password_hash) VALUES ('a@b', 'A', '$argon2$xyz')",
        """
        INSERT INTO schedules (project_id, name, kind, every_ms, anchor, template, job_type, queue_id, payload,
                               next_fire_at)
        VALUES (1, 's', 'interval', 60000, now(), 'job', 't', 1, '{"card":"4111"}', now())
        """);
    api(ANN, "UPDATE schedules SET payload = '{\"card\":\"4222\"}'");
    String log = database.sql("SELECT string_agg(a::text, '') FROM audit_log a");
    assertTrue(log.contains("passwordHash") && log.contains("sha256:"), log);
    assertTrue(!log.contains("argon2") && !log.contains("4111") && !log.contains("4222"), log);
    assertEquals(
        "payload",
        database.sql(
            "SELECT string_agg(k, ',') FROM audit_log a, jsonb_object_keys(a.changes) k"
                + " WHERE a.object_kind = 'schedule' AND a.changes->k ? 'before'"));
  }

  @Test
  void nobodyButItsFunctionsWrites() throws SQLException {
    entries(1);
    for (Role role : List.of(Role.API, Role.SCHEDULER, Role.WORKER, Role.DASHBOARD)) {
      for (String sql :
          List.of(
              "UPDATE jobs.audit_log SET actor = 'x'",
              "DELETE FROM jobs.audit_log",
              "TRUNCATE jobs.audit_log",
              "INSERT INTO jobs.audit_log (project_id, actor_kind, actor, action, object_kind,"
                  + " object_id) VALUES (1, 'user', 'x', 'x', 'x', 'x')",
              "SELECT jobs.audit_write(1, 'x', 'x', NULL, 'x')",
              "UPDATE jobs.audit_seals SET position = 1",
              "DELETE FROM jobs.audit_chains",
              "UPDATE jobs.audit_progress SET sealed_to = 0")) {
        try (Connection connection = database.connect(role);
            Statement statement = connection.createStatement()) {
          assertEquals(
              "42501",
              assertThrows(SQLException.class, () -> statement.execute(sql), role + sql)
                  .getSQLState(),
              role + sql);
        }
      }
    }
  }

  @Test
  void sealsInBatchesAndTellsTheTailApart() throws SQLException {
    entries(5);
    assertEquals("0 whole 5", verdict());
    assertEquals(3, seal(3));
    assertEquals("3 whole 2", verdict());
    api(ANN, "SELECT audit_action(2, 'job', 'of another project')");
    assertEquals(3, seal(10));
    assertEquals(0, seal(10));
    assertEquals("5 whole 0", verdict());
    assertEquals("1", database.sql("SELECT sealed FROM verify_audit(2)"));
  }

  /** What the transaction did before for somebody else is not what this action did. */
  @Test
  void aRowOfSomebodyElseOrAForgedSettingDoesNotStandForTheAction() throws SQLException {
    api(
        "UPDATE queues SET weight = 3 WHERE id = 1",
        "SELECT set_config('jobs.audit_written', '1', true)",
        ANN,
        "SELECT audit_action(1, 'job', '7')");
    assertEquals(
        "update queues/patchQueue",
        database.sql("SELECT string_agg(action, '/' ORDER BY id) FROM audit_log"));
  }

  /** Else a batch costs the square of its size. */
  @Test
  void writesTheEndOfAChainOncePerBatch() throws SQLException {
    entries(1);
    seal(10);
    entries(5);
    try (Connection connection = database.connect(Role.SCHEDULER);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("SELECT jobs.seal_audit(10)");
      try (ResultSet row =
          statement.executeQuery(
              "SELECT pg_stat_get_xact_tuples_updated('jobs.audit_chains'::regclass),"
                  + " pg_stat_get_xact_tuples_updated('jobs.audit_progress'::regclass)")) {
        row.next();
        assertEquals("1 1", row.getLong(1) + " " + row.getLong(2));
      }
      connection.commit();
    }
    assertEquals("6 whole 0", verdict());
  }

  /** One that drew its id and commits later would lie before the end of the chain. */
  @Test
  void waitsForWritersThatHaveNotCommitted() throws SQLException {
    try (Connection slow = database.connect(Role.API);
        Statement statement = slow.createStatement()) {
      slow.setAutoCommit(false);
      statement.execute("SELECT jobs.audit_action(1, 'job', 'slow')");
      entries(2);
      assertEquals(0, seal(10));
      slow.commit();
    }
    assertEquals(3, seal(10));
    assertEquals("3 whole 0", verdict());
  }

  private void sealed(int count) throws SQLException {
    entries(count);
    assertEquals(count, seal(100));
    assertEquals(count + " whole 0", verdict());
  }

  @Test
  void findsAChangedRow() throws SQLException {
    sealed(5);
    superuser("UPDATE audit_log SET actor = 'somebody else' WHERE id = 3");
    assertEquals("5 3 row-changed 0", verdict());
  }

  @Test
  void findsARowRemovedInTheMiddleEvenWithItsLink() throws SQLException {
    sealed(5);
    superuser("DELETE FROM audit_log WHERE id = 3");
    assertEquals("5 3 row-missing 0", verdict());
    superuser("DELETE FROM audit_seals WHERE audit_id = 3");
    assertEquals("4 4 link-missing 0", verdict());
    superuser("UPDATE audit_seals SET position = position - 1 WHERE audit_id = 4");
    superuser("UPDATE audit_seals SET position = position - 1 WHERE audit_id = 5");
    assertEquals("4 4 row-changed 0", verdict());
  }

  @Test
  void findsARowRemovedAtTheEndEvenWithItsLink() throws SQLException {
    sealed(5);
    superuser("DELETE FROM audit_log WHERE id = 5");
    assertEquals("5 5 row-missing 0", verdict());
    superuser("DELETE FROM audit_seals WHERE audit_id = 5");
    assertEquals("4 5 end-missing 0", verdict());
  }

  @Test
  void findsTwoRowsThatWereSwapped() throws SQLException {
    sealed(5);
    superuser(
        "ALTER TABLE audit_log ALTER id DROP IDENTITY",
        "UPDATE audit_log SET id = 1000 WHERE id = 2",
        "UPDATE audit_log SET id = 2 WHERE id = 4",
        "UPDATE audit_log SET id = 4 WHERE id = 1000");
    assertEquals("5 2 row-changed 0", verdict());
  }

  @Test
  void findsARowInsertedAmongSealedOnes() throws SQLException {
    sealed(3);
    api("SELECT audit_action(2, 'job', 'of another project')");
    entries(1);
    seal(10);
    superuser(
        "INSERT INTO audit_log OVERRIDING SYSTEM VALUE SELECT 0, at, project_id, actor_kind,"
            + " actor_id, actor, action, object_kind, object_id, changes, address, request_id"
            + " FROM audit_log WHERE id = 2");
    assertEquals("4 0 row-inserted 0", verdict());
    superuser("DELETE FROM audit_log WHERE id = 0");
    superuser("UPDATE audit_log SET project_id = 1 WHERE project_id = 2");
    assertEquals("4 4 row-inserted 0", verdict());
  }

  private String part(long after, int limit) {
    return database.sql(
        "SELECT concat_ws(' ', checked, more, coalesce(broken_id::text, 'whole'), broken_why)"
            + " FROM verify_audit(1, %d, %d)".formatted(after, limit));
  }

  @Test
  void aPartIsCheckedAfterTheOneBeforeIt() throws SQLException {
    sealed(7);
    assertEquals("3 t whole", part(0, 3));
    assertEquals("3 t whole", part(3, 3));
    assertEquals("1 f whole", part(6, 3));
    assertEquals("0 f whole", part(7, 3));
    assertEquals(
        database.sql("SELECT head FROM verify_audit(1)"),
        database.sql("SELECT checked_head FROM verify_audit(1, 6, 3)"));
    superuser("UPDATE audit_log SET actor = 'somebody else' WHERE id = 4");
    assertEquals("3 t whole", part(0, 3));
    assertEquals("3 t 4 row-changed", part(3, 3));
    assertEquals("3 t 4 row-changed", part(1, 3));
    superuser("DELETE FROM audit_log WHERE id = 3", "DELETE FROM audit_seals WHERE audit_id = 3");
    assertEquals("3 t 4 link-missing", part(3, 3));
    superuser("DELETE FROM audit_log WHERE id = 7", "DELETE FROM audit_seals WHERE audit_id = 7");
    assertEquals("2 t 7 end-missing", part(0, 2), "whichever part is asked for");
  }

  /** The log grows for ever: what one request reads must not. */
  @Test
  void aPartCostsWhatItHoldsHoweverLongTheLogIs() throws SQLException {
    superuser(
        "INSERT INTO audit_log (project_id, actor_kind, actor, action, object_kind, object_id)"
            + " SELECT 1, 'user', 'a', 'x', 'job', n::text FROM generate_series(1, 20000) n");
    assertEquals(20_000, seal(20_000));
    superuser("ANALYZE audit_log", "ANALYZE audit_seals");
    for (int after : new int[] {0, 10_000, 19_900}) {
      long pages = pages("SELECT * FROM verify_audit(1, %d, 100)".formatted(after));
      assertTrue(pages < 2_000, "pages read for 100 links after " + after + ": " + pages);
    }
  }

  /** Buffers that a statement touches when it runs a second time. */
  private long pages(String sql) throws SQLException {
    try (Connection connection = database.superuser();
        Statement statement = connection.createStatement()) {
      statement.execute("SET search_path = jobs");
      statement.execute(sql);
      try (ResultSet row =
          statement.executeQuery("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + sql)) {
        row.next();
        Matcher hits =
            Pattern.compile("\"Shared (?:Hit|Read) Blocks\": (\\d+)").matcher(row.getString(1));
        long most = 0;
        while (hits.find()) {
          most = Math.max(most, Long.parseLong(hits.group(1)));
        }
        return most;
      }
    }
  }

  /** Whoever forges links as well forges the whole chain: its end is not what was noted outside. */
  @Test
  void theHeadTellsOfAChainThatWasMadeAnew() throws SQLException {
    sealed(3);
    String head = database.sql("SELECT head FROM verify_audit(1)");
    superuser(
        "UPDATE audit_log SET actor = 'somebody else' WHERE id = 2",
        "TRUNCATE audit_seals, audit_chains",
        "UPDATE audit_progress SET sealed_to = 0");
    seal(10);
    assertEquals("3 whole 0", verdict());
    assertTrue(!head.equals(database.sql("SELECT head FROM verify_audit(1)")));
  }
}
