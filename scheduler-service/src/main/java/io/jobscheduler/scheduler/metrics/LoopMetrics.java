package io.jobscheduler.scheduler.metrics;

import io.jobscheduler.scheduler.leadership.Leadership;
import io.jobscheduler.scheduler.loop.Loop;
import io.jobscheduler.scheduler.loop.Loops;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Registers the meters of all loops, once they have been added. */
@Singleton
public class LoopMetrics {
  private static final int AFTER_THE_LOOPS = 10_000;

  private final MeterRegistry registry;
  private final Loops loops;
  private final Leadership leadership;

  LoopMetrics(MeterRegistry registry, Loops loops, Leadership leadership) {
    this.registry = registry;
    this.loops = loops;
    this.leadership = leadership;
  }

  void register(@Observes @Priority(AFTER_THE_LOOPS) StartupEvent event) {
    Gauge.builder("jobs.leader", leadership, l -> l.current().isPresent() ? 1 : 0)
        .description("1 while this process leads")
        .register(registry);
    loops.all().forEach(this::register);
  }

  private void register(Loop loop) {
    FunctionTimer.builder(
            "jobs.maintenance.duration",
            loop,
            Loop::rounds,
            l -> l.spent().toNanos(),
            TimeUnit.NANOSECONDS)
        .description("rounds of a loop and how long they took")
        .tag("task", loop.name())
        .register(registry);
    FunctionCounter.builder("jobs.maintenance.rows", loop, Loop::rows)
        .description("rows that a loop has worked off")
        .tag("task", loop.name())
        .register(registry);
    Gauge.builder("jobs.maintenance.success.age", loop, LoopMetrics::age)
        .description("how long ago a round of a loop went well")
        .baseUnit("seconds")
        .tag("task", loop.name())
        .register(registry);
    Gauge.builder("jobs.maintenance.passed.over", loop, Loop::passedOver)
        .description("rows that a loop cannot work off and passes over")
        .tag("task", loop.name())
        .register(registry);
  }

  /** In seconds; not a number while none has gone well. */
  private static double age(Loop loop) {
    return loop.sinceSuccess().map(Duration::toNanos).map(n -> n / 1e9).orElse(Double.NaN);
  }
}
