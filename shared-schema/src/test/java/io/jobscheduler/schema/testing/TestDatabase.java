package io.jobscheduler.schema.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A database of its own for each test method: {@code @RegisterExtension final TestDatabase database
 * = new TestDatabase();}. After the method it checks that no advisory lock, no idle transaction and
 * no thread of ours (named {@code jobs-…}) is left, then drops the database.
 */
public final class TestDatabase implements BeforeEachCallback, AfterEachCallback {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final boolean migrated;
  private String name;

  /** A migrated database. */
  public TestDatabase() {
    this(true);
  }

  private TestDatabase(boolean migrated) {
    this.migrated = migrated;
  }

  /** A database without the schema. */
  public static TestDatabase empty() {
    return new TestDatabase(false);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    open();
  }

  @Override
  public void afterEach(ExtensionContext context) throws SQLException {
    close(context.getExecutionException().isEmpty());
  }

  /**
   * Makes the database, for use outside JUnit's callbacks (for example once for a packaged
   * service).
   */
  public TestDatabase open() {
    String suffix = "db" + NUMBER.incrementAndGet();
    TestPostgres server = TestPostgres.shared();
    name = migrated ? server.createDatabase(suffix) : server.createEmptyDatabase(suffix);
    return this;
  }

  /** Drops the database; with {@code check} also asserts that nothing of ours is left behind. */
  public void close(boolean check) throws SQLException {
    try {
      if (check) {
        assertNothingLeft();
      }
    } finally {
      TestPostgres.shared().dropDatabase(name);
    }
  }

  private void assertNothingLeft() throws SQLException {
    try (Connection admin = superuser()) {
      long deadline = System.nanoTime() + Duration.ofSeconds(5).toNanos();
      List<String> left = leftovers(admin);
      while (!left.isEmpty() && System.nanoTime() < deadline) {
        Thread.onSpinWait();
        left = leftovers(admin);
      }
      assertEquals(List.of(), left, "left behind after the test");
    }
  }

  private static List<String> leftovers(Connection admin) throws SQLException {
    List<String> left = new ArrayList<>();
    String sql =
        """
        SELECT 'advisory lock (' || classid || ', ' || objid || ')' FROM pg_locks
         WHERE locktype = 'advisory'
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        UNION ALL
        SELECT 'idle in transaction: ' || usename || ' ' || query FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()
           AND state LIKE 'idle in transaction%'
        """;
    try (Statement statement = admin.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        left.add(rows.getString(1));
      }
    }
    Thread.getAllStackTraces().keySet().stream()
        .filter(t -> t.isAlive() && t.getName().startsWith("jobs-"))
        .forEach(t -> left.add("thread " + t.getName()));
    return left;
  }

  /** The JDBC URL, without user and password. */
  public String url() {
    return TestPostgres.shared().urlOf(name);
  }

  /** A new connection under a role, in autocommit. */
  public Connection connect(Role role) throws SQLException {
    return DriverManager.getConnection(url(), role.databaseName(), role.password());
  }

  /** Connections under a role, each one new. */
  public DataSource dataSource(Role role) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(url());
    source.setUser(role.databaseName());
    source.setPassword(role.password());
    return source;
  }

  /** A superuser's connection, for what a test must see or force. */
  public Connection superuser() throws SQLException {
    return TestPostgres.shared().admin(name);
  }

  /** Runs a statement as the owner; returns the first column of its first row, or null. */
  public String sql(String sql) {
    try (Connection owner = connect(Role.OWNER);
        Statement statement = owner.createStatement()) {
      statement.execute("SET search_path = jobs");
      boolean hasRows = statement.execute(sql);
      if (!hasRows) {
        return null;
      }
      try (ResultSet rows = statement.getResultSet()) {
        return rows.next() ? rows.getString(1) : null;
      }
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }
}
