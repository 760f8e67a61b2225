package io.jobscheduler.worker.execute;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.worker.claim.ClaimedJob;
import io.jobscheduler.worker.claim.Prefetch;
import io.jobscheduler.worker.claim.QueueName;
import io.jobscheduler.worker.dispatch.Dispatcher;
import io.jobscheduler.worker.dispatch.Held;
import io.jobscheduler.worker.handlers.HandlerRegistry;
import io.jobscheduler.worker.handlers.JobContext;
import io.jobscheduler.worker.handlers.JobHandler;
import io.jobscheduler.worker.handlers.JobOutcome;
import io.jobscheduler.worker.handlers.WorkflowAccess;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SlotsTest {
  private final Queue<String> ended = new ConcurrentLinkedQueue<>();
  private final CountDownLatch firstRuns = new CountDownLatch(1);
  private final CountDownLatch bothEnded = new CountDownLatch(2);
  private final Dispatcher dispatcher = new Dispatcher(1, () -> {});

  /** The first job blocks until interrupted and swallows that; the second tells what it sees. */
  private final JobHandler handler =
      new JobHandler() {
        @Override
        public String type() {
          return "t";
        }

        @Override
        public JobOutcome run(JobContext job) throws InterruptedException {
          if (job.jobId() == 1) {
            firstRuns.countDown();
            try {
              new CountDownLatch(1).await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
              return JobOutcome.done("\"swallowed\"");
            }
          }
          return JobOutcome.done("\"interrupted: " + Thread.currentThread().isInterrupted() + "\"");
        }
      };

  private final Slots slots =
      new Slots(
          1,
          dispatcher,
          new AttemptRunner(new HandlerRegistry(List.of(handler)), 1_000, () -> {}),
          new Prefetch(1, 0, Duration.ofMillis(10)),
          Duration.ofSeconds(1),
          new StuckThreads(1),
          NoteKeeper.NONE,
          job -> WorkflowAccess.NONE,
          (held, settlement) -> {
            ended.add(held.job().id() + " " + settlement.result());
            dispatcher.slotFreed(held);
            bothEnded.countDown();
          });

  @AfterEach
  void close() {
    dispatcher.close();
    slots.close();
  }

  private static Held job(long id) {
    return new Held(
        new ClaimedJob(
            id,
            id,
            id,
            4,
            1,
            1,
            new QueueName("shop", "q"),
            null,
            1,
            1,
            4,
            "t",
            null,
            1,
            null,
            null,
            null));
  }

  @Test
  void interruptOfOneJobDoesNotReachTheNext() throws InterruptedException {
    Held first = job(1);
    Held second = job(2);
    dispatcher.add(List.of(first, second));
    slots.start();
    firstRuns.await(10, TimeUnit.SECONDS);
    slots.interrupt(second);
    slots.interrupt(first);
    bothEnded.await(10, TimeUnit.SECONDS);
    assertEquals(List.of("1 \"swallowed\"", "2 \"interrupted: false\""), List.copyOf(ended));
  }
}
