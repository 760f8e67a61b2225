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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** The thread of firing: sleeps until the next planned time. */
@Singleton
public class FireLoop {
  private static final long PAUSE_AFTER_FAILURE_MILLIS = 500;

  private final Firer firer;
  private final Loop loop;
  private final Thread thread = new Thread(this::turnUntilStopped, "jobs-firer");
  private final CountDownLatch stopping = new CountDownLatch(1);

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
    stopping.countDown();
    firer.lookAgain();
    thread.join(5_000);
  }

  private void turnUntilStopped() {
    try {
      boolean stopped = false;
      while (!stopped && !Thread.currentThread().isInterrupted()) {
        long pause = loop.turn(firer::runOnce) ? 0 : PAUSE_AFTER_FAILURE_MILLIS;
        stopped = stopping.await(pause, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
