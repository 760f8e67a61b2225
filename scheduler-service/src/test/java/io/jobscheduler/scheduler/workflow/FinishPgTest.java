package io.jobscheduler.scheduler.workflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.jobscheduler.scheduler.testing.Configs;
import io.jobscheduler.scheduler.testing.Jobs;
import io.jobscheduler.scheduler.testing.Jobs.Lease;
import io.jobscheduler.scheduler.testing.SchedulerRig;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class FinishPgTest {
  private static final long WORKER = 77;

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private SchedulerRig rig;
  private Jobs jobs;
  private Flows flows;
  private FinishLoop loop;

  @BeforeEach
  void lead() throws SQLException {
    rig = SchedulerRig.leading(database);
    jobs = new Jobs(database);
    jobs.register(WORKER);
    flows = new Flows(database);
    loop =
        new FinishLoop(
            rig.leadership,
            rig.transactions,
            rig.dataSource,
            rig.agenda,
            rig.signals,
            Configs.of(WorkflowConfig.class),
            rig.loops);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  void aFirstFailureIsToldBeforeTheEndAndTheEndOnceNoneLives() throws Exception {
    int flow = flows.submit("a b", "");
    for (String event : new String[] {"first_failure", "completion"}) {
      database.sql(
          "INSERT INTO workflow_callbacks (workflow_id, on_event, job) VALUES ("
              + flow
              + ", '"
              + event
              + "', '{\"type\": \"tell\", \"queueId\": 1, \"payload\": \"{{workflowEvent}}\"}')");
    }
    Lease first = jobs.claim(WORKER, 1).get(0);
    Lease second = jobs.claim(WORKER, 1).get(0);
    jobs.settle(WORKER, first, "dead");

    loop.runOnce();
    assertEquals("\"first_failure\"", database.sql("SELECT payload FROM jobs WHERE type = 'tell'"));

    jobs.settle(WORKER, second, "succeeded");
    loop.runOnce();
    assertEquals("failed", database.sql("SELECT final_state FROM workflows"));
    assertEquals("2", database.sql("SELECT count(*) FROM jobs WHERE type = 'tell'"));
  }

  @Test
  void aDeadlineThatHasPassedIsFoundWithoutAnyOtherWork() throws Exception {
    flows.submit("a b", "a>b");
    database.sql("UPDATE workflows SET deadline_at = clock_timestamp() - interval '1 minute'");

    loop.runOnce();
    loop.runOnce();

    assertEquals("0", database.sql("SELECT count(*) FROM jobs"));
    assertEquals("failed", database.sql("SELECT final_state FROM workflows"));
    assertNotNull(database.sql("SELECT deadline_passed_at FROM workflows"));
  }
}
