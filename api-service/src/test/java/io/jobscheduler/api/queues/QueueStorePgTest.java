package io.jobscheduler.api.queues;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.api.TestProjects;
import io.jobscheduler.api.paging.Count;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class QueueStorePgTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @RegisterExtension final TestDatabase database = new TestDatabase();

  private QueueStore store;
  private QueueEditStore edits;
  private int project;

  @BeforeEach
  void open() {
    store = new QueueStore(TestProjects.api(database));
    edits = new QueueEditStore(TestProjects.api(database));
    project = TestProjects.create(database, "p");
  }

  private static QueueSettings settings(int weight, Integer maxConcurrency) {
    return new QueueSettings(
        weight, maxConcurrency, null, null, null, null, null, null, 7, 30, List.of());
  }

  private boolean put(int project, String name, QueueSettings settings) {
    return edits.putQueue(project, name, settings, null);
  }

  private Queue find(String name) {
    return store.findQueue(project, name).orElseThrow();
  }

  @Test
  void createsThenReplaces() {
    assertTrue(put(project, "mail", settings(3, 5)));
    assertEquals(3, find("mail").weight());
    assertEquals(5, find("mail").maxConcurrency());
    assertFalse(put(project, "mail", settings(1, null)));
    assertEquals(1, find("mail").weight());
    assertNull(find("mail").maxConcurrency());
    assertFalse(put(project, "mail", settings(1, 0)));
    assertEquals(0, find("mail").maxConcurrency());
  }

  /** A claim that has seen the queue unlimited must end before the limit is committed. */
  @Test
  void aNewLimitWaitsForClaimsInFlightAndAnUnchangedOneDoesNot() throws Exception {
    put(project, "mail", settings(1, null));
    try (Connection claimer = database.connect(Role.OWNER);
        Statement statement = claimer.createStatement()) {
      claimer.setAutoCommit(false);
      statement.execute("SELECT pg_advisory_xact_lock_shared(3, 0)");

      put(project, "mail", settings(2, null));
      assertEquals(2, find("mail").weight());

      CompletableFuture<Boolean> limiting =
          CompletableFuture.supplyAsync(() -> put(project, "mail", settings(2, 3)));
      awaitWaiter();
      assertFalse(limiting.isDone());
      assertNull(find("mail").maxConcurrency());
      claimer.commit();
      assertFalse(limiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
    }
    assertEquals(3, find("mail").maxConcurrency());
  }

  /** A claim holds the gate and takes its rows after that. */
  @Test
  void pathsAndALimitOfOneChangeDoNotDeadlockWithAClaimInFlight() throws Exception {
    put(project, "mail", settings(1, null));
    QueueSettings both =
        new QueueSettings(1, 3, null, null, null, null, null, null, 7, 30, List.of("k"));
    try (Connection claimer = database.connect(Role.OWNER);
        Statement statement = claimer.createStatement()) {
      claimer.setAutoCommit(false);
      statement.execute("SELECT pg_advisory_xact_lock_shared(3, 0)");
      CompletableFuture<Boolean> changing =
          CompletableFuture.supplyAsync(() -> put(project, "mail", both));
      awaitWaiter();
      statement.execute("LOCK TABLE jobs.jobs IN ROW EXCLUSIVE MODE NOWAIT");
      claimer.commit();
      assertFalse(changing.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
    }
    assertEquals(3, find("mail").maxConcurrency());
    assertEquals(List.of("k"), find("mail").searchablePaths());
  }

  private void awaitWaiter() {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while ("0"
        .equals(
            database.sql(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"))) {
      assertTrue(System.nanoTime() < deadline, "nobody waits for the claims in flight");
    }
  }

  @Test
  void showsDepthAndTheOldestReadyJob() {
    database.sql(
        "INSERT INTO jobs (dispatch_key, project_id, queue_id, state, type, dispatch_lane, ready_at,"
            + " run_at, lease_token, worker_id)"
            + " SELECT n, p.id, q.id, s, 't', n % 10, CASE WHEN s = 'ready' THEN timestamptz"
            + " '2020-01-01Z' + n * interval '1 min' END, now(), CASE WHEN s = 'running' THEN n END,"
            + " CASE WHEN s = 'running' THEN 1 END"
            + " FROM projects p JOIN queues q ON q.project_id = p.id,"
            + " unnest(ARRAY['scheduled','blocked','ready','running','retrying']) s,"
            + " generate_series(5, 9) n");
    Queue queue = find("default");
    assertEquals(
        List.of("scheduled", "blocked", "ready", "running", "retrying"),
        List.copyOf(queue.counts().keySet()));
    queue.counts().values().forEach(c -> assertEquals(new Count(5, false), c));
    assertEquals("2020-01-01T00:05:00Z", String.valueOf(queue.oldestReadyAt()));
    put(project, "empty", settings(1, null));
    assertNull(find("empty").oldestReadyAt());
  }

  @Test
  void listsInOrderOfNamesWithinTheProject() {
    put(project, "b", settings(1, null));
    put(project, "B", settings(1, null));
    int other = TestProjects.create(database, "other");
    put(other, "a", settings(1, null));
    assertEquals(
        List.of("B", "b"),
        store.listQueues(project, null, "", 2).stream().map(Queue::name).toList());
    assertEquals(
        List.of("default"),
        store.listQueues(project, null, "b", 2).stream().map(Queue::name).toList());
    assertTrue(store.findQueue(project, "a").isEmpty());
    assertNotNull(store.findQueue(other, "a").orElseThrow());
    assertEquals(new Count(3, false), store.countQueues(project, null));
  }

  @Test
  void everySettingComesBackAndAPatchChangesWhatItNames() {
    QueueSettings all =
        new QueueSettings(
            5,
            10,
            2,
            new QueueSettings.RateLimit(100, Duration.ofMinutes(1), 20),
            1_000,
            Duration.ofSeconds(30),
            "{\"strategy\":\"fixed\",\"baseSeconds\":5}",
            Duration.ofMinutes(10),
            null,
            90,
            List.of("order.id"));
    assertTrue(put(project, "mail", all));
    Queue queue = find("mail");
    assertEquals(all.rateLimit(), queue.rateLimit());
    assertEquals(2, queue.perKeyConcurrency());
    assertEquals(List.of("order.id"), queue.searchablePaths());
    assertEquals(1_000, queue.maxDepth());
    assertEquals(Duration.ofSeconds(30), queue.aging());
    assertEquals("fixed", queue.retry().waits().strategy());
    assertEquals(Duration.ofMinutes(10), queue.timeout());
    assertEquals(new QueueSettings.Retention(null, "P90D"), queue.retention());

    assertTrue(
        edits.patchQueue(
            project,
            "mail",
            QueueSettings.DEFAULT,
            Set.of("rateLimit", "finished", "aging"),
            null));
    queue = find("mail");
    assertNull(queue.rateLimit());
    assertNull(queue.aging());
    assertEquals(new QueueSettings.Retention("P7D", "P90D"), queue.retention());
    assertEquals(10, queue.maxConcurrency());
    assertEquals(5, queue.weight());
    assertFalse(edits.patchQueue(project, "none", QueueSettings.DEFAULT, Set.of(), null));
    assertEquals(
        "t",
        database.sql("SELECT rekey_after IS NOT NULL FROM queues WHERE name = 'mail'"),
        "what waits is moved");
  }

  @Test
  void deletedQueueIsGoneUntilItIsPutAgainAndOneWithJobsStays() {
    put(project, "mail", settings(1, null));
    database.sql(
        "INSERT INTO jobs (dispatch_key, project_id, queue_id, state, type, ready_at)"
            + " SELECT 1, project_id, id, 'ready', 't', now() FROM queues WHERE name = 'mail'");
    assertEquals(QueueEditStore.Deletion.HOLDS_JOBS, edits.deleteQueue(project, "mail", null));
    database.sql("DELETE FROM jobs");
    assertEquals(QueueEditStore.Deletion.DELETED, edits.deleteQueue(project, "mail", null));
    assertEquals(QueueEditStore.Deletion.NOT_FOUND, edits.deleteQueue(project, "mail", null));
    assertTrue(store.findQueue(project, "mail").isEmpty());
    assertEquals(new Count(1, false), store.countQueues(project, null));
    assertFalse(edits.patchQueue(project, "mail", QueueSettings.DEFAULT, Set.of(), null));
    assertFalse(edits.pauseQueue(project, "mail", "r", "b", null));
    assertTrue(put(project, "mail", settings(3, null)), "made anew");
    assertEquals(3, find("mail").weight());
  }

  @Test
  void pauseSaysWhoAndWhyAndUntilWhen() {
    put(project, "mail", settings(1, null));
    Instant until = Instant.parse("2999-01-01T00:00:00Z");
    assertTrue(edits.pauseQueue(project, "mail", "provider is down", "ann@example.org", until));
    QueueSettings.Pause pause = find("mail").paused();
    assertEquals("provider is down", pause.reason());
    assertEquals("ann@example.org", pause.by());
    assertEquals(until, pause.until());
    assertTrue(edits.pauseQueue(project, "mail", "still", "bob@example.org", null));
    assertEquals(pause.at(), find("mail").paused().at());
    assertNull(find("mail").paused().until());
    assertTrue(edits.resumeQueue(project, "mail"));
    assertNull(find("mail").paused());
    int other = TestProjects.create(database, "other");
    assertFalse(edits.pauseQueue(other, "mail", "r", "b", null));
    assertFalse(edits.resumeQueue(other, "mail"));
  }
}
