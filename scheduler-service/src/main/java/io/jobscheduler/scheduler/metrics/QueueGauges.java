package io.jobscheduler.scheduler.metrics;

import io.jobscheduler.scheduler.leadership.Leadership;
import io.jobscheduler.scheduler.loop.Loop;
import io.jobscheduler.scheduler.loop.Loops;
import io.jobscheduler.scheduler.metrics.QueueGaugeStore.QueueGauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.quarkus.runtime.Startup;
import io.quarkus.scheduler.Scheduled;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Depth and latency of the queues, read by the leader. Turned by one thread at a time. */
@Singleton
@Startup
public class QueueGauges {
  private final Leadership leadership;
  private final QueueGaugeStore store;
  private final MultiGauge depth;
  private final MultiGauge latency;
  private final Loop loop;

  @Inject
  QueueGauges(Leadership leadership, DataSource dataSource, MeterRegistry registry, Loops loops) {
    this.leadership = leadership;
    this.store = new QueueGaugeStore(dataSource);
    this.depth =
        MultiGauge.builder("jobs.queue.depth")
            .description("jobs of a queue by state, counted up to 10,000")
            .register(registry);
    this.latency =
        MultiGauge.builder("jobs.queue.latency")
            .description("age of a queue's oldest ready job, 0 when there is none")
            .baseUnit("seconds")
            .register(registry);
    this.loop = loops.add("queue-gauges", Duration.ofSeconds(15));
  }

  @Scheduled(every = "15s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  void tick() {
    loop.turn(this::runOnce);
  }

  /** Reads the queues when this process leads; another's are not its to show. */
  void runOnce() throws SQLException {
    List<QueueGauge> queues = leadership.current().isPresent() ? store.read() : List.of();
    List<Row<?>> depths = new ArrayList<>();
    List<Row<?>> latencies = new ArrayList<>();
    for (QueueGauge queue : queues) {
      Tags tags = Tags.of("project", queue.project(), "queue", queue.queue());
      depths.add(Row.of(tags.and("state", "ready"), queue.ready()));
      depths.add(Row.of(tags.and("state", "running"), queue.running()));
      depths.add(Row.of(tags.and("state", "scheduled"), queue.scheduled()));
      depths.add(Row.of(tags.and("state", "retrying"), queue.retrying()));
      depths.add(Row.of(tags.and("state", "blocked"), queue.blocked()));
      latencies.add(Row.of(tags, queue.latencySeconds()));
    }
    depth.register(depths, true);
    latency.register(latencies, true);
  }
}
