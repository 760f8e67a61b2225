package io.jobscheduler.api.bulk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.jobscheduler.api.TestProjects;
import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Actor;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.schema.testing.TestDatabase;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How many jobs a bulk action may be for, whether or not it says so itself. */
class BulkCapPgTest {
  private static final int JOBS = 3;

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private BulkStore store;
  private Grant grant;

  @BeforeEach
  void fill() {
    int project = TestProjects.create(database, "p");
    database.sql(
        ("INSERT INTO jobs (project_id, queue_id, type, state, dispatch_key, ready_at) SELECT %d,"
                + " q.id, 't', 'ready', 0, now() FROM queues q, generate_series(1, %d)")
            .formatted(project, JOBS));
    store =
        new BulkStore(TestProjects.api(database), JsonMapper.builder().findAndAddModules().build());
    grant =
        new Grant(
            project,
            "p",
            new Actor(Actor.Kind.USER, 1, "someone"),
            Set.of(Action.BULK_ACT),
            true,
            null);
  }

  private static BulkRequest cancel(Integer maxJobs) {
    BulkFilter filter =
        new BulkFilter(
            List.of("ready"), null, null, null, null, null, null, null, null, null, null, true);
    return new BulkRequest(BulkVerb.CANCEL, filter, null, false, null, maxJobs, null, null, null);
  }

  private BulkActions under(int mostJobs) {
    return new BulkActions(store, () -> mostJobs);
  }

  private void refused(BulkActions actions, BulkRequest request, String says) {
    ProblemException refusal =
        assertThrows(ProblemException.class, () -> actions.submit(grant, request));
    assertTrue(String.valueOf(refusal.getMessage()).contains(says), refusal.getMessage());
  }

  private int boundOf(BulkActions actions, BulkRequest request) {
    BulkAction action = actions.get(grant, actions.submit(grant, request));
    assertEquals("running", action.state());
    assertEquals(JOBS, action.progress().found());
    return action.maxJobs();
  }

  @Test
  void anActionForMoreJobsThanTheServerAllowsIsRefused() {
    refused(under(JOBS - 1), cancel(null), "narrow the filter");
    refused(under(JOBS - 1), cancel(JOBS), "narrow the filter");
    refused(under(JOBS), cancel(JOBS - 1), "count again by a dry run");
  }

  @Test
  void theSmallerOfBothBoundsHoldsAndIsShown() {
    assertEquals(JOBS, boundOf(under(JOBS), cancel(null)));
    assertEquals(JOBS, boundOf(under(JOBS), cancel(JOBS + 7)));
    assertEquals(JOBS, boundOf(under(1_000_000), cancel(JOBS)));
  }

  /** What was not looked at when it was asked for is counted by the leader, which does nothing. */
  @Test
  void whatTheLeaderFindsBeyondTheBoundEndsTheAction() {
    String id =
        database.sql(
            ("SELECT id FROM submit_bulk_action(%d, '{\"filter\": {}, \"action\": \"cancel\","
                    + " \"states\": [\"ready\"], \"max_jobs\": %d}', NULL, 'someone', 0)")
                .formatted(grant.projectId(), JOBS - 1));
    database.sql("SELECT worked FROM step_bulk_action(%s, 100, 1000, 100)".formatted(id));
    assertEquals(
        "stopped more-than-expected 0",
        database.sql(
            "SELECT concat_ws(' ', state, state_reason, done) FROM bulk_actions WHERE id = " + id));
    assertEquals("" + JOBS, database.sql("SELECT count(*) FROM jobs WHERE state = 'ready'"));
  }
}
