package io.jobscheduler.worker.settle;

import io.jobscheduler.worker.database.Connections;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Releases, batch by batch, the children that a settle left to be told: those of wide fans, and of
 * jobs that were skipped. One thread; asked after each settle of a job that others may depend on.
 * What it does not get to, the leader's sweep does.
 */
public final class DependentsReleaser implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(DependentsReleaser.class);
  private static final int EDGES = 1_000;
  private static final int TRIES = 5;
  private static final long PAUSE_MILLIS = 200;

  private final SettleStore store;
  private final ReadyEvents events;
  private final Semaphore asked = new Semaphore(0);
  private final Thread thread = new Thread(this::runUntilClosed, "jobs-release");
  private final CountDownLatch closing = new CountDownLatch(1);

  /** Makes a releaser; {@code events} is told of what became ready. */
  public DependentsReleaser(Connections pool, ReadyEvents events) {
    this.store = new SettleStore(pool);
    this.events = events;
    thread.setDaemon(true);
  }

  /** Starts the thread. */
  public void start() {
    thread.start();
  }

  /** Asks for a look; never blocks. */
  public void ask() {
    asked.release();
  }

  private void runUntilClosed() {
    try {
      int failures = 0;
      while (true) {
        asked.acquire();
        asked.drainPermits();
        if (isClosed()) {
          return;
        }
        if (releaseAll()) {
          failures = 0;
        } else if (++failures < TRIES) {
          closing.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
          asked.release();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean releaseAll() {
    try {
      List<ReadyJob> ready = store.releasePending(EDGES);
      while (ready != null && !isClosed()) {
        if (!ready.isEmpty()) {
          events.ready(ready);
        }
        ready = store.releasePending(EDGES);
      }
      return true;
    } catch (SQLException | RuntimeException e) {
      LOG.warnf("Releasing dependents failed, will retry cause=%s", e.toString());
      return false;
    }
  }

  private boolean isClosed() {
    return closing.getCount() == 0;
  }

  @Override
  public void close() {
    closing.countDown();
    asked.release();
    try {
      thread.join(5_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
