package io.jobscheduler.dashboard.live;

import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/** Ready when the database answers and its schema fits; asks nothing itself. */
@Readiness
@ApplicationScoped
class DatabaseReadiness implements HealthCheck {
  private final SignalHub hub;

  DatabaseReadiness(SignalHub hub) {
    this.hub = hub;
  }

  @Override
  public HealthCheckResponse call() {
    ChangeListener.Status status = hub.status();
    if (status instanceof ChangeListener.Status.NotReady notReady) {
      return HealthCheckResponse.named("database")
          .down()
          .withData("reason", notReady.reason())
          .build();
    }
    return HealthCheckResponse.up("database");
  }
}
