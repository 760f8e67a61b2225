package io.jobscheduler.benchmarks.micro;

import io.jobscheduler.algorithms.retry.RetryDelayQueue;
import java.util.SplittableRandom;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** One operation on a delay queue that holds {@code size} elements before and after. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RetryDelayQueueBenchmark {
  private static final long SPREAD = 1_000_000;

  @Param({"100", "10000", "1000000"})
  int size;

  private final SplittableRandom random = new SplittableRandom(1);
  private long now;
  private final RetryDelayQueue<Long> queue = new RetryDelayQueue<>(() -> now);
  private final DelayQueue<Timer> peer = new DelayQueue<>();

  /** Fills both queues with the same instants. */
  @Setup
  public void fill() {
    for (long i = 0; i < size; i++) {
      long due = random.nextLong(SPREAD);
      queue.add(i, due);
      peer.add(new Timer(due));
    }
  }

  /** The clock reaches the next instant; its element is taken and added again for later. */
  @Benchmark
  public @Nullable Long takeDueAndAdd() {
    now = queue.nextDueNanos().orElseThrow();
    Long due = queue.pollDue();
    if (due != null) {
      queue.add(due, now + random.nextLong(SPREAD));
    }
    return due;
  }

  /** The same with the JDK's queue. */
  @Benchmark
  public @Nullable Object takeDueAndAddDelayQueue() {
    Timer head = peer.element();
    now = head.due;
    Timer due = peer.poll();
    if (due != null) {
      peer.add(new Timer(now + random.nextLong(SPREAD)));
    }
    return due;
  }

  /** A retry is added and cancelled before it was due. */
  @Benchmark
  public boolean addAndCancel() {
    return queue.cancel(queue.add(0L, now + random.nextLong(SPREAD)));
  }

  /** The same with the JDK's queue, which searches for the element. */
  @Benchmark
  public boolean addAndCancelDelayQueue() {
    Timer added = new Timer(now + random.nextLong(SPREAD));
    peer.add(added);
    return peer.remove(added);
  }

  private final class Timer implements Delayed {
    final long due;

    Timer(long due) {
      this.due = due;
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(due - now, TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return other instanceof Timer timer ? Long.compare(due, timer.due) : -other.compareTo(this);
    }
  }
}
