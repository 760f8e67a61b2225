package io.jobscheduler.benchmarks.micro;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs each benchmark once, small and without measuring, so that none can rot. */
class EachBenchmarkOnceTest {
  private static final List<String> STRUCTURES =
      List.of(
          "BinaryMinHeap",
          "CycleFinder",
          "DeficitRoundRobin",
          "KahnPlanner",
          "NextFire",
          "RetryDelayQueue",
          "UnionFind");

  @BeforeAll
  static void measureNothing() {
    // The lock keeps measurements apart; nothing is measured here, so nobody needs to wait.
    System.setProperty("jmh.ignoreLock", "true");
  }

  @Test
  void eachBenchmarkRuns() throws RunnerException {
    Options once =
        new OptionsBuilder()
            .include(getClass().getPackageName().replace(".", "\\."))
            .mode(Mode.SingleShotTime)
            .param("size", "1000")
            .forks(0)
            .warmupIterations(0)
            .measurementIterations(1)
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT)
            .build();
    Set<String> ran = new TreeSet<>();
    new Runner(once).run().forEach(result -> ran.add(structure(result.getParams().getBenchmark())));
    assertEquals(new TreeSet<>(STRUCTURES), ran);
  }

  private static String structure(String benchmark) {
    String[] names = benchmark.split("\\.");
    return names[names.length - 2].replace("Benchmark", "");
  }
}
