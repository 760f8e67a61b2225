package io.jobscheduler.scheduler.cron;

import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.leadership.Leadership;
import io.jobscheduler.scheduler.loop.Loop;
import io.jobscheduler.scheduler.loop.Loops;
import io.jobscheduler.scheduler.signal.DueSignals;
import io.jobscheduler.scheduler.signal.Signals;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import javax.sql.DataSource;

/** The thread of firing: sleeps until the next planned time. */
@Singleton
public class FireLoop {
  private static final long PAUSE_AFTER_FAILURE_MILLIS = 500;

  private final Firer firer;
  private final Loop loop;
  private final Thread thread = new Thread(this::turnUntilStopped, "jobs-firer");
  private volatile boolean stopping;

  FireLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      DataSource dataSource,
      Signals signals,
      DueSignals dueSignals,
      FireFigures figures,
      CronConfig config,
      Loops loops) {
    this.firer =
        new Firer(
            leadership,
            transactions,
            dataSource,
            new FireReport(signals, dueSignals, figures),
            config,
            System::nanoTime);
    this.loop = loops.add("cron", Duration.ZERO);
    dueSignals.onSchedulesChanged(firer::lookAgain);
  }

  void start(@Observes StartupEvent event) {
    thread.start();
  }

  void stop(@Observes ShutdownEvent event) throws InterruptedException {
    stopping = true;
    firer.lookAgain();
    thread.join(5_000);
  }

  private void turnUntilStopped() {
    while (!stopping && !Thread.currentThread().isInterrupted()) {
      if (!loop.turn(firer::runOnce)) {
        pause();
      }
    }
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_AFTER_FAILURE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
