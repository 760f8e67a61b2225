package io.jobscheduler.scheduler.health;

import io.jobscheduler.scheduler.loop.Loop;
import io.jobscheduler.scheduler.loop.Loops;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Liveness;

/**
 * Live: no loop is stuck. A database that is away fails rounds, it does not stop the loops, so it
 * restarts nobody.
 */
@Singleton
@Liveness
public class SchedulerLiveness implements HealthCheck {
  private static final Duration STUCK_AFTER = Duration.ofSeconds(60);

  private final Loops loops;

  SchedulerLiveness(Loops loops) {
    this.loops = loops;
  }

  @Override
  public HealthCheckResponse call() {
    List<String> stuck = loops.stuck(STUCK_AFTER);
    HealthCheckResponseBuilder answer =
        HealthCheckResponse.named("loops turn").status(stuck.isEmpty());
    if (!stuck.isEmpty()) {
      answer.withData("stuck", String.join(", ", stuck));
    }
    for (Loop loop : loops.all()) {
      answer.withData(loop.name(), describe(loop));
    }
    return answer.build();
  }

  private static String describe(Loop loop) {
    String last =
        loop.sinceSuccess()
            .map(d -> "last success " + d.toMillis() / 1000 + " s ago")
            .orElse("no success yet");
    String failed = loop.failuresInRow() == 0 ? "" : ", failed rounds " + loop.failuresInRow();
    String passedOver = loop.passedOver() == 0 ? "" : ", rows passed over " + loop.passedOver();
    return last + failed + passedOver;
  }
}
