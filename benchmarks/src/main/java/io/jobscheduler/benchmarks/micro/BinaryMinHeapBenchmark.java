package io.jobscheduler.benchmarks.micro;

import io.jobscheduler.algorithms.heap.BinaryMinHeap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
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

/** One operation on a heap that holds {@code size} elements before and after. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class BinaryMinHeapBenchmark {

  @Param({"100", "10000", "1000000"})
  int size;

  private final SplittableRandom random = new SplittableRandom(1);
  private final BinaryMinHeap<Long> heap = new BinaryMinHeap<>(Comparator.naturalOrder());
  private final PriorityQueue<Long> peer = new PriorityQueue<>();
  private final List<BinaryMinHeap.Handle<Long>> handles = new ArrayList<>();
  private final List<Long> elements = new ArrayList<>();

  /** Fills both queues with the same elements. */
  @Setup
  public void fill() {
    for (int i = 0; i < size; i++) {
      Long element = random.nextLong();
      handles.add(heap.add(element));
      peer.add(element);
      elements.add(element);
    }
  }

  /** Takes the smallest and adds another. */
  @Benchmark
  public @Nullable Long pollAndAdd() {
    heap.add(random.nextLong());
    return heap.poll();
  }

  /** The same with the JDK's queue. */
  @Benchmark
  public @Nullable Long pollAndAddPriorityQueue() {
    peer.add(random.nextLong());
    return peer.poll();
  }

  /** Removes any element by its handle and adds another. */
  @Benchmark
  public boolean removeAndAdd() {
    int any = random.nextInt(size);
    boolean removed = heap.remove(handles.get(any));
    handles.set(any, heap.add(random.nextLong()));
    return removed;
  }

  /** The same with the JDK's queue, which searches for the element. */
  @Benchmark
  public boolean removeAndAddPriorityQueue() {
    int any = random.nextInt(size);
    boolean removed = peer.remove(elements.get(any));
    Long element = random.nextLong();
    peer.add(element);
    elements.set(any, element);
    return removed;
  }
}
