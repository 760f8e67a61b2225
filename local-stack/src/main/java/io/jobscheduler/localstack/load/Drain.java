package io.jobscheduler.localstack.load;

import io.jobscheduler.localstack.load.LoadSetup.Place;
import io.jobscheduler.localstack.process.StackFailure;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Lets a load that hands in nothing more run out. A paused schedule starts none of the fires that
 * wait behind its run, so each is paused at a moment at which none waits: between the look and the
 * pause one may come, and that one is not held against it. For one thread.
 */
final class Drain {
  private static final long LOOK_MILLIS = 500;

  /** With so few jobs left the runs of schedules do not wait for others any more. */
  private static final int FEW = 20;

  /**
   * For how long a schedule may always have something waiting. The load's runs take up to 6 s, and
   * the one that plans more than it can run drops what does not fit: it is free for seconds in each
   * half minute. More than what the judge grants a fire, so that one which never starts is found.
   */
  private static final Duration SETTLE_LIMIT = Duration.ofMinutes(2);

  private final LoadLook look;
  private final LoadSetup setup;
  private final Ledger ledger;

  Drain(LoadLook look, LoadSetup setup, Ledger ledger) {
    this.look = look;
    this.setup = setup;
    this.ledger = ledger;
  }

  private interface Question {
    boolean holds() throws SQLException;
  }

  /**
   * Waits until schedules keep up and nothing else is left, pauses each, and waits until no job
   * lives.
   *
   * @param end in readings of {@code System.nanoTime()}
   * @return whether all of it came about in time
   * @throws StackFailure when the API does not pause a schedule
   */
  boolean run(long end) {
    boolean keptUp = await(end, () -> look.behind() == 0 && look.alive() <= FEW);
    boolean settled = pauseAll(Math.min(end, System.nanoTime() + SETTLE_LIMIT.toNanos()));
    return await(end, () -> look.alive() == 0) && keptUp && settled;
  }

  private boolean pauseAll(long end) {
    List<Place> active = new ArrayList<>(setup.places());
    await(
        end,
        () -> {
          Set<Place> waiting = look.waiting();
          for (Place place : List.copyOf(active)) {
            if (!waiting.contains(place)) {
              setup.pause(place);
              active.remove(place);
            }
          }
          return active.isEmpty();
        });
    for (Place place : active) {
      ledger.unexpected(
          "%s/%s: fires still wait behind its run".formatted(place.project(), place.schedule()));
      setup.pause(place);
    }
    return active.isEmpty();
  }

  private boolean await(long end, Question question) {
    while (true) {
      try {
        if (question.holds()) {
          return true;
        }
      } catch (SQLException away) {
        ledger.count("drain not seen");
      }
      if (System.nanoTime() >= end) {
        return false;
      }
      try {
        TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
  }
}
