package io.jobscheduler.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.TestDatabase;
import io.jobscheduler.worker.TestHandlers.Gate;
import io.jobscheduler.worker.TestHandlers.Recorder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Workers on limited queues. Where a poll would find it too, polls are hours apart. */
class LimitedQueuesPgTest {
  @RegisterExtension
  @Order(1)
  final TestDatabase database = new TestDatabase();

  @RegisterExtension
  @Order(2)
  final Rig rig = new Rig(database);

  private final Jobs jobs = new Jobs(database);
  private final Recorder recorder = new Recorder();
  private final Gate gate = new Gate();

  private void limits(int queue, String limits) {
    database.sql("SELECT set_queue_limits(%d, %s)".formatted(queue, limits));
  }

  private void key(String key, long... ids) {
    database.sql(
        "UPDATE jobs SET concurrency_key = '%s' WHERE id = ANY (%s)"
            .formatted(key, Jobs.array(ids)));
  }

  /**
   * A worker that drains ends the job that kept the queue full, and asks for no other: the other
   * worker, whose claims had come back empty, hears of it.
   */
  @Test
  void anotherWorkerHearsThatASlotOfALimitedQueueIsFree() throws Exception {
    int queue = jobs.queue("one", 1, 1);
    WorkerProcess first = rig.ready(gate, recorder);
    long holding = jobs.ready(queue, "gate", null);
    Await.until("the queue is full", () -> gate.entered.contains(holding));
    long waiting = jobs.ready(queue, "record", null);

    rig.poll = Duration.ofHours(1);
    rig.ready(gate, recorder);
    Await.until("both listen", () -> jobs.listeners() == 2);
    CompletableFuture<Void> drained = CompletableFuture.runAsync(() -> rig.drain(first));
    Await.until(
        "it drains, and the other one's tries are over",
        () -> jobs.number(DRAINING_AND_RESTING) == 11);
    gate.open.countDown();
    Await.until("the other worker runs it", () -> recorder.ids().contains(waiting));
    drained.get(20, TimeUnit.SECONDS);
    assertEquals("succeeded", jobs.state(holding));
  }

  // Nothing in the record shows that a claimer rests; its two short retries take 45 ms.
  private static final String DRAINING_AND_RESTING =
      "SELECT count(*) FILTER (WHERE draining)"
          + " + 10 * count(*) FILTER (WHERE NOT draining AND beat_at > started_at + interval '500 ms')"
          + " FROM workers";

  /** Fails when the worker polls only, or asks without an end: its statements are counted. */
  @Test
  void startsAJobWhenItsTokenComesAndDoesNotAskInBetween() {
    rig.poll = Duration.ofHours(1);
    int queue = jobs.queue("rated");
    limits(queue, "NULL, NULL, 5, 1000, 1");
    jobs.readyMany(queue, "record", 5);
    long last = jobs.ready(queue, "gate", null, 0, null);
    rig.ready(recorder, gate);
    Await.until("all have started", () -> gate.entered.contains(last));
    // Four tokens after the second; the first claim's own time is not counted, nothing is warm.
    assertEquals(
        "true",
        database.sql(
            """
            SELECT (max(started_at) - min(started_at) >= interval '500 ms')::text
              FROM (SELECT started_at FROM all_jobs ORDER BY started_at OFFSET 1) s
            """));
    long claims = jobs.number("SELECT claim_number FROM jobs WHERE id = " + last);
    assertTrue(claims <= 20, "claims for six jobs: " + claims);
    gate.open.countDown();
  }

  @Test
  void jobsOfFreeKeysRunPastThoseOfAFullOneAndEachKeyKeepsItsOrder() {
    rig.poll = Duration.ofMillis(100);
    int queue = jobs.queue("keyed");
    limits(queue, "NULL, 1, NULL, NULL, NULL");
    long holding = jobs.ready(queue, "gate", null);
    key("a", holding);
    long second = jobs.ready(queue, "record", null);
    long third = jobs.ready(queue, "record", null);
    key("a", second, third);
    long other = jobs.ready(queue, "record", null);
    key("b", other);
    long keyless = jobs.ready(queue, "record", null);
    rig.ready(gate, recorder);
    Await.until(
        "the free ones have run",
        () -> recorder.ids().contains(other) && recorder.ids().contains(keyless));
    assertEquals(2, recorder.seen.size());
    gate.open.countDown();
    Await.until("all have run", () -> recorder.seen.size() == 4);
    assertEquals(List.of(second, third), recorder.ids().subList(2, 4));
  }

  @Test
  void dearJobsFillTheirSlotsAndTheDearestRunsAlone() {
    rig.slots = 4;
    int queue = jobs.queue("dear");
    long three = jobs.ready(queue, "gate", null, 4, 1L);
    long two = jobs.ready(queue, "gate", null, 4, 2L);
    long huge = jobs.ready(queue, "record", null, 4, 3L);
    database.sql(
        "UPDATE jobs SET cost = CASE id WHEN %d THEN 3 WHEN %d THEN 2 ELSE 100 END"
            .formatted(three, two));
    rig.ready(gate, recorder);
    Await.until("the first one runs", () -> gate.entered.contains(three));
    Await.until("the second one is claimed", () -> jobs.state(two).equals("running"));
    assertEquals(List.of(three), gate.entered);
    assertEquals("ready", jobs.state(huge));
    gate.open.countDown();
    Await.until("the dearest has run too", () -> recorder.ids().contains(huge));
  }
}
