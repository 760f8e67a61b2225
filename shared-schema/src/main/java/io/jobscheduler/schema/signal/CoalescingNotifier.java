package io.jobscheduler.schema.signal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BinaryOperator;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends NOTIFY, at most one per (channel, key) and window: the first at once, later ones merged and
 * sent at the window's end, so that the last word always goes out.
 *
 * <p>{@link #signal} never blocks on the database; one thread of its own sends, over connections
 * that it takes for one statement outside any job transaction. A send that fails is dropped:
 * whoever listens also polls. Thread-safe; one lock, held for map operations only.
 */
public final class CoalescingNotifier implements AutoCloseable {

  /** Where the sending thread takes a connection from; it closes it after one statement. */
  @FunctionalInterface
  public interface Connections {
    /** A connection in autocommit. */
    Connection get() throws SQLException;
  }

  /** What happened to a batch that could not be sent; called on the sending thread. */
  @FunctionalInterface
  public interface FailureListener {
    /** {@code lost} notifications were dropped because of {@code cause}. */
    void onFailure(int lost, SQLException cause);
  }

  private record Key(String channel, String key) {}

  private static final class Slot {
    final long windowNanos;
    final BinaryOperator<String> merge;
    @Nullable String pending;
    long openAtNanos;

    Slot(long windowNanos, BinaryOperator<String> merge, long now) {
      this.windowNanos = windowNanos;
      this.merge = merge;
      this.openAtNanos = now;
    }
  }

  private static final int MAX_IDLE_SLOTS = 10_000;

  private final Connections connections;
  private final FailureListener failures;
  private final LongSupplier nanoClock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<Key, Slot> slots = new HashMap<>();
  private final Thread thread;
  private boolean closed;

  /** Starts the sending thread, a daemon named {@code name}. */
  public CoalescingNotifier(String name, Connections connections, FailureListener failures) {
    this(name, connections, failures, System::nanoTime);
  }

  CoalescingNotifier(
      String name, Connections connections, FailureListener failures, LongSupplier nanoClock) {
    this.connections = Objects.requireNonNull(connections);
    this.failures = Objects.requireNonNull(failures);
    this.nanoClock = Objects.requireNonNull(nanoClock);
    this.thread = new Thread(this::run, name);
    this.thread.setDaemon(true);
    this.thread.start();
  }

  /**
   * Asks for a notification.
   *
   * @param channel one of {@link io.jobscheduler.schema.names.Channels}
   * @param key what is coalesced: signals of one channel and key share a window
   * @param payload at most 7,999 bytes, as Postgres allows
   * @param windowMillis at most one notification per key in so many milliseconds, 0 or more
   * @param merge what becomes of a waiting payload when another comes: (waiting, new) to what is
   *     sent
   */
  public void signal(
      String channel, String key, String payload, long windowMillis, BinaryOperator<String> merge) {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      long now = nanoClock.getAsLong();
      Slot slot =
          slots.computeIfAbsent(
              new Key(channel, key), k -> new Slot(windowMillis * 1_000_000, merge, now));
      slot.pending = slot.pending == null ? payload : slot.merge.apply(slot.pending, payload);
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Sends what is waiting and stops the thread. Waits at most five seconds for it. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
    try {
      thread.join(5_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    while (true) {
      List<String[]> due;
      boolean last;
      lock.lock();
      try {
        long now = nanoClock.getAsLong();
        long wait = takeDueOrWait(now, due = new ArrayList<>());
        last = closed;
        if (due.isEmpty() && !last) {
          if (wait < 0) {
            changed.await();
          } else {
            changed.awaitNanos(wait);
          }
          continue;
        }
      } catch (InterruptedException e) {
        return;
      } finally {
        lock.unlock();
      }
      send(due);
      if (last) {
        return;
      }
    }
  }

  /**
   * Moves what may be sent now into {@code due}; returns the nanoseconds until the next window
   * opens, or -1.
   */
  private long takeDueOrWait(long now, List<String[]> due) {
    long wait = -1;
    for (Map.Entry<Key, Slot> entry : slots.entrySet()) {
      Slot slot = entry.getValue();
      if (slot.pending == null) {
        continue;
      }
      long left = slot.openAtNanos - now;
      if (left <= 0 || closed) {
        due.add(new String[] {entry.getKey().channel(), slot.pending});
        slot.pending = null;
        slot.openAtNanos = now + slot.windowNanos;
      } else if (wait < 0 || left < wait) {
        wait = left;
      }
    }
    if (slots.size() > MAX_IDLE_SLOTS) {
      slots.values().removeIf(s -> s.pending == null && s.openAtNanos - now <= 0);
    }
    return wait;
  }

  // One statement for all that is due: one commit, one turn of the database-wide lock.
  private static final String NOTIFY_ALL = "SELECT pg_notify(c, p) FROM unnest(?, ?) AS n (c, p)";

  private void send(List<String[]> due) {
    if (due.isEmpty()) {
      return;
    }
    try (Connection connection = connections.get();
        PreparedStatement statement = connection.prepareStatement(NOTIFY_ALL)) {
      statement.setArray(
          1, connection.createArrayOf("text", due.stream().map(d -> d[0]).toArray()));
      statement.setArray(
          2, connection.createArrayOf("text", due.stream().map(d -> d[1]).toArray()));
      statement.execute();
    } catch (SQLException e) {
      failures.onFailure(due.size(), e);
    }
  }
}
