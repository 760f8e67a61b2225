package io.jobscheduler.benchmarks.micro;

import io.jobscheduler.schedule.cron.CronExpression;
import io.jobscheduler.schedule.times.CronTimes;
import io.jobscheduler.schedule.times.ScheduleTimes;
import java.time.Instant;
import java.time.ZoneId;
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

/** Walks the fires of an expression in a zone, one after the other, from 2026 to 2100 and again. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@OutputTimeUnit(TimeUnit.SECONDS)
public class NextFireBenchmark {
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
  private static final Instant END = Instant.parse("2100-01-01T00:00:00Z");

  @Param({
    "UTC * * * * *",
    "Europe/Berlin */5 * * * *",
    "Europe/Berlin 0 9 * * 1-5",
    "Europe/Berlin 0 0 29 2 *",
    "Europe/Berlin 0 0 0 LW * ?"
  })
  String schedule = "";

  private ScheduleTimes times = times("UTC * * * * *");
  private Instant from = BEGIN;

  private static ScheduleTimes times(String schedule) {
    String[] parts = schedule.split(" ", 2);
    return CronTimes.of(CronExpression.parse(parts[1]), ZoneId.of(parts[0]));
  }

  /** Compiles the expression. */
  @Setup
  public void compile() {
    times = times(schedule);
  }

  /** Finds one fire. */
  @Benchmark
  public Instant next() {
    Instant next = times.next(from).orElse(END);
    from = next.isBefore(END) ? next : BEGIN;
    return next;
  }

  /** Compiles an expression anew. */
  @Benchmark
  public CronExpression parse() {
    return CronExpression.parse(schedule.substring(schedule.indexOf(' ') + 1));
  }
}
