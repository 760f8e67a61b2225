package io.jobscheduler.api.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.api.TestProjects;
import io.jobscheduler.schema.testing.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class JobStorePgTest {
  private static final long WORKER = 77;

  @RegisterExtension final TestDatabase database = new TestDatabase();

  private JobStore store;
  private int project;
  private long id;

  @BeforeEach
  void enqueueOne() {
    store = new JobStore(TestProjects.api(database));
    project = TestProjects.create(database, "p");
    id =
        new EnqueueStore(TestProjects.api(database))
            .enqueueJobs(project, TestProjects.jobs(1, "t"))
            .orElseThrow()
            .get(0)
            .id();
  }

  /** Claims the job as a worker would; returns the lease token. */
  private String claim() {
    return database.sql(
        "SELECT lease_token FROM claim("
            + WORKER
            + ", 1, ARRAY[(SELECT id FROM queues LIMIT 1)], ARRAY[1],"
            + " ARRAY[array_fill(0::bigint, ARRAY[10])], ARRAY[array_fill(0::bigint, ARRAY[10])])");
  }

  private void settle(String token, String outcome, String result, String kind, String delay) {
    database.sql(
        ("SELECT * FROM settle(%d, ARRAY[%d::bigint], ARRAY[%s::bigint], ARRAY[NULL::int],"
                + " ARRAY['%s'], ARRAY[%s], ARRAY[%s], ARRAY['it broke'], ARRAY['at x'],"
                + " NULL, ARRAY[%s::interval], NULL)")
            .formatted(WORKER, id, token, outcome, result, kind, delay));
  }

  private Job find() {
    return store.findJob(project, id, true, true).orElseThrow();
  }

  private List<Attempt> attempts() {
    return store.listAttempts(project, id).orElseThrow();
  }

  @Test
  void followsAJobThroughItsAttemptsIntoTheOtherTable() {
    assertTrue(attempts().isEmpty());
    assertNull(find().leaseToken());

    String first = claim();
    assertEquals("running", find().summary().state());
    assertEquals(first, find().leaseToken());
    assertEquals(Long.toString(WORKER), find().summary().worker());
    assertEquals(List.of("running"), attempts().stream().map(Attempt::outcome).toList());

    settle(first, "failed", "NULL", "'boom'", "'0 s'");
    Job retrying = find();
    assertEquals("retrying", retrying.summary().state());
    assertEquals("boom: it broke", retrying.summary().errorSummary());
    assertEquals(new JobError("boom", "it broke", "at x"), retrying.error());
    database.sql("SELECT * FROM promote_jobs(ARRAY[" + id + "]::bigint[])");

    settle(claim(), "succeeded", "'{\"n\": 1.00}'", "NULL", "NULL");
    Job done = find();
    assertEquals("succeeded", done.summary().state());
    assertEquals("{\"n\": 1.00}", done.result());
    assertNotNull(done.summary().finishedAt());
    assertNull(done.error());
    List<Attempt> all = attempts();
    assertEquals(List.of("failed", "succeeded"), all.stream().map(Attempt::outcome).toList());
    assertEquals(List.of(1, 2), all.stream().map(Attempt::attempt).toList());
    assertEquals(new JobError("boom", "it broke", "at x"), all.get(0).error());
    assertNotNull(all.get(1).endedAt());
  }

  @Test
  void theAttemptThatKilledAJobCountsAsFailed() {
    settle(claim(), "dead", "NULL", "'poison'", "NULL");
    assertEquals("dead", find().summary().state());
    assertEquals(List.of("failed"), attempts().stream().map(Attempt::outcome).toList());
    assertEquals("poison", attempts().get(0).error().kind());
  }

  @Test
  void anotherProjectSeesNothingOfIt() {
    int other = TestProjects.create(database, "other");
    for (int round = 0; round < 2; round++) {
      assertTrue(store.findJob(other, id, true, true).isEmpty());
      assertTrue(store.listAttempts(other, id).isEmpty());
      assertTrue(summaries(other).isEmpty());
      assertEquals(1, summaries(project).size());
      if (round == 0) {
        settle(claim(), "succeeded", "NULL", "NULL", "NULL");
      }
    }
  }

  private List<JobSummary> summaries(int ofProject) {
    return TestProjects.api(database)
        .withHandle(h -> store.listSummaries(h, ofProject, List.of(id)));
  }

  @Test
  void hidesPayloadAndLeaseFromWhoMayNotSeeThem() {
    database.sql("UPDATE jobs SET payload = '1'");
    claim();
    Job hidden = store.findJob(project, id, false, false).orElseThrow();
    assertNull(hidden.payload());
    assertNull(hidden.leaseToken());
    assertEquals("1", find().payload());
  }

  @Test
  void namesTheScheduleAndThePlannedTimeAlsoOnceItHasEnded() {
    String schedule =
        database.sql(
            "INSERT INTO schedules (project_id, name, kind, expression, dialect, template, job_type, queue_id, next_fire_at)"
                + " SELECT q.project_id, 'nightly', 'cron', '0 3 * * *', 'unix', 'job', 't', q.id, now() FROM queues q"
                + " LIMIT 1 RETURNING id");
    database.sql("UPDATE jobs SET planned_at = '2030-01-01T03:00:00Z', schedule_id = " + schedule);
    for (int round = 0; round < 2; round++) {
      assertEquals("nightly", find().schedule());
      assertEquals("2030-01-01T03:00:00Z", String.valueOf(find().plannedAt()));
      if (round == 0) {
        settle(claim(), "succeeded", "NULL", "NULL", "NULL");
      }
    }
    database.sql("DELETE FROM schedules");
    assertNull(find().schedule());
  }
}
