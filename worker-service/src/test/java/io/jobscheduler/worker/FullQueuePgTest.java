package io.jobscheduler.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.TestDatabase;
import io.jobscheduler.worker.lease.Timings;
import java.time.Duration;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A queue whose limit is reached, with much waiting and slots to spare. */
class FullQueuePgTest {
  private static final String VERSIONS =
      "SELECT count(*) || ' ' || count(DISTINCT xmin::text) || ' ' || max(ctid)"
          + " FROM jobs WHERE state = 'ready'";

  @RegisterExtension
  @Order(1)
  final TestDatabase database = new TestDatabase();

  @RegisterExtension
  @Order(2)
  final Rig rig = new Rig(database);

  private final Jobs jobs = new Jobs(database);
  private final TestHandlers.Gate gate = new TestHandlers.Gate();

  /** Fails when a full queue is asked for again and again, or rows are locked and let go. */
  @Test
  void costsPollsOnlyAndTouchesNoRow() throws Exception {
    rig.slots = 16;
    rig.poll = Duration.ofSeconds(1);
    rig.compare = Duration.ofSeconds(5);
    rig.timings = new Timings(Duration.ofSeconds(2), Duration.ofSeconds(15));
    int full = jobs.queue("full", 1, 4);
    jobs.readyMany(full, "gate", 2_000);
    // Another worker fills it: from its own memory this one would know that there is no room.
    rig.ready(gate);
    Await.until("it is full", () -> gate.entered.size() == 4);
    try (Wire wire = new Wire(database)) {
      WorkerProcess worker = rig.start(rig.pool(wire.url()), wire.connections(), gate);
      Await.until("ready", worker::isReady);
      Await.until("its first tries are over", () -> wire.quietNanos() > 500_000_000L);
      String before = database.sql(VERSIONS);
      int requests = wire.requests();
      long start = System.nanoTime();
      Await.until("four seconds", () -> System.nanoTime() - start >= 4_000_000_000L);
      // Each second a poll, and a claim or two after it; a beat every two; a comparison.
      int sent = wire.requests() - requests;
      assertTrue(sent <= 20, sent + " statements in four seconds");
      assertEquals(before, database.sql(VERSIONS));
      assertEquals(4, gate.entered.size());
      gate.open.countDown();
      Await.until("the rest follows", () -> jobs.count("succeeded") > 100);
      rig.drain(worker);
    }
  }
}
