package io.jobscheduler.worker;

import io.jobscheduler.worker.handlers.JobContext;
import io.jobscheduler.worker.handlers.JobHandler;
import io.jobscheduler.worker.handlers.JobOutcome;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** Handlers that a test can hold and look into. */
final class TestHandlers {
  private TestHandlers() {}

  interface Body {
    JobOutcome run(JobContext job) throws Exception;
  }

  static JobHandler handler(String type, Body body) {
    return new JobHandler() {
      @Override
      public String type() {
        return type;
      }

      @Override
      public JobOutcome run(JobContext job) throws Exception {
        return body.run(job);
      }
    };
  }

  /** Waits whatever interrupts it: the worker may hear of a lost lease sooner or later. */
  static void awaitDeaf(CountDownLatch latch) {
    boolean waiting = true;
    while (waiting) {
      try {
        latch.await();
        waiting = false;
      } catch (InterruptedException e) {
        waiting = latch.getCount() > 0;
      }
    }
    Thread.interrupted();
  }

  /** Notes the order of the jobs that it gets. */
  static final class Recorder implements JobHandler {
    final List<JobContext> seen = new CopyOnWriteArrayList<>();

    @Override
    public String type() {
      return "record";
    }

    @Override
    public JobOutcome run(JobContext job) {
      seen.add(job);
      return JobOutcome.done();
    }

    List<Long> ids() {
      return seen.stream().map(JobContext::jobId).toList();
    }
  }

  /** Ignores every interrupt until it is opened; then it says that all went well. */
  static final class Deaf implements JobHandler {
    final CountDownLatch open = new CountDownLatch(1);
    final CountDownLatch left = new CountDownLatch(1);
    final List<JobContext> entered = new CopyOnWriteArrayList<>();

    @Override
    public String type() {
      return "deaf";
    }

    @Override
    public JobOutcome run(JobContext job) {
      entered.add(job);
      while (open.getCount() > 0) {
        LockSupport.parkNanos(1_000_000);
        Thread.interrupted();
      }
      left.countDown();
      return JobOutcome.done();
    }

    boolean runs(long id) {
      return entered.stream().anyMatch(job -> job.jobId() == id);
    }
  }

  /** Holds its jobs until it is opened; an interrupt ends them with an exception. */
  static final class Gate implements JobHandler {
    final CountDownLatch open = new CountDownLatch(1);
    final List<Long> entered = new CopyOnWriteArrayList<>();
    final List<Long> interrupted = new CopyOnWriteArrayList<>();

    @Override
    public String type() {
      return "gate";
    }

    @Override
    public JobOutcome run(JobContext job) throws InterruptedException {
      entered.add(job.jobId());
      try {
        open.await();
        return JobOutcome.done();
      } catch (InterruptedException e) {
        interrupted.add(job.jobId());
        throw e;
      }
    }
  }
}
