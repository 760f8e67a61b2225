package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Twenty workers on one queue whose limit is lowered and raised while some of them die. */
class LimitHammerPgTest {
  private static final int WORKERS = 20;
  private static final int SLOTS = 8;
  private static final int LIMIT = 3;

  @RegisterExtension final TestDatabase database = new TestDatabase();

  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicLong workerIds = new AtomicLong(100);
  private final AtomicInteger samples = new AtomicInteger();
  private final AtomicInteger deaths = new AtomicInteger();
  // When, in microseconds, each limit came into force; the clock is read under the queue's lock.
  private final TreeMap<Long, Integer> limits = new TreeMap<>();
  private Sql sql;
  private int queue;

  @Test
  void neverMoreRunThanTheLimitOrThanRanWhenItWasLowered() throws Exception {
    hammer(6);
  }

  @Test
  @Tag("long")
  void neverMoreRunThanTheLimitForAMinute() throws Exception {
    hammer(60);
  }

  private void hammer(int seconds) throws Exception {
    sql = new Sql(database);
    queue = sql.queue(sql.project("acme"), "limited", LIMIT);
    limits.put(0L, LIMIT);
    sql.ready(queue, seconds * 4_000);
    ExecutorService threads = Executors.newFixedThreadPool(WORKERS + 2);
    List<Future<?>> all = new ArrayList<>();
    try {
      for (int i = 0; i < WORKERS; i++) {
        long seed = i;
        all.add(threads.submit(() -> work(new Random(seed))));
      }
      all.add(threads.submit(this::sample));
      all.add(threads.submit(this::changeLimits));
      long end = System.nanoTime() + Duration.ofSeconds(seconds).toNanos();
      while (System.nanoTime() - end < 0 && all.stream().noneMatch(Future::isDone)) {
        LockSupport.parkNanos(20_000_000);
      }
      over.set(true);
      for (Future<?> one : all) {
        one.get(60, TimeUnit.SECONDS);
      }
    } finally {
      over.set(true);
      threads.shutdownNow();
    }
    assertTrue(deaths.get() > 0, deaths + " workers died");
    assertTrue(samples.get() > 100, samples + " samples");
    assertTrue(limits.size() > 2, limits.size() + " limits");
    assertEveryStartHadRoom();
  }

  /**
   * Claims all that it can, runs it for a moment, settles; sometimes dies at some point of that.
   */
  private Void work(Random random) throws SQLException {
    while (!over.get()) {
      long id = sql.worker(workerIds.incrementAndGet());
      try (Connection worker = sql.asWorker()) {
        worker.setAutoCommit(false);
        boolean alive = true;
        for (int claim = 1; alive && !over.get(); claim++) {
          List<Sql.Claimed> jobs = sql.claim(worker, id, claim, queue, SLOTS);
          boolean dies = !jobs.isEmpty() && random.nextInt(10) == 0;
          if (dies && random.nextBoolean()) {
            // In the middle of its claim, which then has not happened.
            worker.rollback();
            alive = false;
            continue;
          }
          worker.commit();
          LockSupport.parkNanos(random.nextInt(4_000_000));
          alive = !dies;
          if (alive && !jobs.isEmpty()) {
            sql.settle(worker, id, jobs, new Integer[jobs.size()], "succeeded", null);
            worker.commit();
          }
        }
        if (!alive) {
          deaths.incrementAndGet();
          database.sql("UPDATE workers SET lost_at = clock_timestamp() WHERE id = " + id);
          database.sql("SELECT count(*) FROM rescue_jobs(1000, false)");
        }
      }
    }
    return null;
  }

  /** Limit and count of one snapshot. What runs above a limit that was lowered never grows. */
  private Void sample() throws SQLException {
    try (Connection owner = database.connect(Role.OWNER);
        Statement statement = owner.createStatement()) {
      int most = LIMIT;
      while (!over.get()) {
        try (ResultSet row =
            statement.executeQuery(
                "SELECT (SELECT max_concurrency FROM jobs.queues WHERE id = "
                    + queue
                    + "), count(*) FROM jobs.jobs WHERE state = 'running'")) {
          row.next();
          int limit = row.getInt(1);
          int running = row.getInt(2);
          assertTrue(running <= Math.max(limit, most), running + " ran, limit " + limit);
          most = Math.max(limit, Math.min(most, running));
        }
        samples.incrementAndGet();
      }
    }
    return null;
  }

  private Void changeLimits() throws SQLException {
    Random random = new Random(7);
    try (Connection api = database.connect(Role.API);
        Statement statement = api.createStatement()) {
      while (!over.get()) {
        // So that every limit is sampled.
        int before = samples.get();
        while (samples.get() < before + 20 && !over.get()) {
          LockSupport.parkNanos(1_000_000);
        }
        if (over.get()) {
          break;
        }
        int limit = limits.lastEntry().getValue() == LIMIT ? 1 + random.nextInt(9) : LIMIT;
        statement.execute(
            "SELECT jobs.set_queue_limits(%d, %d, NULL, NULL, NULL, NULL)".formatted(queue, limit));
        try (ResultSet row =
            statement.executeQuery(
                "SELECT jobs.micros(updated_at) FROM jobs.queues WHERE id = " + queue)) {
          row.next();
          limits.put(row.getLong(1), limit);
        }
      }
    }
    return null;
  }

  /** From the record: with each start, no more ran than the limit then in force. */
  private void assertEveryStartHadRoom() throws SQLException {
    int starts = 0;
    int running = 0;
    try (Connection owner = database.connect(Role.OWNER);
        Statement statement = owner.createStatement();
        ResultSet row =
            statement.executeQuery(
                """
                WITH run AS (
                  SELECT started_at, finished_at AS ended_at FROM jobs.finished_jobs WHERE started_at IS NOT NULL
                  UNION ALL SELECT started_at, ended_at FROM jobs.attempts
                  UNION ALL SELECT started_at, ended_at FROM jobs.finished_attempts
                  UNION ALL SELECT started_at, NULL FROM jobs.jobs WHERE state = 'running')
                SELECT jobs.micros(started_at), 1 FROM run
                UNION ALL SELECT jobs.micros(ended_at), -1 FROM run WHERE ended_at IS NOT NULL
                 ORDER BY 1, 2
                """)) {
      while (row.next()) {
        running += row.getInt(2);
        if (row.getInt(2) > 0) {
          starts++;
          int limit = limits.floorEntry(row.getLong(1)).getValue();
          int now = running;
          assertTrue(now <= limit, () -> now + " ran after a start, limit " + limit);
        }
      }
    }
    assertTrue(starts > 100, starts + " starts");
    assertEquals(running, sql.number("SELECT count(*) FROM jobs WHERE state = 'running'"));
  }
}
