package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jobscheduler.schema.testing.PayloadCases;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.PGConnection;

/** Enqueuing by SQL, as an application's own role and in its own transactions. */
class SqlContractPgTest {
  private static final String ROLE = "jobs_test_shop_" + ProcessHandle.current().pid();

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Sql sql;
  private int project;
  private Connection app;

  @BeforeEach
  void role() throws SQLException {
    sql = new Sql(database);
    project = sql.project("shop");
    sql.queue(project, "default", null);
    sql.queue(project, "mail", null);
    sql.queue(sql.project("other"), "default", null);
    try (Connection admin = database.superuser();
        Statement statement = admin.createStatement()) {
      statement.execute("CREATE ROLE " + ROLE + " LOGIN PASSWORD 'x'");
    }
    database.sql("SELECT 1 FROM allow_sql_client('" + ROLE + "', 'shop')");
    app = DriverManager.getConnection(database.url(), ROLE, "x");
  }

  @AfterEach
  void dropRole() throws SQLException {
    app.close();
    try (Connection admin = database.superuser();
        Statement statement = admin.createStatement()) {
      statement.execute("DROP OWNED BY " + ROLE + "; DROP ROLE " + ROLE);
    }
  }

  private String call(String query) throws SQLException {
    try (Statement statement = app.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      return row.next() ? row.getString(1) : null;
    }
  }

  private String refusal(String query) {
    return assertThrows(SQLException.class, () -> call(query), query).getSQLState();
  }

  @Test
  void aJobIsThereExactlyIfTheCallersTransactionCommits() throws SQLException {
    app.setAutoCommit(false);
    call("SELECT jobs.enqueue_job('shop', 'echo')");
    app.rollback();
    String id =
        call(
            "SELECT jobs.enqueue_job('shop', 'echo', '{\"n\": 1e2}', queue => 'mail', priority => 7,"
                + " run_at => now() + interval '1 hour')");
    assertEquals("0", database.sql("SELECT count(*) FROM jobs"));
    app.commit();
    assertEquals(
        id + " scheduled 7 {\"n\": 1e2} mail 20",
        database.sql(
            "SELECT concat_ws(' ', j.id, j.state, j.dispatch_lane, j.payload, q.name, j.max_attempts)"
                + " FROM jobs j JOIN queues q ON q.id = j.queue_id"));
  }

  @Test
  void payloadsAreJudgedAsByHttp() throws SQLException {
    List<String> wrong = new ArrayList<>();
    try (PreparedStatement enqueue =
        app.prepareStatement("SELECT jobs.enqueue_job('shop', 'echo', ?::json)")) {
      for (PayloadCases.Case it : PayloadCases.all()) {
        enqueue.setString(1, it.json());
        try (ResultSet row = enqueue.executeQuery()) {
          row.next();
          if (!it.accepted()) {
            wrong.add("accepted: " + it);
          } else if (!it.json()
              .equals(database.sql("SELECT payload FROM jobs WHERE id = " + row.getLong(1)))) {
            wrong.add("changed: " + it);
          }
        } catch (SQLException e) {
          if (it.accepted()) {
            wrong.add(it + ": " + e.getMessage());
          }
        }
      }
    }
    assertEquals(List.of(), wrong);
  }

  @Test
  void duplicateNamesAreFoundWithoutTheServersOwnCheckToo() throws SQLException {
    // As on 14 and 15.
    String source =
        """
        CREATE OR REPLACE FUNCTION jobs.has_duplicate_names(p_json json) RETURNS boolean
        LANGUAGE plpgsql IMMUTABLE STRICT AS $$
        BEGIN
          RETURN CASE json_typeof(p_json)
            WHEN 'object' THEN
              (SELECT count(*) > count(DISTINCT m.key COLLATE "C") OR coalesce(bool_or(jobs.has_duplicate_names(m.value)), false)
                 FROM json_each(p_json) m)
            WHEN 'array' THEN
              (SELECT coalesce(bool_or(jobs.has_duplicate_names(e.value)), false) FROM json_array_elements(p_json) e)
            ELSE false END;
        END $$
        """;
    database.sql(source);
    payloadsAreJudgedAsByHttp();
  }

