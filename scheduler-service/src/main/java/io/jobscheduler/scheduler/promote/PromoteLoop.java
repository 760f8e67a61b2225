package io.jobscheduler.scheduler.promote;

import io.jobscheduler.scheduler.database.DirectConnections;
import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.leadership.Leadership;
import io.jobscheduler.scheduler.loop.Loop;
import io.jobscheduler.scheduler.loop.Loops;
import io.jobscheduler.scheduler.loop.Round;
import io.jobscheduler.scheduler.signal.DueSignals;
import io.jobscheduler.scheduler.signal.Signals;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import javax.sql.DataSource;

/** The two threads of promotion: one sleeps until the next due instant, one listens for earlier. */
@Singleton
public class PromoteLoop {
  private static final Duration LISTEN_FOR = Duration.ofSeconds(1);
  private static final long PAUSE_AFTER_FAILURE_MILLIS = 500;

  private final Promoter promoter;
  private final DueListener listener;
  private final Thread promoting;
  private final Thread listening;
  private volatile boolean stopping;

  PromoteLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      DataSource dataSource,
      DirectConnections connections,
      Signals signals,
      DueSignals dueSignals,
      PromoteConfig config,
      Loops loops) {
    this.promoter =
        new Promoter(leadership, transactions, dataSource, signals, config, System::nanoTime);
    this.listener =
        new DueListener(
            leadership,
            connections,
            () -> {
              promoter.lookAgain();
              dueSignals.schedulesChanged();
            },
            promoter::heard,
            dueSignals::schedulesChanged,
            LISTEN_FOR);
    dueSignals.onJobDue(promoter::heard);
    Loop promotion = loops.add("promotion", Duration.ZERO);
    Loop listen = loops.add("due-listener", Duration.ZERO);
    this.promoting =
        new Thread(() -> turnUntilStopped(promotion, promoter::runOnce), "jobs-promoter");
    this.listening =
        new Thread(() -> turnUntilStopped(listen, listener::runOnce), "jobs-due-listener");
  }

  void start(@Observes StartupEvent event) {
    promoting.start();
    listening.start();
  }

  void stop(@Observes ShutdownEvent event) throws InterruptedException {
    stopping = true;
    promoter.lookAgain();
    listener.stop();
    promoting.join(5_000);
    listening.join(5_000);
    listener.close();
  }

  private void turnUntilStopped(Loop loop, Round round) {
    while (!stopping && !Thread.currentThread().isInterrupted()) {
      if (!loop.turn(round)) {
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
