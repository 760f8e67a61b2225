package io.jobscheduler.worker;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.worker.claim.Claimer;
import io.jobscheduler.worker.claim.QueuePattern;
import io.jobscheduler.worker.database.Connections;
import io.jobscheduler.worker.handlers.HandlerRegistry;
import io.jobscheduler.worker.handlers.JobOutcome;
import io.jobscheduler.worker.lease.Timings;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A worker process of its own whose handler takes all memory there is, once its input ends. */
final class HungryWorker {
  private static final int EXIT_OUT_OF_MEMORY = 3;

  private HungryWorker() {}

  public static void main(String[] arguments) throws InterruptedException {
    Connections connections =
        () ->
            DriverManager.getConnection(
                arguments[0], Role.WORKER.databaseName(), Role.WORKER.password());
    WorkerProcess worker =
        new WorkerProcess(
            new WorkerSettings(
                "test",
                "test",
                1,
                0,
                Duration.ZERO,
                List.of(QueuePattern.of("*/*")),
                new Timings(Duration.ofMillis(200), Duration.ofSeconds(3)),
                new Claimer.Rhythm(Duration.ofMillis(50), Duration.ofSeconds(5)),
                Duration.ZERO,
                Duration.ZERO,
                Duration.ofSeconds(1),
                1,
                1_024,
                1_024,
                null),
            connections,
            connections,
            new HandlerRegistry(
                List.of(
                    TestHandlers.handler(
                        "hungry",
                        job -> {
                          System.in.readAllBytes();
                          List<byte[]> eaten = new ArrayList<>();
                          while (eaten.size() < Integer.MAX_VALUE) {
                            eaten.add(new byte[1 << 20]);
                          }
                          return JobOutcome.done();
                        }))),
            () -> Runtime.getRuntime().halt(EXIT_OUT_OF_MEMORY),
            () -> {});
    worker.start();
    new CountDownLatch(1).await();
  }
}