  @Test
  void whatIsNotAllowedIsRefused() throws SQLException {
    assertEquals("42501", refusal("SELECT jobs.enqueue_job('other', 'echo')"));
    assertEquals("42501", refusal("SELECT jobs.enqueue_job('nowhere', 'echo')"));
    assertEquals("42501", refusal("SELECT * FROM jobs.jobs"));
    assertEquals("42501", refusal("SELECT jobs.allow_sql_client('x', 'other')"));
    assertEquals("42501", refusal("INSERT INTO jobs.sql_clients VALUES ('x', 1)"));
    assertEquals(
        "42501",
        refusal("SELECT jobs.take_unique_keys(1, '{k}', '{finished}', NULL, '{return}', '{1}')"));
    database.sql("SELECT 1 FROM allow_sql_client('" + ROLE + "', 'shop', '{mail}')");
    assertEquals("42501", refusal("SELECT jobs.enqueue_job('shop', 'echo')"));
    assertEquals(
        "42501",
        refusal("SELECT 1 FROM jobs.enqueue_jobs('shop', '{a,b}', queues => '{mail,default}')"));
    call("SELECT jobs.enqueue_job('shop', 'echo', queue => 'mail')");
    database.sql("DELETE FROM sql_clients");
    assertEquals("42501", refusal("SELECT jobs.enqueue_job('shop', 'echo', queue => 'mail')"));
  }

  @Test
  void valuesAreJudgedAsByHttp() throws SQLException {
    for (String bad :
        List.of(
            "NULL",
            "''",
            "'a b'",
            "'" + "x".repeat(129) + "'",
            "'t', priority => 10",
            "'t', priority => -1",
            "'t', run_at => 'infinity'",
            "'t', run_at => '1969-01-01'",
            "'t', unique_key => ''",
            "'t', unique_key => repeat('x', 256)",
            "'t', queue => 'nowhere'")) {
      assertEquals("22023", refusal("SELECT jobs.enqueue_job('shop', " + bad + ")"), bad);
    }
    assertEquals(
        "22023",
        refusal("SELECT 1 FROM jobs.enqueue_jobs('shop', '{a,b}', queues => '{default}')"));
    assertNull(call("SELECT id FROM jobs.enqueue_jobs('shop', '{}')"));
    assertEquals("0", database.sql("SELECT count(*) FROM jobs"));
  }

  @Test
  void aKeyIsHeldWhoeverEnqueues() throws SQLException {
    String first = call("SELECT jobs.enqueue_job('shop', 'echo', unique_key => 'K')");
    assertEquals(first, call("SELECT jobs.enqueue_job('shop', 'echo', unique_key => 'K')"));
    assertEquals(
        "false " + (Long.parseLong(first) + 2) + ",true " + first + ",false x,true l",
        call("SELECT string_agg(duplicate || ' ' || id, ',' ORDER BY n) FROM jobs.enqueue_jobs('shop',"
                + " '{a,b,c,d}', unique_keys => '{NULL,K,L,L}')")
            .replaceAll(",false \\d+,true \\d+$", ",false x,true l"));
    assertEquals("3", database.sql("SELECT count(*) FROM jobs"));
    database.sql(
        "SELECT count(*) FROM cancel_jobs(%d, '{%s}', 'a', NULL)".formatted(project, first));
    assertNotEquals(first, call("SELECT jobs.enqueue_job('shop', 'echo', unique_key => 'K')"));
  }

