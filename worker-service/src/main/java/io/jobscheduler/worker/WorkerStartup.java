package io.jobscheduler.worker;

import io.agroal.api.AgroalDataSource;
import io.jobscheduler.worker.database.DirectConnections;
import io.jobscheduler.worker.handlers.HandlerRegistry;
import io.jobscheduler.worker.handlers.JobHandler;
import io.jobscheduler.worker.shutdown.ExitOnTerm;
import io.quarkus.arc.All;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.ShutdownDelayInitiatedEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/** Puts the worker together from the configuration, starts it, and drains it at shutdown. */
@ApplicationScoped
public class WorkerStartup {
  private static final Logger LOG = Logger.getLogger(WorkerStartup.class);
  private static final int EXIT_OUT_OF_MEMORY = 3;
  private static final int EXIT_TOO_NEW = 4;

  private final WorkerProcess worker;

  WorkerStartup(
      WorkerConfig config,
      AgroalDataSource pool,
      DirectConnections direct,
      @All List<JobHandler> handlers,
      @ConfigProperty(name = "quarkus.application.version") String version) {
    this.worker =
        new WorkerProcess(
            WorkerSettings.of(config, hostName(), version),
            pool::getConnection,
            direct,
            new HandlerRegistry(handlers),
            () -> Runtime.getRuntime().halt(EXIT_OUT_OF_MEMORY),
            () -> Quarkus.asyncExit(EXIT_TOO_NEW));
  }

  void start(@Observes StartupEvent event) {
    ExitOnTerm.install();
    Thread.setDefaultUncaughtExceptionHandler(WorkerStartup::threadDied);
    worker.start();
  }

  // In this phase the probes still answer, so readiness is seen to fall while the worker drains.
  void drain(@Observes ShutdownDelayInitiatedEvent event) {
    worker.drain();
  }

  @Produces
  @ApplicationScoped
  WorkerProcess worker() {
    return worker;
  }

  // The loops catch what can be survived; liveness reports a loop that died of anything else.
  private static void threadDied(Thread thread, Throwable cause) {
    if (cause instanceof OutOfMemoryError) {
      Runtime.getRuntime().halt(EXIT_OUT_OF_MEMORY);
    }
    LOG.errorf(cause, "Thread died, the process should be restarted thread=%s", thread.getName());
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown";
    }
  }
}
