package io.jobscheduler.scheduler.health;

import io.jobscheduler.scheduler.snapshots.OldSnapshots;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/**
 * Always up: says in its data, on the leader, who holds an old snapshot. That somebody else's
 * transaction is old is no reason to take this process out of service.
 */
@Singleton
@Readiness
public class SnapshotWarning implements HealthCheck {
  private final OldSnapshots snapshots;

  /** Over what the leader has seen. */
  public SnapshotWarning(OldSnapshots snapshots) {
    this.snapshots = snapshots;
  }

  @Override
  public HealthCheckResponse call() {
    HealthCheckResponseBuilder answer = HealthCheckResponse.named("old snapshots").up();
    snapshots
        .oldest()
        .filter(OldSnapshots.Oldest::warns)
        .ifPresent(
            old ->
                answer
                    .withData("warning", "vacuum cannot clean up and claims get slow")
                    .withData("holder", old.holder())
                    .withData("seconds", old.age().toSeconds()));
    return answer.build();
  }
}