  /** As over HTTP: a key of some queues learns that there is a job elsewhere, and not which. */
  @Test
  void aRoleOfSomeQueuesLearnsNoIdOfOthers() throws SQLException {
    String hidden = call("SELECT jobs.enqueue_job('shop', 'echo', unique_key => 'D')");
    String known =
        call("SELECT jobs.enqueue_job('shop', 'echo', queue => 'mail', unique_key => 'M')");
    String all =
        "SELECT string_agg(concat_ws(' ', n, duplicate::text, CASE WHEN id > %s THEN 'new' ELSE"
                .formatted(known)
            + " coalesce(id::text, 'null') END), ',' ORDER BY n) FROM jobs.enqueue_jobs('shop',"
            + " '{a,b,c,d,e}', queues => '{mail,mail,mail,mail,mail}', unique_keys ="
            + "> '{D,M,NULL,%s,%1$s}')";
    assertEquals(
        "1 true %s,2 true %s,3 false new,4 false new,5 true new".formatted(hidden, known),
        call(all.formatted("N1")));

    database.sql("SELECT 1 FROM allow_sql_client('" + ROLE + "', 'shop', '{mail}')");

    assertEquals(
        "1 true null,2 true %s,3 false new,4 false new,5 true new".formatted(known),
        call(all.formatted("N2")));
    assertNull(call("SELECT jobs.enqueue_job('shop', 'echo', queue => 'mail', unique_key => 'D')"));
    assertEquals(
        known, call("SELECT jobs.enqueue_job('shop', 'echo', queue => 'mail', unique_key => 'M')"));
  }

  @Test
  void aFullQueueRefuses() throws SQLException {
    database.sql("UPDATE queues SET max_depth = 2 WHERE name = 'mail'");
    call("SELECT count(*) FROM jobs.enqueue_jobs('shop', '{a,b}', queues => '{mail,mail}')");
    assertEquals("53400", refusal("SELECT jobs.enqueue_job('shop', 'a', queue => 'mail')"));
    call("SELECT jobs.enqueue_job('shop', 'a')");
  }

  @Test
  void workersAreToldOncePerStatementUnlessItIsNotWanted() throws SQLException {
    try (Connection listener = database.superuser()) {
      listener.createStatement().execute("LISTEN jobs_ready; LISTEN jobs_due");
      call("SELECT count(*) FROM jobs.enqueue_jobs('shop', '{a,b,c}')");
      call("SELECT jobs.enqueue_job('shop', 'a', run_at => now() + interval '1 min')");
      call("SELECT jobs.enqueue_job('shop', 'a', run_at => now() + interval '1 day')");
      call("SELECT jobs.enqueue_job('shop', 'a', notify => false)");
      List<String> heard = new ArrayList<>();
      for (var word : listener.unwrap(PGConnection.class).getNotifications(5_000)) {
        heard.add(word.getName());
      }
      assertEquals(List.of("jobs_ready", "jobs_due"), heard);
    }
  }

  @Test
  void aRoleReachesTheLeasesOfItsProjectsOnly() throws SQLException {
    assertEquals("JS001", refusal("SELECT jobs.assert_lease(1, 1)"));
    long own = leased("shop");
    long foreign = leased("other");
    call("SELECT jobs.assert_lease(" + own + ", 7)");
    assertEquals("JS001", refusal("SELECT jobs.assert_lease(" + foreign + ", 7)"));
    database.sql("SELECT 1 FROM allow_sql_client('" + ROLE + "', 'other')");
    call("SELECT jobs.assert_lease(" + foreign + ", 7)");
  }

  private long leased(String project) {
    return sql.ids(
            ("INSERT INTO jobs (project_id, queue_id, type, state, dispatch_key, attempt, lease_token, worker_id)"
                    + " SELECT q.project_id, q.id, 'echo', 'running', 5, 1, 7, 1"
                    + " FROM queues q JOIN projects p ON p.id = q.project_id"
                    + " WHERE p.name = '%s' AND q.name = 'default' RETURNING id")
                .formatted(project))
        .get(0);
  }
}
