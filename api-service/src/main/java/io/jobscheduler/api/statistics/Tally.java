package io.jobscheduler.api.statistics;

import io.jobscheduler.api.statistics.History.Ended;
import io.jobscheduler.api.statistics.HistoryStore.Cell;

/** Adds up cells. Not thread-safe. */
final class Tally {
  private final Histogram waits = new Histogram();
  private final Histogram runs = new Histogram();
  private long succeeded;
  private long dead;
  private long cancelled;
  private long skipped;
  private long expired;
  private long failedAttempts;
  private long lostAttempts;

  void add(Cell cell) {
    succeeded += cell.succeeded();
    dead += cell.dead();
    cancelled += cell.cancelled();
    skipped += cell.skipped();
    expired += cell.expired();
    failedAttempts += cell.failedAttempts();
    lostAttempts += cell.lostAttempts();
    waits.add(cell.waits());
    runs.add(cell.runs());
  }

  Ended sum() {
    return new Ended(
        succeeded,
        dead,
        cancelled,
        skipped,
        expired,
        failedAttempts,
        lostAttempts,
        waits.percentiles(),
        runs.percentiles());
  }
}
