package io.jobscheduler.worker.health;

import io.jobscheduler.worker.WorkerProcess;
import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/** Ready when registered on a schema that fits, with a beat lately confirmed, and not draining. */
@Readiness
@ApplicationScoped
public class WorkerReadiness implements HealthCheck {
  private final WorkerProcess worker;

  WorkerReadiness(WorkerProcess worker) {
    this.worker = worker;
  }

  @Override
  public HealthCheckResponse call() {
    return HealthCheckResponse.named("worker").status(worker.isReady()).build();
  }
}
