package io.jobscheduler.benchmarks.micro;

import io.jobscheduler.algorithms.graph.ExecutionPlan;
import io.jobscheduler.algorithms.graph.Graph;
import io.jobscheduler.algorithms.graph.KahnPlanner;
import java.util.concurrent.TimeUnit;
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

/** Plans a graph of {@code size} nodes and four times as many edges. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class KahnPlannerBenchmark {

  @Param({"1000", "100000", "1000000"})
  int size;

  private Graph graph = LayeredGraph.of(0);
  private double[] durations = new double[0];

  /** Makes the graph. */
  @Setup
  public void make() {
    graph = LayeredGraph.of(size);
    durations = LayeredGraph.durations(size);
  }

  /** Order, levels, ranks and critical path. */
  @Benchmark
  public ExecutionPlan plan() {
    return KahnPlanner.plan(graph, durations);
  }
}
