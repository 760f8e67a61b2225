package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Edges from jobs that exist to jobs that are being handed in, as the API makes them. */
class ConnectPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();
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

  /** A new job, in the transaction of {@code api}, that waits for {@code parent}. */
  private long child(Connection api, long parent, String on) throws SQLException {
    long child;
    try (Statement statement = api.createStatement();
        ResultSet row =
            statement.executeQuery(
                """
                INSERT INTO jobs.jobs (project_id, queue_id, type, state, dispatch_key, has_dependencies)
                VALUES (%d, %d, 'echo', 'blocked', 0, true) RETURNING id
                """
                    .formatted(project, queue))) {
      row.next();
      child = row.getLong(1);
    }
    connect(api, project, child, parent, on);
    return child;
  }

  private static List<String> connect(
      Connection api, int project, long child, long parent, String on) throws SQLException {
    List<String> answers = new ArrayList<>();
    try (Statement statement = api.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT kind, id FROM jobs.connect_jobs(%d, ARRAY[%d], ARRAY[%d], ARRAY['%s'], '{}')"
                    .formatted(project, child, parent, on))) {
      while (rows.next()) {
        answers.add(rows.getString(1) + " " + rows.getLong(2));
      }
    }
    return answers;
  }

  private long childOf(long parent, String on) throws SQLException {
    try (Connection api = database.connect(Role.API)) {
      api.setAutoCommit(false);
      long child = child(api, parent, on);
      api.commit();
      return child;
    }
  }

  private long ended(Connection worker, String outcome) throws SQLException {
    sql.ready(queue, 1);
    List<Sql.Claimed> claimed = sql.claim(worker, 1, 1, queue, 1);
    sql.settle(worker, 1, claimed, outcome);
    return claimed.get(0).id();
  }

  @Test
  void aParentThatHasEndedDecidesAtOnce() throws SQLException {
    try (Connection worker = sql.asWorker()) {
      long good = ended(worker, "succeeded");
      long bad = ended(worker, "dead");
      assertEquals("ready", sql.state(childOf(good, "success")));
      assertEquals("skipped", sql.state(childOf(bad, "success")));
      assertEquals("ready", sql.state(childOf(bad, "done")));
      assertEquals("ready", sql.state(childOf(bad, "failure")));
      assertEquals("skipped", sql.state(childOf(good, "failure")));
    }
  }

  /** The end of a job looks for children only if it is marked to have some. */
  @Test
  void aParentThatLivesReleasesItsLateChildWhenItEnds() throws SQLException {
    sql.ready(queue, 1);
    try (Connection worker = sql.asWorker()) {
      List<Sql.Claimed> parent = sql.claim(worker, 1, 1, queue, 1);
      long child = childOf(parent.get(0).id(), "success");
      assertEquals("blocked", sql.state(child));
      sql.settle(worker, 1, parent, "succeeded");
      assertEquals("ready", sql.state(child));
    }
  }

  /** The settle meets the edge's lock, is refused, and comes again once the edge is there. */
  @Test
  void aParentCannotEndWhileAnEdgeOfItIsBeingAdded() throws Exception {
    sql.ready(queue, 1);
    try (Connection worker = sql.asWorker();
        Connection api = database.connect(Role.API)) {
      List<Sql.Claimed> parent = sql.claim(worker, 1, 1, queue, 1);
      api.setAutoCommit(false);
      long child = child(api, parent.get(0).id(), "success");
      assertEquals("busy", sql.settle(worker, 1, parent, "succeeded").get(0).verdict());
      api.commit();
      sql.settle(worker, 1, parent, "succeeded");
      assertEquals("ready", sql.state(child));
    }
  }

  /** The parent leaves one table while the edge waits for its row there. */
  @Test
  void aParentThatEndsWhileItsRowIsWaitedForIsFoundWhereItWent() throws Exception {
    sql.ready(queue, 1);
    try (Connection worker = sql.asWorker()) {
      List<Sql.Claimed> parent = sql.claim(worker, 1, 1, queue, 1);
      worker.setAutoCommit(false);
      sql.settle(worker, 1, parent, "succeeded");
      CompletableFuture<Long> child =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return childOf(parent.get(0).id(), "success");
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      awaitWaiter();
      worker.commit();
      assertEquals("ready", sql.state(child.get(30, TimeUnit.SECONDS)));
    }
  }

  private void awaitWaiter() {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (sql.number("SELECT count(*) FROM pg_locks WHERE NOT granted") == 0) {
      assertTrue(System.nanoTime() < end, "nobody waits");
      Thread.onSpinWait();
    }
  }

  /**
   * Somebody's assert_lease may last: the edge does not wait for it, and the sweep tells the child.
   */
  @Test
  void anAssertedLeaseOfTheParentHoldsNobodyUp() throws SQLException {
    sql.ready(queue, 1);
    try (Connection worker = sql.asWorker();
        Connection user = database.connect(Role.API)) {
      List<Sql.Claimed> parent = sql.claim(worker, 1, 1, queue, 1);
      user.setAutoCommit(false);
      user.createStatement()
          .execute(
              "SELECT jobs.assert_lease(%d, %d)"
                  .formatted(parent.get(0).id(), parent.get(0).token()));
      long child = childOf(parent.get(0).id(), "success");
      assertEquals("blocked", sql.state(child));
      user.rollback();
      sql.settle(worker, 1, parent, "succeeded");
      database.sql("SELECT count(*) FROM sweep_blocked(0, 100)");
      database.sql("SELECT count(*) FROM release_pending(100)");
      assertEquals("ready", sql.state(child));
    }
  }

  @Test
  void aJobOfAnotherProjectIsAsUnknownAsOneThatNeverWas() throws SQLException {
    int other = sql.project("other");
    long foreign = sql.ready(sql.queue(other, "default", null), 1).get(0);
    try (Connection api = database.connect(Role.API)) {
      assertEquals(List.of("unknown " + foreign), connect(api, project, 1, foreign, "success"));
      assertEquals(List.of("unknown 12345"), connect(api, project, 1, 12345, "success"));
    }
    assertEquals("0", database.sql("SELECT count(*) FROM dependencies"));
    assertEquals("f", database.sql("SELECT has_dependents FROM jobs"));
  }

  /** As the children that it had when it ended. */
  @Test
  void aParentThatWasSkippedByHandIsAsIfItHadNotBeenThere() throws SQLException {
    Flow flow = new Flow(database, sql, project, queue, "cancel").job("a").job("b");
    try (Connection api = database.connect(Role.API)) {
      api.createStatement()
          .execute(
              "SELECT jobs.end_member(%d, %d, %d, 'skipped', NULL, 'by ann')"
                  .formatted(project, flow.id, flow.id("a")));
    }
    assertEquals("ready", sql.state(childOf(flow.id("a"), "success")));
    assertEquals("ready", sql.state(childOf(flow.id("a"), "done")));
    assertEquals("skipped", sql.state(childOf(flow.id("a"), "failure")));
  }

  /** Whatever brings an ended parent back has to find its children again. */
  @Test
  void anEndedParentIsMarkedToHaveChildren() throws SQLException {
    try (Connection worker = sql.asWorker()) {
      long parent = ended(worker, "succeeded");
      childOf(parent, "success");
      assertEquals(
          "t", database.sql("SELECT has_dependents FROM finished_jobs WHERE id = " + parent));
    }
  }

  @Test
  void aJobThatWaitsForAnInstantToo() throws SQLException {
    try (Connection worker = sql.asWorker();
        Connection api = database.connect(Role.API)) {
      long parent = ended(worker, "succeeded");
      long child =
          sql.ids(
                  """
                  INSERT INTO jobs (project_id, queue_id, type, state, dispatch_key, has_dependencies, run_at)
                  VALUES (%d, %d, 'echo', 'blocked', 0, true, clock_timestamp() + interval '1 hour')
                  RETURNING id
                  """
                      .formatted(project, queue))
              .get(0);
      connect(api, project, child, parent, "success");
      assertEquals("scheduled", sql.state(child));
    }
  }
}
