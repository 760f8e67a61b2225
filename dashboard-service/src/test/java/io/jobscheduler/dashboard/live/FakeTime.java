package io.jobscheduler.dashboard.live;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

/** Time that a test moves on by hand; due tasks run in order while it moves. */
final class FakeTime implements SignalCoalescer.Timer {
  private record Task(long at, long order, Runnable run) {}

  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::order));
  // Far from zero and close to overflow: only differences may be compared.
  private long now = Long.MAX_VALUE - Duration.ofSeconds(3).toNanos();
  private final long start = now;
  private long order;

  long nanos() {
    return now;
  }

  /** Milliseconds since the start of the test. */
  long millis() {
    return (now - start) / 1_000_000;
  }

  @Override
  public void after(Duration delay, Runnable task) {
    tasks.add(new Task(now - start + delay.toNanos(), order++, task));
  }

  void pass(Duration duration) {
    long end = now - start + duration.toNanos();
    while (!tasks.isEmpty() && tasks.peek().at() <= end) {
      Task next = tasks.remove();
      now = start + next.at();
      next.run().run();
    }
    now = start + end;
  }

  int waiting() {
    return tasks.size();
  }
}
