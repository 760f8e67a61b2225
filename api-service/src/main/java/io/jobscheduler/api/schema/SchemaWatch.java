package io.jobscheduler.api.schema;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;
import org.jboss.logging.Logger;

/**
 * Looks at the schema by itself, so that a start without probes says what it waits for and a build
 * that was overtaken ends. Every second until it fits, then every minute.
 */
@ApplicationScoped
class SchemaWatch {
  private static final Logger LOG = Logger.getLogger(SchemaWatch.class);
  private static final long WAITING_SECONDS = 1;
  private static final long FITTING_SECONDS = 60;

  private final SchemaCheck check;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "jobs-schema-watch");
            thread.setDaemon(true);
            return thread;
          });
  // Written and read by the timer's thread only.
  private String lastReason = "";

  SchemaWatch(@Readiness SchemaCheck check) {
    this.check = check;
  }

  void start(@Observes StartupEvent event) {
    timer.execute(this::look);
  }

  void stop(@Observes ShutdownEvent event) {
    timer.shutdownNow();
  }

  private void look() {
    HealthCheckResponse found = check.call();
    boolean fits = found.getStatus() == HealthCheckResponse.Status.UP;
    String reason = String.valueOf(found.getData().map(d -> d.get("reason")).orElse(""));
    if (!reason.equals(lastReason)) {
      lastReason = reason;
      if (fits) {
        LOG.info("Ready: " + reason);
      } else {
        LOG.warn("Not ready, and looking again every second: " + reason);
      }
    }
    if (!timer.isShutdown()) {
      timer.schedule(this::look, fits ? FITTING_SECONDS : WAITING_SECONDS, TimeUnit.SECONDS);
    }
  }
}
