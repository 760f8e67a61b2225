package io.jobscheduler.worker.claim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import io.jobscheduler.worker.Jobs;
import io.jobscheduler.worker.dispatch.Held;
import io.jobscheduler.worker.dispatch.HeldLeases;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The remembered heads on a real table: what becomes ready before the head does not wait. */
class HeadsPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();

  private final Jobs jobs = new Jobs(database);
  private final AtomicLong clock = new AtomicLong();
  private final WakeUps wakeUps = new WakeUps();
  private final List<Long> claimed = new ArrayList<>();
  private int queue;
  private Claimer claimer;

  private final ClaimSink sink =
      new ClaimSink() {
        @Override
        public boolean dispatch(List<Held> jobs) {
          jobs.forEach(held -> claimed.add(held.job().id()));
          return true;
        }

        @Override
        public void release(long jobId, long leaseToken, @Nullable Integer workflowId) {
          throw new AssertionError("nothing to give back");
        }

        @Override
        public void revoked(Held held) {
          throw new AssertionError("nothing to revoke");
        }

        @Override
        public void room(int queueId) {}

        @Override
        public void queuesRead(List<QueueInfo> served) {}
      };

  @BeforeEach
  void start() {
    queue = jobs.queue("mail");
    claimer =
        new Claimer(
            1,
            database.dataSource(Role.WORKER)::getConnection,
            List.of(QueuePattern.of("*/*")),
            new HeldLeases(),
            wakeUps,
            () -> 3,
            new Prefetch(1, 0, Duration.ofMillis(10)),
            () -> true,
            () -> {},
            sink,
            clock::get,
            new Claimer.Rhythm(Duration.ofSeconds(1), Duration.ofDays(1)));
  }

  /** Turns until nothing more is asked; returns what was claimed. */
  private List<Long> claim() {
    claimed.clear();
    while (claimer.runOnce() == 0) {
      continue;
    }
    return List.copyOf(claimed);
  }

  private List<Long> pollAndClaim() {
    clock.addAndGet(Duration.ofSeconds(1).toNanos());
    return claim();
  }

  private void wake(long id, long key) {
    wakeUps.ready(List.of(new ReadyPlace(queue, 4, new Position(key, id))));
  }

  private long at(long key) {
    return jobs.ready(queue, "t", null, 4, key);
  }

  @Test
  void lateCommitBeforeTheHeadIsFoundByItsWakeUp() throws Exception {
    try (Connection late = database.connect(Role.OWNER);
        Statement statement = late.createStatement()) {
      late.setAutoCommit(false);
      statement.execute(
          "INSERT INTO jobs.jobs (id, project_id, queue_id, type, state, dispatch_key, ready_at)"
              + " SELECT 77, project_id, id, 't', 'ready', 100, clock_timestamp() FROM"
              + " jobs.queues");
      long after = at(200);
      assertEquals(List.of(after), claim());
      late.commit();
    }
    assertEquals(List.of(), claim(), "nobody has said anything");
    wake(77, 100);
    assertEquals(List.of(77L), claim());
    // The extra scan did not move the head back or forth.
    long next = at(250);
    wake(next, 250);
    assertEquals(List.of(next), claim());
  }

  @Test
  void moreJobsBeforeTheHeadThanOneClaimTakesAreAllFound() {
    long high = at(1_000);
    assertEquals(List.of(high), claim());
    List<Long> early = new ArrayList<>();
    for (int key = 10; key < 18; key++) {
      early.add(at(key));
    }
    wake(early.get(0), 10);
    assertEquals(early, claim().stream().sorted().toList());
  }

  @Test
  void emptyLaneIsFoundAgainByThePollWithoutAnyNotification() {
    assertEquals(List.of(), claim());
    long unannounced = at(500);
    assertEquals(List.of(), claim());
    assertEquals(List.of(unannounced), pollAndClaim());
  }

  @Test
  void moreUrgentLaneIsFoundByThePollWhileAnotherIsBusy() {
    at(1);
    claim();
    long urgent = jobs.ready(queue, "t", null, 9, 5L);
    assertEquals(List.of(urgent), pollAndClaim());
  }

  @Test
  void leadersNoteFindsWhatNoWakeUpTold() {
    assertEquals(List.of(at(1_000)), claim());
    long early = at(10);
    assertEquals(List.of(), pollAndClaim());
    database.sql("UPDATE jobs SET ready_at = ready_at - interval '2 s'");
    database.sql("SELECT note_queue_heads()");
    assertEquals(List.of(early), pollAndClaim());
    assertEquals(List.of(), pollAndClaim(), "the same note again is no news");
  }

  @Test
  void onceAMinuteEverythingIsFoundWithoutLeaderAndWakeUps() {
    assertEquals(List.of(at(1_000)), claim());
    long early = at(10);
    assertEquals(List.of(), pollAndClaim());
    clock.addAndGet(Duration.ofSeconds(60).toNanos());
    assertEquals(List.of(early), pollAndClaim());
  }

  @Test
  void headsHoldInEachOfTenPriorities() {
    List<Long> ids = new ArrayList<>();
    for (int priority = 0; priority <= 9; priority++) {
      for (int key = 1; key <= 3; key++) {
        ids.add(jobs.ready(queue, "t", null, priority, (long) key));
      }
    }
    assertEquals(ids, claim().stream().sorted().toList());
    // And again behind the heads.
    long low = jobs.ready(queue, "t", null, 0, 9L);
    long high = jobs.ready(queue, "t", null, 9, 9L);
    assertEquals(List.of(low, high), pollAndClaim().stream().sorted().toList());
  }
}
