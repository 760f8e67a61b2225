package io.jobscheduler.localstack.chaos;

import io.jobscheduler.localstack.faults.Fleet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Starts again, within a second, what ends without a fault, as any orchestrator would. */
final class Reviver implements AutoCloseable {
  private final Fleet fleet;
  private final Notes notes;
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();

  Reviver(Fleet fleet, Notes notes) {
    this.fleet = fleet;
    this.notes = notes;
  }

  void start() {
    clock.scheduleWithFixedDelay(this::look, 1, 1, TimeUnit.SECONDS);
  }

  private void look() {
    for (String revived : fleet.revive()) {
      notes.fail("ended by itself and was started again: " + revived);
    }
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
