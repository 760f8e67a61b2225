package io.jobscheduler.benchmarks.micro;

import io.jobscheduler.algorithms.fairness.DeficitRoundRobin;
import java.util.Map;
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

/** One decision among {@code size} active flows of weights 1 to 10. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class DeficitRoundRobinBenchmark {

  @Param({"100", "10000"})
  int size;

  private final DeficitRoundRobin<Integer> flows = new DeficitRoundRobin<>(10);

  /** Activates all flows. */
  @Setup
  public void activate() {
    for (int flow = 0; flow < size; flow++) {
      flows.activate(flow, 1 + flow % 10);
    }
  }

  /** Serves one head of cost 1 to 7. */
  @Benchmark
  public @Nullable Integer serveOne() {
    return flows.next(flow -> 1 + flow % 7);
  }

  /** Serves one head whose cost takes its flow 100,000 to 1,000,000 visits. */
  @Benchmark
  public @Nullable Integer serveOneOfHugeCost() {
    return flows.next(flow -> 10_000_000L + flow);
  }

  /** Plans 100 slots. */
  @Benchmark
  public Map<Integer, Integer> planHundredSlots() {
    return flows.plan(100, flow -> 100);
  }

  /** Plans as many slots as there are, which takes all flows to their limits. */
  @Benchmark
  public Map<Integer, Integer> planAllSlots() {
    return flows.plan(Integer.MAX_VALUE, flow -> 1_000 + flow);
  }
}
