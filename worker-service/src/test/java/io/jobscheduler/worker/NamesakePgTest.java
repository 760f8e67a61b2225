package io.jobscheduler.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.schema.testing.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two workers on one host name, as with a fixed name in a stateful set. */
class NamesakePgTest {
  @RegisterExtension
  @Order(1)
  final TestDatabase database = new TestDatabase();

  @RegisterExtension
  @Order(2)
  final Rig rig = new Rig(database);

  private final Jobs jobs = new Jobs(database);
  private final TestHandlers.Gate first = new TestHandlers.Gate();
  private final TestHandlers.Gate second = new TestHandlers.Gate();

  @Test
  void drainGivesBackNothingOfItsNamesake() {
    rig.drainLimit = Duration.ofMillis(50);
    rig.slots = 1;
    int queue = jobs.queue("mail");
    rig.ready(first);
    long its = jobs.ready(queue, "gate", null);
    Await.until("the first runs one", () -> first.entered.contains(its));
    WorkerProcess drained = rig.ready(second);
    long other = jobs.ready(queue, "gate", null);
    Await.until("the second runs the other", () -> second.entered.contains(other));
    assertEquals(1, jobs.number("SELECT count(DISTINCT host) FROM workers"));
    assertEquals(2, jobs.number("SELECT count(*) FROM workers"));

    rig.drain(drained);
    assertEquals("ready", jobs.state(other));
    assertEquals("running", jobs.state(its));
    first.open.countDown();
    Await.until("both are done", () -> jobs.count("succeeded") == 2);
    assertEquals("1", jobs.column("attempt", its));
  }
}
