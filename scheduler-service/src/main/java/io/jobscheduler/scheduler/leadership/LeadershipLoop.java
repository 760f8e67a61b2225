package io.jobscheduler.scheduler.leadership;

import io.jobscheduler.scheduler.loop.Loop;
import io.jobscheduler.scheduler.loop.Loops;
import io.jobscheduler.scheduler.schema.SchemaWatch;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The thread of {@link Leadership}: apart from every pool, so that nothing else delays a beat. */
@Singleton
public class LeadershipLoop {
  private final Leadership leadership;
  private final SchemaWatch schema;
  private final Duration beat;
  private final Loop loop;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "jobs-leadership");

  LeadershipLoop(Leadership leadership, SchemaWatch schema, LeadershipConfig config, Loops loops) {
    this.leadership = leadership;
    this.schema = schema;
    this.beat = config.beat();
    this.loop = loops.add("leadership", beat);
  }

  void start(@Observes StartupEvent event) {
    thread.start();
  }

  void stop(@Observes ShutdownEvent event) throws InterruptedException {
    closing.countDown();
    thread.join(5_000);
  }

  private void run() {
    try {
      boolean closed = false;
      while (!closed) {
        long started = System.nanoTime();
        loop.turn(this::round);
        long rest = beat.toNanos() - (System.nanoTime() - started);
        closed = closing.await(Math.max(rest, 1), TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      // Closing the session frees the lock: a standby leads at its next beat.
      leadership.close();
    }
  }

  private void round() throws Exception {
    if (schema.mayWork(leadership.current().isPresent())) {
      leadership.runOnce();
    } else {
      leadership.close();
    }
  }
}
