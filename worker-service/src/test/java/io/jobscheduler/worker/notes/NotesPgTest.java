package io.jobscheduler.worker.notes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import io.jobscheduler.worker.Await;
import io.jobscheduler.worker.Jobs;
import io.jobscheduler.worker.claim.ClaimedJob;
import io.jobscheduler.worker.claim.QueueName;
import io.jobscheduler.worker.database.Connections;
import io.jobscheduler.worker.handlers.AttemptNotes;
import io.jobscheduler.worker.handlers.AttemptNotes.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class NotesPgTest {
  private static final long WORKER = 11;

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private final Jobs jobs = new Jobs(database);
  private final AtomicInteger opened = new AtomicInteger();
  private final AtomicBoolean away = new AtomicBoolean();
  private Notes notes;
  private int queue;

  @BeforeEach
  void open() {
    Connections pool =
        () -> {
          opened.incrementAndGet();
          if (away.get()) {
            throw new SQLException("away", "08006");
          }
          return database.connect(Role.WORKER);
        };
    notes = new Notes(WORKER, pool, Duration.ofMillis(300), System::nanoTime);
    queue = jobs.queue("mail");
    jobs.worker(WORKER);
    jobs.worker(WORKER + 1);
  }

  /** A job that the worker runs under a lease. */
  private ClaimedJob running(long token) {
    long id = jobs.ready(queue, "t", null);
    lease(id, token, WORKER);
    return new ClaimedJob(
        id,
        token,
        1,
        4,
        queue,
        1,
        new QueueName("shop", "mail"),
        null,
        1,
        9,
        4,
        "t",
        null,
        1,
        null,
        null,
        null);
  }

  private void lease(long id, long token, long worker) {
    database.sql(
        "UPDATE jobs SET state = 'running', attempt = 1, lease_token = %d, worker_id = %d WHERE id = %d"
            .formatted(token, worker, id));
  }

  private String lines(long id) {
    return database.sql(
        "SELECT string_agg(line || level || ':' || message, ' ' ORDER BY lease_token, line) FROM"
            + " job_logs WHERE job_id = "
            + id);
  }

  private String progress(long id) {
    return database.sql(
        "SELECT concat_ws(' ', lease_token, fraction, message) FROM job_progress WHERE job_id = "
            + id);
  }

  private void settle(ClaimedJob job, String outcome) {
    database.sql(
        ("SELECT settle(%d, '{%d}', '{%d}', '{NULL}', '{%s}', NULL, NULL, NULL, NULL, NULL, NULL,"
                + " NULL)")
            .formatted(WORKER, job.id(), job.leaseToken(), outcome));
  }

  @Test
  void writesLinesInOrderAndTheNewestProgress() {
    ClaimedJob job = running(5);
    AttemptNotes book = notes.open(job);
    book.log(Level.INFO, "a");
    book.progress(0.25, "quarter");
    book.progress(0.5, "half");
    notes.flush();
    book.log(Level.ERROR, "b");
    notes.flush();
    assertEquals("1info:a 2error:b", lines(job.id()));
    assertEquals("5 0.5 half", progress(job.id()));
    assertEquals(
        "true",
        database.sql(
            "SELECT bool_and(logged_at BETWEEN clock_timestamp() - interval '1 min' AND"
                + " clock_timestamp() AND written_on = retention_today())::text FROM job_logs"));
    settle(job, "succeeded");
    assertEquals(null, progress(job.id()));
  }

  /** I3: the job has another lease by now; the zombie's words are nobody's. */
  @Test
  void aStaleLeaseWritesNothing() {
    ClaimedJob job = running(5);
    AttemptNotes zombie = notes.open(job);
    zombie.log(Level.INFO, "before");
    notes.flush();
    lease(job.id(), 6, WORKER + 1);
    zombie.log(Level.INFO, "after");
    zombie.progress(1, "after");
    notes.flush();
    assertEquals("1info:before", lines(job.id()));
    assertEquals(null, progress(job.id()));
    int calls = opened.get();
    zombie.log(Level.INFO, "still");
    notes.flush();
    assertEquals(calls, opened.get(), "the book is closed");
  }

  @Test
  void aWorkerThatWasCalledLostWritesNothing() {
    ClaimedJob job = running(5);
    AttemptNotes book = notes.open(job);
    database.sql("UPDATE workers SET lost_at = now() WHERE id = " + WORKER);
    book.log(Level.INFO, "after");
    book.progress(1, "after");
    notes.flush();
    assertEquals(null, lines(job.id()));
    assertEquals(null, progress(job.id()));
  }

  /** The settle goes first when it is ready: the last words of an attempt follow it. */
  @Test
  void lastWordsAreTakenAfterTheAttemptHasEnded() {
    for (String outcome : new String[] {"succeeded", "failed"}) {
      ClaimedJob job = running(outcome.length());
      AttemptNotes book = notes.open(job);
      book.log(Level.INFO, "last");
      book.progress(1, "done");
      notes.close(book);
      settle(job, outcome);
      notes.flush();
      assertEquals("1info:last", lines(job.id()));
      assertEquals(null, progress(job.id()), "it belongs to running attempts");
    }
    // Taken from it: those words are void.
    ClaimedJob lost = running(50);
    AttemptNotes book = notes.open(lost);
    book.log(Level.INFO, "last");
    settle(lost, "timed_out");
    notes.flush();
    assertEquals(null, lines(lost.id()));
  }

  @Test
  void keepsTheNewestTenThousandLinesOfAnAttempt() {
    ClaimedJob job = running(5);
    AttemptNotes book = notes.open(job);
    for (int round = 0; round < 11; round++) {
      for (int i = 0; i < 1_000; i++) {
        book.log(Level.DEBUG, "x");
      }
      notes.flush();
    }
    assertEquals(
        "1001 11000 10000",
        database.sql("SELECT concat_ws(' ', min(line), max(line), count(*)) FROM job_logs"));
  }

  @Test
  void whileTheDatabaseIsAwayTheNewestWordsWait() {
    ClaimedJob job = running(5);
    AttemptNotes book = notes.open(job);
    away.set(true);
    book.log(Level.INFO, "a");
    book.progress(0.1, "a");
    notes.flush();
    book.log(Level.INFO, "b");
    notes.flush();
    away.set(false);
    notes.flush();
    assertEquals("1info:a 2info:b", lines(job.id()));
    assertEquals("5 0.1 a", progress(job.id()));
  }

  @Test
  void wordsGatherAndGoOutTogether() throws InterruptedException {
    ClaimedJob one = running(5);
    ClaimedJob two = running(6);
    Thread thread = new Thread(notes, "notes-under-test");
    thread.start();
    AttemptNotes first = notes.open(one);
    AttemptNotes second = notes.open(two);
    for (int i = 0; i < 400; i++) {
      first.log(Level.INFO, "x");
      second.log(Level.INFO, "x");
    }
    Await.until("written", () -> jobs.number("SELECT count(*) FROM job_logs") == 800);
    assertTrue(opened.get() <= 2, opened.get() + " statements for 800 lines");
    notes.stop();
    thread.join(10_000);
    assertEquals(false, thread.isAlive());
  }
}
