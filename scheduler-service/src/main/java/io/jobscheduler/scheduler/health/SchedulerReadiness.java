package io.jobscheduler.scheduler.health;

import io.jobscheduler.scheduler.cron.FireFigures;
import io.jobscheduler.scheduler.leadership.Leadership;
import io.jobscheduler.scheduler.leadership.Term;
import io.jobscheduler.scheduler.schema.SchemaWatch;
import io.jobscheduler.schema.version.SchemaGate.Fits;
import io.jobscheduler.schema.version.SchemaGate.Verdict;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/** Ready: this process' beats reach the database, and its schema fits. Leader or not. */
@Singleton
@Readiness
public class SchedulerReadiness implements HealthCheck {
  private static final Duration ANSWERED_WITHIN = Duration.ofSeconds(5);

  private final Leadership leadership;
  private final SchemaWatch schema;
  private final FireFigures fires;

  SchedulerReadiness(Leadership leadership, SchemaWatch schema, FireFigures fires) {
    this.leadership = leadership;
    this.schema = schema;
    this.fires = fires;
  }

  @Override
  public HealthCheckResponse call() {
    boolean reached = leadership.reachedDatabaseWithin(ANSWERED_WITHIN);
    Verdict verdict = schema.verdict();
    HealthCheckResponseBuilder answer =
        HealthCheckResponse.named("database and schema")
            .status(reached && verdict instanceof Fits)
            .withData("database", reached ? "answers" : "does not answer")
            .withData("schema", verdict == null ? "not checked yet" : verdict.message());
    leadership.current().map(Term::epoch).ifPresent(epoch -> answer.withData("leads", epoch));
    fires.all().forEach((name, value) -> answer.withData("schedules." + name, value));
    return answer.build();
  }
}
