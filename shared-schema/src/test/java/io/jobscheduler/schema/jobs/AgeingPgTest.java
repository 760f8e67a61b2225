package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Queues in which waiting outweighs priority, and the switch to it and back. */
class AgeingPgTest {
  private static final int MINUTE = 60_000;

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private Sql sql;
  private int queue;

  @BeforeEach
  void queue() {
    sql = new Sql(database);
    queue = sql.queue(sql.project("acme"), "q", null);
    sql.worker(1);
  }

  private void ageing(String millis) {
    database.sql("SELECT set_queue_ageing(%d, %s)".formatted(queue, millis));
  }

  /** A scheduled job that becomes ready by promotion. */
  private long promoted(int priority) {
    long id =
        sql.ids(
                """
                INSERT INTO jobs (project_id, queue_id, type, state, priority, dispatch_lane, dispatch_key, run_at)
                VALUES (1, %d, 'echo', 'scheduled', %d, %d, 0, clock_timestamp() - interval '1 s') RETURNING id
                """
                    .formatted(queue, priority, priority))
            .get(0);
    assertEquals(
        "1", database.sql("SELECT count(*) FROM promote_jobs(ARRAY[%d]::bigint[])".formatted(id)));
    return id;
  }

  private String place(long id) {
    return database.sql(
        "SELECT dispatch_lane || ' ' || dispatch_key - micros(ready_at) FROM jobs WHERE id = "
            + id);
  }

  private void readySince(long id, String ago) {
    database.sql(
        """
        UPDATE jobs SET ready_at = ready_at - interval '%1$s',
                        dispatch_key = dispatch_key - (extract(epoch FROM interval '%1$s') * 1000000)::bigint
         WHERE id = %2$d
        """
            .formatted(ago, id));
  }

  @Test
  void stepOfPriorityOutweighsTheWaitAndNoMore() throws SQLException {
    ageing("" + MINUTE);
    long old = promoted(2);
    long urgent = promoted(4);
    long between = promoted(3);
    readySince(old, "3 minutes");
    try (Connection worker = sql.asWorker()) {
      List<Long> order = new ArrayList<>();
      for (int i = 1; i <= 3; i++) {
        order.add(sql.claim(worker, 1, i, queue, 1).get(0).id());
      }
      assertEquals(List.of(old, urgent, between), order);
    }
  }

  @Test
  void whatBecomesReadyGetsItsPlaceByTheQueuesPresentAgeing() {
    long before = promoted(7);
    assertTrue(place(before).startsWith("7 "), place(before));
    ageing("" + MINUTE);
    long after = promoted(7);
    String[] place = place(after).split(" ");
    assertEquals("0", place[0]);
    assertEquals(-7L * MINUTE * 1000, Long.parseLong(place[1]), 1_000);
  }

  private List<String> rekey(int limit) throws SQLException {
    try (Connection scheduler = database.connect(Role.SCHEDULER);
        ResultSet rows =
            scheduler
                .createStatement()
                .executeQuery(
                    "SELECT dispatch_lane, id FROM jobs.rekey_queue(%d, %d)"
                        .formatted(queue, limit))) {
      List<String> moved = new ArrayList<>();
      while (rows.next()) {
        moved.add(rows.getInt(1) + " " + rows.getLong(2));
      }
      return moved;
    }
  }

  private boolean toRekey() {
    return database.sql("SELECT queue_id FROM queues_to_rekey()") != null;
  }

