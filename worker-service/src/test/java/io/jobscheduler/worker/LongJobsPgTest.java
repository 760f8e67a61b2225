package io.jobscheduler.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.schema.testing.TestDatabase;
import io.jobscheduler.worker.database.Connections;
import io.jobscheduler.worker.handlers.JobOutcome;
import io.jobscheduler.worker.lease.Timings;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Work that outlasts every timeout under a worker that is alive and well. */
class LongJobsPgTest {
  private static final String NOBODY_IS_LOST =
      "SELECT count(*) FROM mark_lost_workers(interval '3 s', interval '500 ms')";

  @RegisterExtension
  @Order(1)
  final TestDatabase database = new TestDatabase();

  @RegisterExtension
  @Order(2)
  final Rig rig = new Rig(database);

  private final Jobs jobs = new Jobs(database);
  private final TestHandlers.Recorder recorder = new TestHandlers.Recorder();
  private final TestHandlers.Gate gate = new TestHandlers.Gate();

  private String beatAt() {
    return database.sql("SELECT max(beat_at) FROM workers");
  }

  private void awaitBeats(int count) {
    for (int i = 0; i < count; i++) {
      String before = beatAt();
      Await.until("it beats", () -> !before.equals(beatAt()));
    }
  }

  /** Neither the age of an attempt nor a handler that takes all of a core is a sign of death. */
  @Test
  void oldAttemptsInSpinningHandlersAreLeftAlone() {
    CountDownLatch end = new CountDownLatch(1);
    AtomicInteger starts = new AtomicInteger();
    rig.ready(
        TestHandlers.handler(
            "spin",
            job -> {
              starts.incrementAndGet();
              while (end.getCount() > 0) {
                Thread.onSpinWait();
              }
              return JobOutcome.done();
            }));
    jobs.readyMany(jobs.queue("mail"), "spin", rig.slots);
    Await.until("all slots spin", () -> starts.get() == rig.slots);
    database.sql("UPDATE jobs SET started_at = started_at - interval '1 day'");
    for (int round = 0; round < 4; round++) {
      awaitBeats(1);
      assertEquals("0", database.sql(NOBODY_IS_LOST));
      assertEquals("0", database.sql("SELECT count(*) FROM rescue_jobs(100, true)"));
    }
    end.countDown();
    Await.until("all have ended", () -> jobs.count("succeeded") == rig.slots);
    assertEquals(rig.slots, starts.get());
    assertEquals(
        "1", database.sql("SELECT string_agg(DISTINCT attempt::text, ',') FROM finished_jobs"));
  }

  /**
   * Handlers or others that take the whole pool take neither the beat's connection nor its thread.
   */
  @Test
  void beatsWhileThePoolIsExhausted() throws SQLException {
    Connections pool = rig.pool();
    WorkerProcess worker = rig.start(pool, rig.connections(), gate);
    Await.until("ready", worker::isReady);
    long id = jobs.ready(jobs.queue("mail"), "gate", null);
    Await.until("it runs", () -> gate.entered.contains(id));
    List<Connection> taken = new ArrayList<>();
    try {
      for (int i = 0; i < Rig.POOL; i++) {
        taken.add(pool.open());
      }
      for (int round = 0; round < 4; round++) {
        awaitBeats(1);
        assertEquals("0", database.sql(NOBODY_IS_LOST));
      }
    } finally {
      for (Connection connection : taken) {
        connection.close();
      }
    }
    gate.open.countDown();
    Await.until("it is settled", () -> "succeeded".equals(jobs.state(id)));
    assertEquals("1", jobs.column("attempt", id));
  }

  /** What waits in the worker's memory is beaten for; what is not due is not claimed at all. */
  @Test
  void whatWasClaimedAheadOutlastsTheTimeoutAndRunsOnce() {
    rig.slots = 1;
    rig.prefetch = 8;
    rig.prefetchHorizon = Duration.ofHours(1);
    rig.timings = new Timings(Duration.ofMillis(200), Duration.ofSeconds(1));
    int queue = jobs.queue("mail");
    WorkerProcess worker = rig.ready(recorder, gate);
    jobs.ready(queue, "record", null);
    Await.until("a job has run, so it claims ahead", () -> jobs.count("succeeded") == 1);
    long holding = jobs.ready(queue, "gate", null);
    Await.until("the slot is taken", () -> gate.entered.contains(holding));
    jobs.readyMany(queue, "record", 8);
    long later = jobs.ready(queue, "record", null);
    database.sql(
        "UPDATE jobs SET state = 'scheduled', run_at = now() + interval '1 year' WHERE id = "
            + later);
    Await.until("eight wait here", () -> jobs.count("running") == 9);
    Await.until(
        "they have waited longer than the timeout",
        () ->
            "true"
                .equals(
                    database.sql(
                        "SELECT (max(started_at) < clock_timestamp() - interval '1200 ms')::text"
                            + " FROM jobs WHERE state = 'running'")));
    assertEquals(
        "0",
        database.sql("SELECT count(*) FROM mark_lost_workers(interval '1 s', interval '500 ms')"));
    gate.open.countDown();
    Await.until("all have run", () -> jobs.count("succeeded") == 10);
    assertEquals(9, recorder.seen.size());
    assertEquals(
        "1", database.sql("SELECT string_agg(DISTINCT attempt::text, ',') FROM finished_jobs"));
    assertEquals("scheduled", jobs.state(later));
    rig.drain(worker);
  }
}
