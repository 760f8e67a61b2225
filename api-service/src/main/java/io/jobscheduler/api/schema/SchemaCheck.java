package io.jobscheduler.api.schema;

import io.agroal.api.AgroalDataSource;
import io.jobscheduler.schema.version.SchemaGate;
import io.quarkus.runtime.Quarkus;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Connection;
import java.sql.SQLException;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;
import org.jboss.logging.Logger;

/**
 * Ready: the database answers and its schema fits this build. Too old: not ready, and looked at
 * again with the next probe. Overtaken by a breaking migration: the process ends, since waiting
 * cannot help. Stateless; one statement per probe.
 */
@Readiness
@ApplicationScoped
public class SchemaCheck implements HealthCheck {
  /** Exit code of a process whose build the schema has left behind. */
  static final int OVERTAKEN = 70;

  private static final Logger LOG = Logger.getLogger(SchemaCheck.class);

  private final AgroalDataSource database;

  SchemaCheck(AgroalDataSource database) {
    this.database = database;
  }

  @Override
  public HealthCheckResponse call() {
    try (Connection connection = database.getConnection()) {
      SchemaGate.Verdict verdict = SchemaGate.check(connection);
      if (verdict instanceof SchemaGate.TooNew) {
        LOG.fatal("This build must not go on: " + verdict.message());
        Quarkus.asyncExit(OVERTAKEN);
      }
      return answer(verdict instanceof SchemaGate.Fits, verdict.message());
    } catch (SQLException e) {
      return answer(false, "the database does not answer");
    }
  }

  private static HealthCheckResponse answer(boolean up, String reason) {
    return HealthCheckResponse.named("database").status(up).withData("reason", reason).build();
  }
}
