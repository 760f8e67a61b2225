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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class QueueStorePgTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @RegisterExtension final TestDatabase database = new TestDatabase();

  private QueueStore store;
  private int project;

  @BeforeEach
  void open() {
    store = new QueueStore(TestProjects.api(database));
    project = TestProjects.create(database, "p");
  }

  private Queue find(String name) {
    return store.findQueue(project, name).orElseThrow();
  }

  @Test
  void createsThenReplaces() {
    assertTrue(store.putQueue(project, "mail", 3, 5));
    assertEquals(3, find("mail").weight());
    assertEquals(5, find("mail").maxConcurrency());
    assertFalse(store.putQueue(project, "mail", 1, null));
    assertEquals(1, find("mail").weight());
    assertNull(find("mail").maxConcurrency());
    assertFalse(store.putQueue(project, "mail", 1, 0));
    assertEquals(0, find("mail").maxConcurrency());
  }

  /** A claim that has seen the queue unlimited must end before the limit is committed. */
  @Test
  void aNewLimitWaitsForClaimsInFlightAndAnUnchangedOneDoesNot() throws Exception {
    store.putQueue(project, "mail", 1, null);
    try (Connection claimer = database.connect(Role.OWNER);
        Statement statement = claimer.createStatement()) {
      claimer.setAutoCommit(false);
      statement.execute("SELECT pg_advisory_xact_lock_shared(3, 0)");

      store.putQueue(project, "mail", 2, null);
      assertEquals(2, find("mail").weight());

      CompletableFuture<Boolean> limiting =
          CompletableFuture.supplyAsync(() -> store.putQueue(project, "mail", 2, 3));
      awaitWaiter();
      assertFalse(limiting.isDone());
      assertNull(find("mail").maxConcurrency());
      claimer.commit();
      assertFalse(limiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
    }
    assertEquals(3, find("mail").maxConcurrency());
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
    store.putQueue(project, "empty", 1, null);
    assertNull(find("empty").oldestReadyAt());
  }

  @Test
  void listsInOrderOfNamesWithinTheProject() {
    store.putQueue(project, "b", 1, null);
    store.putQueue(project, "B", 1, null);
    int other = TestProjects.create(database, "other");
    store.putQueue(other, "a", 1, null);
    assertEquals(
        List.of("B", "b"), store.listQueues(project, "", 2).stream().map(Queue::name).toList());
    assertEquals(
        List.of("default"), store.listQueues(project, "b", 2).stream().map(Queue::name).toList());
    assertTrue(store.findQueue(project, "a").isEmpty());
    assertNotNull(store.findQueue(other, "a").orElseThrow());
    assertEquals(new Count(3, false), store.countQueues(project));
  }
}
