package io.jobscheduler.scheduler.promote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.scheduler.loop.PoisonRows;
import io.jobscheduler.scheduler.signal.ReadyJob;
import io.jobscheduler.scheduler.testing.Await;
import io.jobscheduler.scheduler.testing.Background;
import io.jobscheduler.scheduler.testing.Buffers;
import io.jobscheduler.scheduler.testing.Configs;
import io.jobscheduler.scheduler.testing.Hearing;
import io.jobscheduler.scheduler.testing.Jobs;
import io.jobscheduler.scheduler.testing.LogCapture;
import io.jobscheduler.scheduler.testing.SchedulerRig;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PromoterPgTest {
  private static final String DUE = "'scheduled', clock_timestamp() - interval '1 s'";

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private SchedulerRig rig;
  private Jobs jobs;

  @BeforeEach
  void lead() throws SQLException {
    rig = SchedulerRig.leading(database);
    jobs = new Jobs(database);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  void promotesAllThatIsDueInBoundedBatches() throws Exception {
    jobs.insert(2_500, "state, run_at", DUE);
    assertEquals(1_000, promoteBatch().size());

    promoter("PT1M").runOnce();

    assertEquals(2_500, jobs.count("ready"));
    assertEquals(List.of(), promoteBatch());
  }

  @Test
  void leavesWhatIsNotDue() throws Exception {
    jobs.insert(3, "state, run_at", "'scheduled', clock_timestamp() + interval '1 h'");
    jobs.insert(2, "state, run_at", "'retrying', clock_timestamp() - interval '1 ms'");

    promoter("PT1M").runOnce();

    assertEquals(3, jobs.count("scheduled"));
    assertEquals(2, jobs.count("ready"));
  }

  @Test
  void passesOverRowsThatAnotherHolds() throws Exception {
    jobs.insert(10, "state, run_at", DUE);
    try (Connection other = database.connect(Role.OWNER);
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("SELECT 1 FROM jobs.jobs ORDER BY run_at, id LIMIT 4 FOR UPDATE");
      assertEquals(6, promoteBatch().size());
      other.rollback();
    }
    assertEquals(4, promoteBatch().size());
  }

  @Test
  void twoAtOncePromoteEachJobOnce() throws Exception {
    jobs.insert(4_000, "state, run_at", DUE);

    Background<List<ReadyJob>> beside = Background.start(this::promoteUntilNone);
    List<ReadyJob> here = promoteUntilNone();

    List<ReadyJob> both = Stream.concat(here.stream(), beside.result().stream()).toList();
    Set<ReadyJob> distinct = new HashSet<>(both);
    assertEquals(4_000, distinct.size());
    assertEquals(4_000, both.size());
  }

  /** Fails when the delay queue gives nothing out: the next look is a minute away. */
  @Test
  void jobBecomesReadyAtItsInstant() throws Exception {
    jobs.insert(1, "state, run_at", "'scheduled', clock_timestamp() + interval '2 s'");
    Promoter promoter = promoter("PT1M");
    promoter.runOnce();
    assertEquals(1, jobs.count("scheduled"), "the first round only looks ahead");

    turnUntilReady(promoter).result();

    assertEquals(
        "true",
        database.sql(
            "SELECT bool_and(ready_at >= run_at AND ready_at < run_at + interval '20 s')::text"
                + " FROM jobs"));
  }

  /** Fails when the signal does not end the wait: the next look is a minute away. */
  @Test
  void jobScheduledWhileItWaitsBecomesReadyAtItsInstant() throws Exception {
    Promoter promoter = promoter("PT1M");
    promoter.runOnce();
    Background<Void> waiting = turnUntilReady(promoter);
    jobs.insert(1, "state, run_at", "'scheduled', clock_timestamp() + interval '200 ms'");
    try (DueListener listener =
        new DueListener(
            rig.leadership,
            rig.connections,
            this::notifyDue,
            promoter::heard,
            () -> {},
            Duration.ofSeconds(10))) {
      listener.runOnce();
    }

    waiting.result();
  }

  @Test
  void changeOfAScheduleIsPassedOn() throws Exception {
    CountDownLatch changed = new CountDownLatch(1);
    try (DueListener listener =
        new DueListener(
            rig.leadership,
            rig.connections,
            () -> database.sql("NOTIFY schedules_due, '1'"),
            instant -> {},
            changed::countDown,
            Duration.ofSeconds(10))) {
      listener.runOnce();
    }

    assertEquals(0, changed.getCount());
  }

  @Test
  void newListenerMakesThePromoterLookForWhatItMissed() throws Exception {
    Promoter promoter = promoter("PT1M");
    promoter.runOnce();
    jobs.insert(1, "state, run_at", DUE);
    try (DueListener listener =
        new DueListener(
            rig.leadership,
            rig.connections,
            promoter::lookAgain,
            promoter::heard,
            () -> {},
            Duration.ofMillis(1))) {
      listener.runOnce();
    }

    promoter.runOnce();

    assertEquals(1, jobs.count("ready"));
  }

  @Test
  void looksOnWhenTheWindowWasTooSmall() throws Exception {
    jobs.insert(30, "state, run_at", "'scheduled', clock_timestamp() + i * interval '10 ms'");
    Promoter promoter =
        promoter("jobs.scheduler.promote.look-every", "PT1M", "jobs.scheduler.promote.window", "5");

    Background<Void> rounds =
        Background.start(
            () -> {
              while (jobs.count("ready") < 30) {
                promoter.runOnce();
              }
              return null;
            });
    rounds.result();
  }

  @Test
  void standbyPromotesNothing() throws Exception {
    jobs.insert(1, "state, run_at", DUE);
    Promoter promoter = promoter("PT0.01S");
    rig.leadership.close();

    promoter.runOnce();

    assertEquals(1, jobs.count("scheduled"));
  }

  @Test
  void tellsTheFirstOfTheQueueInTheOrderOfDispatch() throws Exception {
    jobs.insert(3, "state, run_at, priority, dispatch_lane", DUE + ", 4 + i % 2, 4 + i % 2");
    try (Hearing workers = new Hearing(database, "jobs_ready");
        Hearing dashboard = new Hearing(database, "jobs_changed")) {
      promoter("PT1M").runOnce();

      String first =
          database.sql(
              "SELECT queue_id || ':' || dispatch_lane || ':' || dispatch_key || ':' || id"
                  + " FROM jobs ORDER BY dispatch_lane DESC, dispatch_key, id LIMIT 1");
      assertEquals(first, workers.next());
      assertEquals("p jobs,queues", dashboard.next());
    }
  }

  /** Symptom: each promotion read through every job that was not yet due. */
  @Test
  void readsOnlyWhatIsDue() throws Exception {
    // Scattered, so that each one read costs a buffer.
    jobs.insert(
        20_000,
        "state, run_at",
        "'scheduled', clock_timestamp() + interval '1 h' + (i * 7919 % 20000) * interval '1 s'");
    jobs.insert(5, "state, run_at", DUE);
    database.sql("ANALYZE jobs");

    long buffers = Buffers.of(database, "SELECT * FROM jobs.promote_due(1000)");
    assertTrue(buffers < 5_000, "buffers read: " + buffers);
    long ahead = Buffers.of(database, "SELECT * FROM jobs.due_ahead(interval '10 min', 1000)");
    assertTrue(ahead < 5_000, "buffers read: " + ahead);
  }

  private Background<Void> turnUntilReady(Promoter promoter) {
    return Background.start(
        () -> {
          while (jobs.count("ready") < 1) {
            promoter.runOnce();
          }
          return null;
        });
  }

  private void notifyDue() {
    database.sql("SELECT pg_notify('jobs_due', micros(min(run_at))::text) FROM jobs");
  }

  private List<ReadyJob> promoteBatch() throws SQLException {
    return rig.transactions.run(rig.term(), t -> PromoteStore.promoteDue(t, 1_000));
  }

  private List<ReadyJob> promoteUntilNone() throws SQLException {
    List<ReadyJob> all = new ArrayList<>();
    List<ReadyJob> batch;
    do {
      batch = rig.transactions.run(rig.term(), t -> PromoteStore.promoteDue(t, 100));
      all.addAll(batch);
    } while (!batch.isEmpty());
    return all;
  }

  private Promoter promoter(String lookEvery) {
    return promoter("jobs.scheduler.promote.look-every", lookEvery);
  }

  private Promoter promoter(String... keysAndValues) {
    return new Promoter(
        rig.leadership,
        rig.transactions,
        rig.dataSource,
        rig.signals,
        Configs.of(PromoteConfig.class, keysAndValues),
        rig.loops.add("promotion", Duration.ZERO),
        System::nanoTime);
  }

  @Test
  void jobsThatCannotBePromotedHoldUpNobodyAndAreReportedOnce() throws Exception {
    jobs.insert(40, "state, run_at, priority", DUE + ", CASE WHEN i < 3 THEN 0 ELSE 4 END");
    database.sql(
        "ALTER TABLE jobs ADD CONSTRAINT poison CHECK (NOT (priority = 0 AND state = 'ready'))");
    Promoter promoter =
        promoter(
            "jobs.scheduler.promote.batch", "8", "jobs.scheduler.promote.look-every", "PT0.1S");
    try (LogCapture log = LogCapture.of(PoisonRows.class)) {
      Await.until(
          "the others are ready",
          Duration.ofSeconds(10),
          () -> {
            promoter.runOnce();
            return jobs.count("ready") == 38;
          });
      assertEquals(2, log.messages().size(), log.messages()::toString);
      assertTrue(log.messages().get(0).contains("loop=promotion job_id=1 reason="));
    }
    assertEquals(2, jobs.count("scheduled"));
  }
}
