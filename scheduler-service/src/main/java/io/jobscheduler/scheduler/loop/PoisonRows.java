package io.jobscheduler.scheduler.loop;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;

/**
 * Rows that a loop could not work off: each is reported once, for a person, and passed over with
 * growing pauses, so that none holds up the others. One thread.
 */
public final class PoisonRows {
  private static final Logger LOG = Logger.getLogger(PoisonRows.class);
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(10);

  private final Loop loop;
  private final String what;
  private final PassedOver<Long> passedOver;

  /** Of {@code loop}; {@code what} names the field of the log that holds a row's id. */
  public PoisonRows(Loop loop, String what, LongSupplier nanoClock) {
    this.loop = loop;
    this.what = what;
    this.passedOver = new PassedOver<>(FIRST_PAUSE, nanoClock);
  }

  /** Ids to leave out now. */
  public List<Long> passedOver() {
    List<Long> ids = passedOver.now();
    loop.passesOver(ids.size());
    return ids;
  }

  /** Notes rows that failed. */
  public void found(List<Poison> rows) {
    for (Poison row : rows) {
      if (passedOver.add(row.id())) {
        LOG.errorf(
            "A row cannot be worked off and is passed over, repair it: loop=%s %s=%d reason=%s",
            loop.name(), what, row.id(), row.reason());
      }
    }
    if (!rows.isEmpty()) {
      passedOver();
    }
  }
}
