package io.jobscheduler.localstack.judge;

import io.jobscheduler.localstack.postgres.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the running system about every 100 ms, each time by one statement: the running jobs of
 * each limited queue and key against its limit. It connects anew for as long as it takes. Nothing
 * is known of limits that were changed before it was started.
 */
public final class Observer implements AutoCloseable {
  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final int NETWORK_TIMEOUT_MILLIS = 5_000;

  private final Database database;
  private final LimitWatch watch = new LimitWatch();
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "jobs-observer");
  private long samples;
  private long failures;
  private long lastNanos;
  private long longestGapNanos;
  private long narrowest = Long.MAX_VALUE;
  private @Nullable Long nanosMinusMicros;
  private boolean stopped;
  private long least = Long.MAX_VALUE;
  private long most = Long.MIN_VALUE;

  public Observer(Database database) {
    this.database = database;
    thread.setDaemon(true);
  }

  /** Begins to look, on a thread of its own. */
  public void start() {
    thread.start();
  }

  private void run() {
    lastNanos = System.nanoTime();
    boolean on = true;
    while (on) {
      try (Connection connection = database.open()) {
        connection.setNetworkTimeout(Runnable::run, NETWORK_TIMEOUT_MILLIS);
        try (PreparedStatement statement = connection.prepareStatement(LIMITS_NOW)) {
          while (on) {
            look(statement);
            on = !awaitStop();
          }
        }
      } catch (SQLException | RuntimeException away) {
        // Whatever it was: one that looks no more would let everything pass.
        failures++;
        on = !awaitStop();
      }
    }
  }

  private boolean awaitStop() {
    try {
      return stopping.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      return true;
    }
  }

  // One statement, so one snapshot. The counts by jobs_running; every queue, so that an edit of any
  // is seen. now() is before the snapshot, which clock_timestamp() is not: an edit that the
  // snapshot
  // lacks comes after it.
  private static final String LIMITS_NOW =
      """
      SELECT q.id, p.name || '/' || q.name, q.max_concurrency, q.per_key_concurrency,
             jobs.micros(q.updated_at), coalesce(r.running, 0), coalesce(k.most, 0), k.key,
             jobs.micros(clock_timestamp()), jobs.micros(now())
        FROM jobs.queues q
        JOIN jobs.projects p ON p.id = q.project_id
        LEFT JOIN (SELECT j.queue_id, count(*) AS running FROM jobs.jobs j
                    WHERE j.state = 'running' GROUP BY j.queue_id) r ON r.queue_id = q.id
        LEFT JOIN (SELECT DISTINCT ON (c.queue_id) c.queue_id, c.concurrency_key AS key,
                          c.running AS most
                     FROM (SELECT j.queue_id, j.concurrency_key, count(*) AS running
                             FROM jobs.jobs j
                            WHERE j.state = 'running' AND j.concurrency_key IS NOT NULL
                            GROUP BY j.queue_id, j.concurrency_key) c
                    ORDER BY c.queue_id, c.running DESC) k ON k.queue_id = q.id
      """;

  private void look(PreparedStatement statement) throws SQLException {
    List<LimitWatch.Sample> seen = new ArrayList<>();
    long micros = 0;
    long snapshot = 0;
    long before = System.nanoTime();
    try (ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        seen.add(
            new LimitWatch.Sample(
                row.getInt(1),
                row.getString(2),
                row.getObject(3, Integer.class),
                row.getObject(4, Integer.class),
                row.getLong(5),
                row.getInt(6),
                row.getInt(7),
                row.getString(8)));
        micros = row.getLong(9);
        snapshot = row.getLong(10);
      }
    }
    long after = System.nanoTime();
    watch.see(seen, snapshot);
    samples++;
    longestGapNanos = Math.max(longestGapNanos, before - lastNanos);
    lastNanos = after;
    if (micros != 0) {
      compareClocks(before, after, micros * 1000);
    }
  }

  /**
   * The database's clock was read in between, so the difference was at least this, at most that.
   */
  private void compareClocks(long before, long after, long databaseNanos) {
    most = Math.max(most, before - databaseNanos);
    least = Math.min(least, after - databaseNanos);
    if (after - before < narrowest) {
      narrowest = after - before;
      nanosMinusMicros = before + (after - before) / 2 - databaseNanos;
    }
  }

  private long clockSlackNanos() {
    Long found = nanosMinusMicros;
    return found == null ? 0 : narrowest / 2 + Math.max(0, Math.max(most - found, found - least));
  }

  /** Ends and tells what it saw; the same when asked again. */
  public Observations stop() {
    stopping.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!stopped) {
      // One that stopped looking early is told by this.
      longestGapNanos = Math.max(longestGapNanos, System.nanoTime() - lastNanos);
      stopped = true;
    }
    return new Observations(
        samples,
        failures,
        watch.checks(),
        watch.over(),
        watch.overCount(),
        watch.rules(),
        nanosMinusMicros,
        clockSlackNanos(),
        TimeUnit.NANOSECONDS.toMillis(longestGapNanos));
  }

  @Override
  public void close() {
    stop();
  }
}
