package io.jobscheduler.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The listening session dies; polls are a minute apart, so nothing else finds the work. */
class ListeningPgTest {
  @RegisterExtension
  @Order(1)
  final TestDatabase database = new TestDatabase();

  @RegisterExtension
  @Order(2)
  final Rig rig = new Rig(database);

  private final Jobs jobs = new Jobs(database);
  private final TestHandlers.Recorder recorder = new TestHandlers.Recorder();

  private int queue;

  /** Starts a worker that listens, and whose first looks are over. */
  private WorkerProcess startListening(Wire wire) {
    rig.poll = Duration.ofSeconds(60);
    rig.compare = Duration.ofSeconds(60);
    queue = jobs.queue("mail");
    WorkerProcess worker = rig.start(rig.pool(wire.url()), rig.connections(), recorder);
    Await.until("ready", worker::isReady);
    Await.until("it listens", () -> jobs.listeners() == 1);
    Await.until("it asks no more", () -> wire.quietNanos() > 500_000_000L);
    return worker;
  }

  private void endListener() throws SQLException {
    try (Connection admin = database.superuser();
        ResultSet row =
            admin
                .createStatement()
                .executeQuery(
                    "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND query LIKE 'LISTEN%'")) {
      row.next();
      assertEquals(1, row.getInt(1));
    }
  }

  private long readyAndTold() {
    long id = jobs.ready(queue, "record", null);
    database.sql("SELECT pg_notify('jobs_ready', '" + queue + ":4:0:" + id + "')");
    return id;
  }

  @Test
  void listensAgainAndHearsWhatComesAfter() throws Exception {
    try (Wire wire = new Wire(database)) {
      WorkerProcess worker = startListening(wire);
      endListener();
      Await.until("it listens again", () -> jobs.listeners() == 1);
      Await.until("it has looked", () -> wire.quietNanos() > 500_000_000L);
      long id = readyAndTold();
      Await.until("it starts", Duration.ofSeconds(10), () -> recorder.seen.size() == 1);
      assertEquals(List.of(id), recorder.ids());
      rig.drain(worker);
    }
  }

  /** What was told to nobody is found by the one poll that follows each LISTEN. */
  @Test
  void looksOnceForWhatItMissedWhileItDidNotListen() throws Exception {
    try (Wire wire = new Wire(database)) {
      WorkerProcess worker = startListening(wire);
      long missed = jobs.ready(queue, "record", null);
      endListener();
      Await.until("it starts", Duration.ofSeconds(10), () -> recorder.seen.size() == 1);
      assertEquals(List.of(missed), recorder.ids());
      rig.drain(worker);
    }
  }
}
