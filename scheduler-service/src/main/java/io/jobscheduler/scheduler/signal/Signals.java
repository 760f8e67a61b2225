package io.jobscheduler.scheduler.signal;

import io.jobscheduler.schema.names.Channels;
import io.jobscheduler.schema.signal.CoalescingNotifier;
import io.quarkus.runtime.ShutdownEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jboss.logging.Logger;

/**
 * The process' one sender of notifications. Thread-safe; never blocks on a NOTIFY and never throws:
 * a signal is a courtesy.
 */
@Singleton
public class Signals implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(Signals.class);
  private static final long READY_WINDOW_MILLIS = 20;
  private static final long CHANGED_WINDOW_MILLIS = 1_000;

  private final CoalescingNotifier notifier;
  private final ProjectNames projects;

  /** Sends over connections of {@code dataSource}, from a thread of its own. */
  public Signals(DataSource dataSource) {
    this.projects = new ProjectNames(dataSource);
    this.notifier =
        new CoalescingNotifier(
            "jobs-signals",
            dataSource::getConnection,
            (lost, cause) -> LOG.debugf(cause, "%d notifications were not sent", lost));
  }

  /**
   * Tells that jobs became claimable: per queue the first of them in the order of dispatch, to
   * workers, and that jobs and queues changed, to the dashboard.
   */
  public void ready(Collection<ReadyJob> jobs) {
    Map<Integer, ReadyJob> first = new HashMap<>();
    for (ReadyJob job : jobs) {
      first.merge(job.queueId(), job, Signals::firstOf);
    }
    first.forEach(
        (queue, job) ->
            notifier.signal(
                Channels.JOBS_READY,
                Integer.toString(queue),
                job.payload(),
                READY_WINDOW_MILLIS,
                (a, b) -> firstOf(ReadyJob.parse(a), ReadyJob.parse(b)).payload()));
    changed(
        jobs.stream().map(ReadyJob::projectId).collect(Collectors.toSet()),
        Topic.JOBS,
        Topic.QUEUES);
  }

  /** A worker has something to do at once: a request to cancel one of its jobs. */
  public void control(long workerId) {
    String payload = Long.toString(workerId);
    notifier.signal(
        Channels.CONTROL, payload, payload, READY_WINDOW_MILLIS, (waiting, fresh) -> fresh);
  }

  /** Tells the dashboard that topics of projects changed. */
  public void changed(Collection<Integer> projectIds, Topic... topics) {
    for (int project : Set.copyOf(projectIds)) {
      try {
        projects.nameOf(project).ifPresent(name -> changed(name, topics));
      } catch (SQLException e) {
        LOG.debug("a project's name could not be read", e);
      }
    }
  }

  /** Tells the dashboard that topics changed in every project: workers belong to the fleet. */
  public void changedEverywhere(Topic... topics) {
    try {
      changed(projects.all(), topics);
    } catch (SQLException e) {
      LOG.debug("the projects could not be read", e);
    }
  }

  private void changed(String project, Topic... topics) {
    String labels = Arrays.stream(topics).map(Topic::label).collect(Collectors.joining(","));
    notifier.signal(
        Channels.JOBS_CHANGED,
        project,
        project + " " + labels,
        CHANGED_WINDOW_MILLIS,
        Signals::unionOfTopics);
  }

  private static ReadyJob firstOf(ReadyJob a, ReadyJob b) {
    return ReadyJob.DISPATCH_ORDER.compare(a, b) <= 0 ? a : b;
  }

  /** Both payloads are {@code project topic,topic} of the same project. */
  static String unionOfTopics(String a, String b) {
    int space = a.indexOf(' ');
    Set<String> topics = new TreeSet<>(Arrays.asList(a.substring(space + 1).split(",", -1)));
    topics.addAll(Arrays.asList(b.substring(b.indexOf(' ') + 1).split(",", -1)));
    return a.substring(0, space + 1) + String.join(",", topics);
  }

  void stop(@Observes ShutdownEvent event) {
    close();
  }

  /** Sends what waits and stops the thread. */
  @Override
  public void close() {
    notifier.close();
  }
}
