package io.jobscheduler.worker.lease;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import io.jobscheduler.worker.Wire;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class HeartbeatPgTest {
  private static final long WORKER = 77;

  @RegisterExtension final TestDatabase database = new TestDatabase();

  /**
   * A beat over a new connection is confirmed, the former session still holds the lock. Once that
   * one is gone the scheduler takes silence for loss after 2.5 beats, so the fence must not wait
   * for the silence of a connection that has the lock.
   */
  @Test
  void silenceOfAConnectionWithoutTheLockFencesEarly() throws Exception {
    Timings timings = new Timings(Duration.ofSeconds(1), Duration.ofSeconds(60));
    WorkerStore store = new WorkerStore();
    AtomicReference<@Nullable Loss> loss = new AtomicReference<>();
    CountDownLatch lost = new CountDownLatch(1);
    try (Wire wire = new Wire(database);
        Connection former = database.connect(Role.WORKER)) {
      Connection registered = wire.connections().open();
      long sent = System.nanoTime();
      store.registerWorker(
          registered, WORKER, new WorkerIdentity("h", 1, "test", List.of("*/*"), 1), false);
      assertTrue(store.lockIncarnation(former, WORKER));
      try (Heartbeat heartbeat =
          new Heartbeat(
              wire.connections(),
              registered,
              WORKER,
              timings,
              sent,
              () -> new BeatReport(0, false, new long[0]),
              System::nanoTime,
              reply -> {},
              reason -> {
                loss.set(reason);
                lost.countDown();
              })) {
        heartbeat.start();
        awaitBeatAfter(beat());
        wire.breakAll();
        // Two beats over the new connection: without the lock, and yet trusted.
        awaitBeatAfter(beat());
        awaitBeatAfter(beat());
        assertNull(loss.get());
        wire.goSilent();
        assertTrue(lost.await(10, TimeUnit.SECONDS), "silence is endured for 48 s");
      }
    }
  }

  /** Symptom: the good-bye waited for an answer that a silent network never brings. */
  @Test
  void goodByeDoesNotWaitForASilentNetwork() throws Exception {
    WorkerStore store = new WorkerStore();
    try (Wire wire = new Wire(database)) {
      Connection registered = wire.connections().open();
      store.registerWorker(
          registered, WORKER, new WorkerIdentity("h", 1, "test", List.of("*/*"), 1), false);
      String before = beat();
      Heartbeat heartbeat =
          new Heartbeat(
              wire.connections(),
              registered,
              WORKER,
              new Timings(Duration.ofSeconds(60), Duration.ofSeconds(600)),
              System.nanoTime(),
              () -> new BeatReport(0, false, new long[0]),
              System::nanoTime,
              reply -> {},
              reason -> {});
      heartbeat.start();
      // Now it sleeps for a minute, and the connection is idle.
      awaitBeatAfter(before);
      wire.goSilent();
      assertThrows(SQLException.class, heartbeat::stop);
    }
  }

  private String beat() {
    return database.sql("SELECT beat_at FROM workers");
  }

  private void awaitBeatAfter(String former) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (beat().equals(former)) {
      assertTrue(System.nanoTime() - deadline < 0, "no beat came");
    }
  }
}
