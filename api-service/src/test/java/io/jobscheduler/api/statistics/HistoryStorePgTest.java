package io.jobscheduler.api.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.api.TestProjects;
import io.jobscheduler.schema.testing.TestDatabase;
import java.time.Instant;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class HistoryStorePgTest {
  private static final Instant NOW = Instant.parse("2026-03-04T05:06:07Z");

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private int project;
  private int queue;

  @BeforeEach
  void open() {
    project = TestProjects.create(database, "p");
    queue = TestProjects.number(database, "SELECT id FROM queues WHERE project_id = " + project);
  }

  @Test
  void sumsUpBySpanAndByQueueAndType() {
    int other =
        TestProjects.number(
            database,
            "INSERT INTO queues (project_id, name) VALUES (" + project + ", 'other') RETURNING id");
    cell(project, queue, "2026-03-04T05:01:00Z", "t", 3);
    cell(project, queue, "2026-03-04T05:01:00Z", "u", 1);
    cell(project, queue, "2026-03-04T05:03:00Z", "t", 5);
    cell(project, other, "2026-03-04T05:03:00Z", "t", 20);
    cell(project, queue, "2026-03-04T04:00:00Z", "t", 100);
    database.sql(
        "INSERT INTO queue_depths VALUES ("
            + project
            + ", 60, '2026-03-04T05:04:00Z', "
            + queue
            + ", 7, 2)");

    History history = history(null, null);

    assertEquals(
        "05:01 4 0, 05:03 25 0, 05:04 0 7",
        history.points().stream()
            .map(
                p ->
                    p.start().toString().substring(11, 16)
                        + " "
                        + p.ended().succeeded()
                        + " "
                        + p.ready())
            .collect(Collectors.joining(", ")));
    assertEquals(
        "other/t 20, default/t 8, default/u 1",
        history.groups().stream()
            .map(g -> g.queue() + "/" + g.type() + " " + g.ended().succeeded())
            .collect(Collectors.joining(", ")));
    // Bucket 21 ends at 2^10.5 ms.
    assertEquals(1.4482, history.groups().get(0).ended().runSeconds().p99(), 0.02);
    assertFalse(history.partial());

    assertEquals(1, history("other", "t").groups().size());
    assertEquals(0, history("other", "u").groups().size());
  }

  @Test
  void anotherProjectsCountsStayItsOwn() {
    int stranger = TestProjects.create(database, "stranger");
    cell(stranger, queue, "2026-03-04T05:01:00Z", "t", 3);
    cell(project, queue, "2026-03-04T05:01:00Z", "t", 1);

    assertEquals(1, history(null, null).points().get(0).ended().succeeded());
  }

  @Test
  void readsTheNewestWhereThereIsTooMuchAndSaysSo() {
    database.sql(
        "INSERT INTO job_statistics SELECT "
            + project
            + ", 60, timestamptz '2026-03-04T05:00:00Z'"
            + " - i * interval '1 min', "
            + queue
            + ", 't', 1, 0, 0, 0, 0, 0, 0, '{}', '{}'"
            + " FROM generate_series(1, 50) i");
    History history =
        new HistoryStore(TestProjects.api(database), 10).history(project, request(null, null));

    assertTrue(history.partial());
    assertEquals(10, history.points().size());
    assertEquals("2026-03-04T04:59:00Z", history.points().get(9).start().toString());
  }

  private void cell(int inProject, int inQueue, String start, String type, int succeeded) {
    database.sql(
        "INSERT INTO job_statistics VALUES ("
            + inProject
            + ", 60, '"
            + start
            + "', "
            + inQueue
            + ", '"
            + type
            + "', "
            + succeeded
            + ", 0, 0, 0, 0, 0, 0, '{}',"
            + " array_fill(0::bigint, ARRAY[21]) || "
            + succeeded
            + "::bigint)");
  }

  private static HistoryRequest request(String queueName, String type) {
    return HistoryRequest.of(null, null, null, queueName, type, NOW);
  }

  private History history(String queueName, String type) {
    return new HistoryStore(TestProjects.api(database)).history(project, request(queueName, type));
  }
}
