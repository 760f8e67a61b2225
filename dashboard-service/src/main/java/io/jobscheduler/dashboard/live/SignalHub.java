package io.jobscheduler.dashboard.live;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.vertx.core.Vertx;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.Set;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Leads changes from the database to the sockets of their project, thinned out. */
@ApplicationScoped
class SignalHub implements ChangeListener.Events {
  /** What a browser can have missed while nobody listened. */
  private static final Set<String> EVERYTHING =
      Set.of("jobs", "queues", "workers", "workflows", "schedules", "bulk");

  private static final ChangeListener.Status NOT_STARTED =
      new ChangeListener.Status.NotReady("not started yet");

  private static final Logger LOG = Logger.getLogger(SignalHub.class);

  private final Subscriptions subscriptions;
  private final SignalCoalescer coalescer;
  private final ListenConnections connections;
  private volatile @Nullable ChangeListener listener;

  SignalHub(
      Subscriptions subscriptions, ListenConnections connections, LiveConfig config, Vertx vertx) {
    this.subscriptions = subscriptions;
    this.connections = connections;
    this.coalescer =
        new SignalCoalescer(
            config.window(),
            System::nanoTime,
            (delay, task) -> vertx.setTimer(Math.max(1, delay.toMillis()), id -> task.run()),
            subscriptions::deliver);
  }

  void start(@Observes StartupEvent event) {
    listener = new ChangeListener(connections::open, this);
  }

  void stop(@Observes ShutdownEvent event) {
    ChangeListener running = listener;
    if (running != null) {
      running.close();
    }
  }

  ChangeListener.Status status() {
    ChangeListener running = listener;
    return running == null ? NOT_STARTED : running.status();
  }

  @Override
  public void changed(Change change) {
    if (subscriptions.watched(change.project())) {
      coalescer.signal(change);
    }
  }

  @Override
  public void listening() {
    subscriptions.projects().forEach(project -> coalescer.signal(new Change(project, EVERYTHING)));
  }

  @Override
  public void schemaTooNew(String message) {
    LOG.error(message);
    Quarkus.asyncExit(1);
  }
}
