package io.jobscheduler.worker.settle;

import io.jobscheduler.worker.database.Connections;
import io.jobscheduler.worker.database.SqlStates;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;

/**
 * The one thread that ends attempts in the record, many at a time.
 *
 * <p>A settle is fenced by its tokens and idempotent, so it is repeated after any failure, whether
 * or not it may have happened, for as long as the tenure lasts. A batch that cannot be stored is
 * halved until the culprit is alone; it becomes a failed attempt of kind {@code unstorable-result}.
 */
public final class Settler implements Runnable {
  private static final Logger LOG = Logger.getLogger(Settler.class);
  private static final long PATIENCE_NANOS = 5_000_000_000L;
  private static final long BUSY_NANOS = 50_000_000;
  private static final long BACK_OFF_MOST_NANOS = 1_000_000_000;
  private static final int TRANSIENT_TRIES = 3;

  private final long worker;
  private final SettleStore store;
  private final SettleQueue queue;
  private final SettleEvents events;
  private final Runnable onTurn;
  private long backOffNanos = BUSY_NANOS;

  /**
   * Makes a settler for one incarnation.
   *
   * @param onTurn called once per turn of the loop, every five seconds at least
   */
  public Settler(
      long worker, Connections pool, SettleEvents events, LongSupplier clock, Runnable onTurn) {
    this.worker = worker;
    this.store = new SettleStore(pool);
    this.queue = new SettleQueue(clock);
    this.events = events;
    this.onTurn = onTurn;
  }

  /** Hands a settlement in; never blocks. */
  public void submit(Pending pending) {
    queue.add(pending);
  }

  /** Waits until all that was handed in is settled or lost; whether it is. */
  public boolean awaitSettled(long nanos) throws InterruptedException {
    return queue.awaitConfirmed(nanos);
  }

  /** Ends the thread; what is not settled stays the reaper's. */
  public void stop() {
    queue.close();
  }

  @Override
  public void run() {
    try {
      while (!queue.isClosed()) {
        onTurn.run();
        List<Pending> batch = queue.next(PATIENCE_NANOS);
        if (!batch.isEmpty()) {
          flush(batch);
          queue.flushed();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void flush(List<Pending> batch) {
    SQLException failure = null;
    for (int attempt = 0; attempt < TRANSIENT_TRIES; attempt++) {
      try {
        note(batch, store.settleJobs(worker, batch));
        backOffNanos = BUSY_NANOS;
        return;
      } catch (SQLException e) {
        failure = e;
        if (SqlStates.isData(e)) {
          isolate(batch, e);
          return;
        }
        if (!SqlStates.isTransient(e)) {
          break;
        }
      } catch (RuntimeException e) {
        failure = new SQLException(e);
        break;
      }
    }
    if (backOffNanos == BUSY_NANOS) {
      LOG.warnf(
          "Settling failed, will retry worker_id=%d jobs=%d cause=%s",
          worker, batch.size(), failure);
    }
    events.unknownOutcome();
    queue.again(batch, backOffNanos);
    backOffNanos = Math.min(backOffNanos * 2, BACK_OFF_MOST_NANOS);
  }

  /** Halves until the row that cannot be stored is alone, and replaces its outcome. */
  private void isolate(List<Pending> batch, SQLException cause) {
    if (batch.size() > 1) {
      int half = batch.size() / 2;
      flush(batch.subList(0, half));
      flush(batch.subList(half, batch.size()));
      return;
    }
    Pending culprit = batch.get(0);
    if ("unstorable-result".equals(culprit.settlement().kind())) {
      LOG.errorf(
          "Even the replacement cannot be stored: check the schema job_id=%d sqlstate=%s",
          culprit.jobId(), cause.getSQLState());
      queue.again(batch, BACK_OFF_MOST_NANOS);
      return;
    }
    LOG.warnf(
        "Outcome cannot be stored, attempt fails instead job_id=%d sqlstate=%s",
        culprit.jobId(), cause.getSQLState());
    String why = "the outcome could not be stored (SQLSTATE " + cause.getSQLState() + ")";
    flush(List.of(culprit.with(culprit.settlement().unstorable(why))));
  }

  private void note(List<Pending> batch, List<SettledRow> rows) {
    Map<Long, Pending> open = new HashMap<>();
    batch.forEach(pending -> open.put(pending.jobId(), pending));
    List<Pending> ended = new ArrayList<>();
    List<Pending> busy = new ArrayList<>();
    List<ReadyJob> ready = new ArrayList<>();
    boolean dependents = false;
    for (SettledRow row : rows) {
      if (row.verdict().equals("child_ready")) {
        ready.add(readyJob(row));
        continue;
      }
      Pending pending = open.remove(row.id());
      if (pending == null) {
        continue;
      }
      switch (row.verdict()) {
        case "busy" -> busy.add(pending);
        case "lease_lost" -> {
          LOG.warnf(
              "Lease lost, outcome dropped worker_id=%d job_id=%d outcome=%s",
              worker, pending.jobId(), pending.settlement().outcome());
          ended.add(pending);
        }
        default -> {
          ended.add(pending);
          follow(row, ready);
          // Rows that went back to waiting carry their queue; those that ended do not.
          dependents |= pending.workflowId() != null && row.queueId() == 0;
        }
      }
    }
    // A verdict for each row is the function's contract; should one be missing, ask again.
    busy.addAll(open.values());
    queue.confirmed(ended);
    if (!busy.isEmpty()) {
      queue.again(busy, BUSY_NANOS);
    }
    events.ended(ended);
    if (!ready.isEmpty()) {
      events.ready(ready);
    }
    if (dependents) {
      events.dependentsMayWait();
    }
  }

  private void follow(SettledRow row, List<ReadyJob> ready) {
    if ("ready".equals(row.state())) {
      ready.add(readyJob(row));
    } else if (row.dueMicros() != null) {
      events.retryIn(row.id(), row.dueMicros() * 1_000);
    }
  }

  private static ReadyJob readyJob(SettledRow row) {
    return new ReadyJob(row.id(), row.queueId(), row.lane(), row.dispatchKey(), row.projectId());
  }
}