  @Test
  void switchMovesWhatWaitsInBoundedStepsAndBack() throws SQLException {
    List<Long> low = sql.ready(queue, 0, 3);
    List<Long> high = sql.ready(queue, 9, 3);
    int other = sql.queue(1, "other", null);
    List<Long> foreign = sql.ready(other, 5, 3);
    ageing("" + MINUTE);
    assertTrue(toRekey());
    assertEquals(List.of(), rekey(4).stream().filter(m -> m.startsWith("9")).toList());
    assertEquals(
        "1",
        database.sql(
            "SELECT count(*) FROM jobs WHERE queue_id = 1 AND dispatch_lane = 0 AND priority = 9"));
    assertTrue(toRekey());
    // A row that another holds is passed over; what was done stays done.
    assertEquals(List.of("0 " + high.get(1)), rekey(4));
    rekey(4);
    assertEquals(false, toRekey());
    assertEquals(List.of(), rekey(4));
    for (long id : high) {
      assertEquals("0 " + -9L * MINUTE * 1000, place(id));
    }
    for (long id : low) {
      assertEquals("0 0", place(id));
    }
    assertEquals("5", database.sql("SELECT dispatch_lane FROM jobs WHERE id = " + foreign.get(0)));
    try (Connection worker = sql.asWorker()) {
      assertEquals(high.get(0), sql.claim(worker, 1, 1, queue, 1).get(0).id());
    }

    ageing("NULL");
    rekey(100);
    assertEquals(false, toRekey());
    assertEquals("9 0", place(high.get(1)));
    assertEquals("0 0", place(low.get(0)));
  }

  @Test
  void claimTakesAllThatWaitsInTheMiddleOfASwitch() throws SQLException {
    sql.ready(queue, 2, 10);
    sql.ready(queue, 8, 10);
    ageing("" + MINUTE);
    rekey(15);
    try (Connection worker = sql.asWorker()) {
      assertEquals(20, sql.claim(worker, 1, 1, queue, 100).size());
    }
  }

  @Test
  void jobThatAnotherHoldsIsPassedOver() throws SQLException {
    List<Long> jobs = sql.ready(queue, 6, 2);
    ageing("" + MINUTE);
    try (Connection other = database.superuser()) {
      other.setAutoCommit(false);
      other
          .createStatement()
          .execute("SELECT 1 FROM jobs.jobs WHERE id = " + jobs.get(0) + " FOR UPDATE");
      assertEquals(List.of("0 " + jobs.get(1)), rekey(10));
      other.rollback();
    }
    assertEquals("6", database.sql("SELECT dispatch_lane FROM jobs WHERE id = " + jobs.get(0)));
  }

  /**
   * In a workflow the plan's instant stands for the ready time: the critical path stays in front.
   */
  @Test
  void workflowsJobKeepsItsPlannedPlaceBesidesItsPriority() throws SQLException {
    database.sql("INSERT INTO workflows (project_id, name, job_count) VALUES (1, 'w', 2)");
    List<Long> members =
        sql.ids(
            """
            INSERT INTO jobs (project_id, queue_id, type, state, priority, dispatch_lane, dispatch_key, workflow_id,
                workflow_key, has_dependencies)
            SELECT 1, %d, 'echo', 'blocked', 5, 5, 0, 1, 'k' || i, true FROM generate_series(1, 2) i
            RETURNING id
            """
                .formatted(queue));
    for (long id : members) {
      database.sql(
          "INSERT INTO workflow_members (workflow_id, job_id, key) VALUES (1, %d, 'k%d')"
              .formatted(id, id));
    }
    database.sql(
        "SELECT apply_plan(1, ARRAY[%d, %d]::bigint[], 0, '{0, 1}', '{1, 1}', '{t, f}', '{1, 0.5}', 2, 1, 2)"
            .formatted(members.get(0), members.get(1)));
    ageing("" + MINUTE);
    rekey(100);
    String planned =
        "SELECT dispatch_lane || ' ' || dispatch_key - (SELECT micros(created_at) FROM workflows) FROM jobs WHERE id = ";
    assertEquals("0 -360000000", database.sql(planned + members.get(0)));
    assertEquals("0 -330000000", database.sql(planned + members.get(1)));
    assertEquals(
        "1",
        database.sql(
            "SELECT count(*) FROM release_children(ARRAY[%d]::bigint[])"
                .formatted(members.get(0))));
    assertEquals("0 -360000000", database.sql(planned + members.get(0)));
    ageing("NULL");
    rekey(100);
    assertEquals("5 -60000000", database.sql(planned + members.get(0)));
  }
}
