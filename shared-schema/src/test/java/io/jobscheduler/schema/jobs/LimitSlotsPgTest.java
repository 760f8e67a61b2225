package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A queue's slots: who takes them, and that everybody gives them back. */
class LimitSlotsPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Sql sql;
  private int project;
  private int limited;

  @BeforeEach
  void queue() {
    sql = new Sql(database);
    project = sql.project("acme");
    limited = sql.queue(project, "limited", 3);
    sql.worker(1);
  }

  private void setLimit(Integer limit) throws SQLException {
    try (Connection api = database.connect(Role.API)) {
      api.createStatement()
          .execute(
              "SELECT jobs.set_queue_limits(%d, %s, NULL, NULL, NULL, NULL)"
                  .formatted(limited, limit));
    }
  }

  private int running() {
    return sql.number("SELECT count(*) FROM jobs WHERE state = 'running'");
  }

  /** The count is of rows, so no way out of running can leak a slot. */
  @Test
  void everyWayOutOfRunningFreesItsSlot() throws SQLException {
    sql.ready(limited, 200);
    try (Connection worker = sql.asWorker()) {
      int claim = 0;
      for (int round = 0; round < 10; round++) {
        for (String end : List.of("succeeded", "failed", "dead", "cancelled", "released", "lost")) {
          List<Sql.Claimed> claimed = sql.claim(worker, 1, ++claim, limited, 5);
          assertEquals(3, claimed.size(), "after " + end);
          assertEquals(List.of(), sql.claim(worker, 1, ++claim, limited, 5), "full");
          if (end.equals("lost")) {
            database.sql("UPDATE workers SET lost_at = clock_timestamp()");
            database.sql("SELECT count(*) FROM rescue_jobs(10, false)");
            database.sql("UPDATE workers SET lost_at = NULL");
          } else {
            sql.settle(worker, 1, claimed, end);
          }
          assertEquals(0, running(), end);
        }
      }
    }
  }

  /** Nobody keeps a limit: the claim after a change reads the new one, and running jobs go on. */
  @Test
  void nextClaimGoesByTheNewLimit() throws SQLException {
    sql.ready(limited, 100);
    try (Connection worker = sql.asWorker()) {
      setLimit(1);
      assertEquals(1, sql.claim(worker, 1, 1, limited, 50).size());
      setLimit(50);
      assertEquals(49, sql.claim(worker, 1, 2, limited, 60).size());
      setLimit(2);
      assertEquals(0, sql.claim(worker, 1, 3, limited, 60).size());
      assertEquals(50, running(), "lowering kills nothing");
      setLimit(null);
      List<Sql.Claimed> more = sql.claim(worker, 1, 4, limited, 10);
      assertEquals(10, more.size());
      setLimit(0);
      assertEquals(0, sql.claim(worker, 1, 5, limited, 60).size());
      setLimit(5);
      assertEquals(0, sql.claim(worker, 1, 6, limited, 60).size(), "60 still run");
      database.sql(
          "UPDATE jobs SET state = 'ready', lease_token = NULL, worker_id = NULL WHERE state = 'running'");
      assertEquals(5, sql.claim(worker, 1, 7, limited, 60).size());
    }
  }

  /**
   * Candidates of a full queue take no place in the batch, and none of its rows is read or locked.
   */
  @Test
  void fullQueueInFrontHidesNothingBehindIt() throws SQLException {
    int open = sql.queue(project, "open", null);
    setLimit(1);
    sql.ready(limited, 9, 20_000);
    List<Long> behind = sql.ready(open, 0, 10);
    database.sql("ANALYZE jobs");
    try (Connection worker = sql.asWorker()) {
      assertEquals(1, sql.claim(worker, 1, 1, limited, 1).size());
      List<Long> claimed =
          sql.claim(worker, 1, 2, new Integer[] {limited, open}, new Integer[] {10, 10}).stream()
              .map(Sql.Claimed::id)
              .sorted()
              .toList();
      assertEquals(behind, claimed);
    }
    assertTrue(running() == 11, "one of the full queue, ten of the other");
  }
}
