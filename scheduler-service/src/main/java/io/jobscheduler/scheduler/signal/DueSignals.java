package io.jobscheduler.scheduler.signal;

import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;

/** Passes on, inside this process, that something is due earlier than was known. Thread-safe. */
@Singleton
public class DueSignals {
  private final List<LongConsumer> jobs = new CopyOnWriteArrayList<>();
  private final List<Runnable> schedules = new CopyOnWriteArrayList<>();

  /** Tells {@code listener} the instants of jobs, in microseconds since the epoch. */
  public void onJobDue(LongConsumer listener) {
    jobs.add(listener);
  }

  /** Runs {@code listener} after each change of schedules. */
  public void onSchedulesChanged(Runnable listener) {
    schedules.add(listener);
  }

  /** A job is due at this instant, in microseconds since the epoch on the database's clock. */
  public void jobDue(long micros) {
    jobs.forEach(l -> l.accept(micros));
  }

  /** Somebody changed a schedule, or may have. */
  public void schedulesChanged() {
    schedules.forEach(Runnable::run);
  }
}
