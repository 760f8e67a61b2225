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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
  private final CountDownLatch stopping = new CountDownLatch(1);

  PromoteLoop(
      Leadership leadership,
      LeaderTransactions transactions,
      DataSource dataSource,
      DirectConnections connections,
      Signals signals,
      DueSignals dueSignals,
      PromoteConfig config,
      Loops loops) {
    Loop promotion = loops.add("promotion", Duration.ZERO);
    this.promoter =
        new Promoter(
            leadership, transactions, dataSource, signals, config, promotion, System::nanoTime);
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
    stopping.countDown();
    promoter.lookAgain();
    listener.stop();
    promoting.join(5_000);
    listening.join(5_000);
    listener.close();
  }

  private void turnUntilStopped(Loop loop, Round round) {
    try {
      boolean stopped = false;
      while (!stopped && !Thread.currentThread().isInterrupted()) {
        long pause = loop.turn(round) ? 0 : PAUSE_AFTER_FAILURE_MILLIS;
        stopped = stopping.await(pause, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
