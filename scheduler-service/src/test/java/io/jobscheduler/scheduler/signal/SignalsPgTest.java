package io.jobscheduler.scheduler.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.scheduler.testing.Hearing;
import io.jobscheduler.scheduler.testing.Jobs;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SignalsPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();

  @Test
  void tellsTheFirstOfEachQueueOnly() throws Exception {
    new Jobs(database);
    try (Hearing workers = new Hearing(database, "jobs_ready");
        Hearing dashboard = new Hearing(database, "jobs_changed");
        Signals signals = new Signals(database.dataSource(Role.SCHEDULER))) {
      signals.ready(
          List.of(
              new ReadyJob(3, 1, 4, 30, 1),
              new ReadyJob(1, 1, 4, 10, 1),
              new ReadyJob(2, 1, 4, 20, 1)));

      assertEquals("1:4:10:1", workers.next());
      assertEquals("p jobs,queues", dashboard.next());
    }
  }

  @Test
  void unknownProjectIsNobodysNews() throws Exception {
    new Jobs(database);
    try (Hearing dashboard = new Hearing(database, "jobs_changed");
        Signals signals = new Signals(database.dataSource(Role.SCHEDULER))) {
      signals.changed(Set.of(99), Topic.JOBS);
      signals.changedEverywhere(Topic.WORKERS);

      assertEquals("p workers", dashboard.next());
    }
  }
}
