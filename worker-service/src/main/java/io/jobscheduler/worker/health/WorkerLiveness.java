package io.jobscheduler.worker.health;

import io.jobscheduler.worker.WorkerProcess;
import io.jobscheduler.worker.execute.StuckThreads;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Liveness;

/**
 * Alive while every loop has turned within the last minute and no more handlers than allowed ignore
 * that they were told to end: only a new process is rid of those. It never asks the database: its
 * outage must not restart every worker.
 */
@Liveness
@ApplicationScoped
public class WorkerLiveness implements HealthCheck {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final WorkerProcess worker;

  WorkerLiveness(WorkerProcess worker) {
    this.worker = worker;
  }

  @Override
  public HealthCheckResponse call() {
    List<String> stuck = worker.turns().stuck(PATIENCE);
    StuckThreads handlers = worker.stuckThreads();
    return HealthCheckResponse.named("loops")
        .status(stuck.isEmpty() && !handlers.tooMany())
        .withData("stuck", String.join(",", stuck))
        .withData("stuckHandlers", handlers.count())
        .build();
  }
}
