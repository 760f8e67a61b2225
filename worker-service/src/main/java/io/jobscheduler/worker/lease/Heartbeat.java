package io.jobscheduler.worker.lease;

import io.jobscheduler.worker.database.Connections;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Beats for one incarnation over a connection of its own, and gives the alarm once when the leases
 * can no longer be trusted.
 *
 * <p>Two threads, so that neither depends on the other: one sits in the beat's socket, the other
 * watches the fence by the clock and tears the connection off when it falls. Neither takes a lock
 * that a handler, the claimer or the pool could hold.
 */
public final class Heartbeat implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(Heartbeat.class);
  private static final long RETRY_NANOS = 200_000_000;
  private static final int GOODBYE_MILLIS = 2_000;

  private final Connections direct;
  private final WorkerStore store = new WorkerStore();
  private final long worker;
  private final Timings timings;
  private final Supplier<BeatReport> report;
  private final LongSupplier clock;
  private final Consumer<BeatReply> heard;
  private final Consumer<Loss> alarm;
  private final Fence fence;
  private final AtomicReference<@Nullable Loss> loss = new AtomicReference<>();
  private final Thread beatThread;
  private final Thread fenceThread;
  private volatile @Nullable Connection connection;
  private volatile boolean locked;
  private volatile boolean closed;
  private volatile boolean broken;

  /**
   * Takes over a connection on which the incarnation is registered and locked.
   *
   * @param registeredNanos the clock when the registration was sent
   * @param heard called on the beat's thread with what each beat learns of a live worker; must not
   *     block
   * @param alarm called once at most, on a thread of this class; must not block for long
   */
  public Heartbeat(
      Connections direct,
      Connection connection,
      long worker,
      Timings timings,
      long registeredNanos,
      Supplier<BeatReport> report,
      LongSupplier clock,
      Consumer<BeatReply> heard,
      Consumer<Loss> alarm) {
    this.direct = direct;
    this.connection = connection;
    this.locked = true;
    this.worker = worker;
    this.timings = timings;
    this.report = report;
    this.clock = clock;
    this.heard = heard;
    this.alarm = alarm;
    this.fence = new Fence(timings, registeredNanos);
    this.beatThread = new Thread(this::beatUntilClosed, "jobs-beat");
    this.fenceThread = new Thread(this::watchUntilClosed, "jobs-fence");
    beatThread.setDaemon(true);
    fenceThread.setDaemon(true);
  }

  /** Starts both threads. */
  public void start() {
    beatThread.start();
    fenceThread.start();
  }

  /** Whether the leases may be trusted right now. */
  public boolean isTrusted() {
    return loss.get() == null && !fence.isDown(clock.getAsLong());
  }

  /** Whether a beat sent not longer ago than the shorter deadline was confirmed. */
  public boolean isFresh() {
    return loss.get() == null
        && fence.ageNanos(clock.getAsLong()) < timings.fenceWhenBroken().toNanos() * 3 / 2;
  }

  /** Asks for a beat now, for example since draining began. */
  public void beatNow() {
    LockSupport.unpark(beatThread);
  }

  private void beatUntilClosed() {
    while (!closed && loss.get() == null) {
      long wait = beatOnce();
      if (!closed) {
        LockSupport.parkNanos(wait);
      }
    }
  }

  /** One beat; returns the nanoseconds to wait before the next. */
  private long beatOnce() {
    long sent = clock.getAsLong();
    try {
      Connection current = connection;
      if (current == null) {
        current = direct.open();
        connection = current;
        locked = false;
      }
      // The lock first: from the moment a beat over a new connection is noted, its absence is
      // judged.
      if (!locked) {
        locked = store.lockIncarnation(current, worker);
      }
      BeatReply reply = store.beat(current, worker, report.get());
      if (!reply.alive()) {
        lose(Loss.DECLARED);
        return 0;
      }
      if (broken) {
        LOG.infof("Heartbeat connection restored worker_id=%d", worker);
      }
      broken = false;
      fence.confirmed(sent, locked);
      heard.accept(reply);
      return Math.max(0, timings.beat().toNanos() - (clock.getAsLong() - sent));
    } catch (SQLException | RuntimeException e) {
      if (!closed && loss.get() == null && !broken) {
        LOG.warnf("Heartbeat connection broke worker_id=%d cause=%s", worker, e.toString());
      }
      long pause = broken ? RETRY_NANOS : 0;
      broken = true;
      fence.broken();
      LockSupport.unpark(fenceThread);
      discard();
      return pause;
    }
  }

  private void watchUntilClosed() {
    while (!closed && loss.get() == null) {
      long left = fence.deadlineNanos() - clock.getAsLong();
      if (left <= 0) {
        lose(broken ? Loss.BROKEN : Loss.SILENT);
      } else {
        LockSupport.parkNanos(left);
      }
    }
  }

  private void lose(Loss reason) {
    if (!closed && loss.compareAndSet(null, reason)) {
      alarm.accept(reason);
      discard();
      LockSupport.unpark(beatThread);
      LockSupport.unpark(fenceThread);
    }
  }

  /** Says good-bye and closes. Whatever this incarnation still holds may be swept at once. */
  public void stop() throws SQLException {
    endThreads();
    try (Connection last = connection == null ? direct.open() : connection) {
      // Nobody watches this connection any more: a silent one must not keep the process.
      last.setNetworkTimeout(Runnable::run, GOODBYE_MILLIS);
      store.stopWorker(last, worker);
    } finally {
      connection = null;
    }
  }

  /** Ends both threads and the connection, and with it the session lock. */
  @Override
  public void close() {
    endThreads();
    discard();
  }

  private void endThreads() {
    closed = true;
    LockSupport.unpark(beatThread);
    LockSupport.unpark(fenceThread);
    join(beatThread);
    join(fenceThread);
  }

  private void join(Thread thread) {
    if (thread == Thread.currentThread()) {
      return;
    }
    try {
      thread.join(1_000);
      if (thread.isAlive()) {
        discard();
        thread.join(1_000);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Closes without waiting for an answer: a silent socket must not hold anyone. */
  private void discard() {
    Connection current = connection;
    connection = null;
    locked = false;
    if (current != null) {
      try {
        current.abort(Runnable::run);
      } catch (SQLException e) {
        LOG.debugf("Heartbeat connection could not be aborted worker_id=%d", worker);
      }
    }
  }
}
