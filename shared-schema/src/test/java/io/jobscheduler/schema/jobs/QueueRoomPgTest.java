package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The bound on a queue's depth. */
class QueueRoomPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();
  private final ExecutorService other = Executors.newSingleThreadExecutor();
  private Sql sql;
  private int project;
  private int queue;

  @BeforeEach
  void queue() {
    sql = new Sql(database);
    project = sql.project("acme");
    queue = sql.queue(project, "small", null);
    database.sql("UPDATE queues SET max_depth = 2");
  }

  @AfterEach
  void end() {
    other.shutdownNow();
  }

  private String admit(Connection api, int jobs) throws SQLException {
    try (var statement = api.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT jobs.admit_jobs(%d, '{small}', '{%d}')".formatted(project, jobs))) {
      row.next();
      return row.getString(1);
    }
  }

  private Future<String> admitMeanwhile(int jobs) {
    Future<String> waiting =
        other.submit(
            () -> {
              try (Connection api = database.connect(Role.API)) {
                return admit(api, jobs);
              }
            });
    while (!waiting.isDone()
        && database.sql("SELECT count(*) FROM pg_locks WHERE NOT granted").equals("0")) {
      Thread.onSpinWait();
    }
    assertFalse(waiting.isDone(), "nobody waits");
    return waiting;
  }

  @Test
  void whoComesMeanwhileIsCountedAgainstWhatIsNotYetCommitted() throws Exception {
    try (Connection first = database.connect(Role.API)) {
      assertNull(admit(first, 1));
      sql.ready(queue, 1);
      first.setAutoCommit(false);
      assertNull(admit(first, 1));
      Future<String> second = admitMeanwhile(1);
      first.commit();
      assertEquals("small", second.get(10, TimeUnit.SECONDS));
    }
  }

  @Test
  void roomThatWasNotUsedIsFreeAgain() throws Exception {
    try (Connection first = database.connect(Role.API)) {
      assertNull(admit(first, 1));
      first.setAutoCommit(false);
      assertNull(admit(first, 1));
      Future<String> second = admitMeanwhile(1);
      first.rollback();
      assertNull(second.get(10, TimeUnit.SECONDS));
    }
  }

  @Test
  void aFullQueueIsCountedAgainAtMostOnceASecond() throws Exception {
    sql.ready(queue, 2);
    try (Connection api = database.connect(Role.API)) {
      assertEquals("small", admit(api, 1));
      database.sql("DELETE FROM jobs");
      database.sql("UPDATE queue_room SET counted_at = clock_timestamp() + interval '1 hour'");
      assertEquals("small", admit(api, 1));
      database.sql("UPDATE queue_room SET counted_at = clock_timestamp() - interval '2 s'");
      assertNull(admit(api, 1));
      database.sql("UPDATE queues SET max_depth = NULL");
      database.sql("DELETE FROM queue_room");
      assertNull(admit(api, 1_000_000));
      assertEquals("0", database.sql("SELECT count(*) FROM queue_room"));
    }
  }
}
