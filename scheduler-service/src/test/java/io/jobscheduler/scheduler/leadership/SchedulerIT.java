package io.jobscheduler.scheduler.leadership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.scheduler.testing.Await;
import io.jobscheduler.scheduler.testing.SchedulerProcess;
import io.jobscheduler.schema.testing.TestDatabase;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The packaged service: two processes on one database. */
class SchedulerIT {
  @RegisterExtension final TestDatabase database = new TestDatabase();

  @Test
  void standbyLeadsWithinThreeSecondsOfTheLeadersDeath() throws Exception {
    try (SchedulerProcess first = SchedulerProcess.start("first", database, Map.of())) {
      first.awaitReady();
      Await.until("the first leads", Duration.ofSeconds(5), () -> epoch() == 1);
      try (SchedulerProcess second = SchedulerProcess.start("second", database, Map.of())) {
        second.awaitReady();
        assertTrue(first.probe("ready").body().contains("\"leads\": 1"), "the leader says so");
        assertFalse(second.probe("ready").body().contains("leads"), "the standby does not");
        assertEquals(200, second.probe("live").status());

        long killed = System.nanoTime();
        first.kill();
        Await.until("the second leads", Duration.ofSeconds(10), () -> epoch() == 2);
        Duration took = Duration.ofNanos(System.nanoTime() - killed);
        assertTrue(took.compareTo(Duration.ofSeconds(3)) <= 0, "took " + took);

        assertEquals(143, second.terminate(), second::log);
      }
    }
  }

  private long epoch() {
    return Long.parseLong(database.sql("SELECT epoch FROM leadership"));
  }
}
