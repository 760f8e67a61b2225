package io.jobscheduler.worker.claim;

import io.jobscheduler.worker.dispatch.Held;
import io.jobscheduler.worker.dispatch.HeldLeases;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares what this worker holds by the record with what it remembers: the answer to a claim or a
 * settle whose reply was lost. Runs on the claimer's thread, so no claim is in flight meanwhile.
 */
final class HeldCheck {
  /**
   * The differences.
   *
   * @param unknown rows that no memory explains: a claim whose reply was lost
   * @param lost leases remembered that the record does not know any more
   */
  record Difference(List<HeldRow> unknown, List<Held> lost) {}

  private final ClaimStore store;
  private final HeldLeases leases;
  private final long worker;

  HeldCheck(ClaimStore store, HeldLeases leases, long worker) {
    this.store = store;
    this.leases = leases;
    this.worker = worker;
  }

  Difference compare() throws SQLException {
    // Before and after the reading: a settle may commit, and its memory go, in between.
    Map<Long, Held> before = new HashMap<>();
    for (Held held : leases.all()) {
      before.put(held.job().leaseToken(), held);
    }
    List<HeldRow> rows = store.heldByWorker(worker);
    List<HeldRow> unknown = new ArrayList<>();
    Map<Long, Held> missing = new HashMap<>(before);
    for (HeldRow row : rows) {
      missing.remove(row.leaseToken());
      if (!before.containsKey(row.leaseToken())) {
        unknown.add(row);
      }
    }
    List<Held> lost = new ArrayList<>();
    for (Held held : missing.values()) {
      // One that is being settled may have ended in the record by that very settle.
      if (held.phase() != Held.Phase.SETTLING && leases.get(held.job().id()) == held) {
        lost.add(held);
      }
    }
    return new Difference(unknown, lost);
  }
}
