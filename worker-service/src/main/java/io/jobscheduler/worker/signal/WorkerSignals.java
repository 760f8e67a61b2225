package io.jobscheduler.worker.signal;

import io.jobscheduler.schema.names.Channels;
import io.jobscheduler.schema.signal.CoalescingNotifier;
import io.jobscheduler.worker.claim.QueueInfo;
import io.jobscheduler.worker.claim.ReadyPlace;
import io.jobscheduler.worker.database.Connections;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/**
 * What this worker tells others by NOTIFY, through the one notifier of the process. Thread-safe.
 */
public final class WorkerSignals implements AutoCloseable {
  /** Topics of {@code jobs_changed}. */
  public enum Topic {
    /** A job's state. */
    JOBS("jobs"),
    /** A queue's counts. */
    QUEUES("queues"),
    /** A workflow's state. */
    WORKFLOWS("workflows"),
    /** Workers that came or went. */
    WORKERS("workers");

    private final String word;

    Topic(String word) {
      this.word = word;
    }
  }

  private static final Logger LOG = Logger.getLogger(WorkerSignals.class);
  private static final long READY_MILLIS = 20;
  private static final long ROOM_MILLIS = 100;
  private static final long CHANGED_MILLIS = 1_000;

  private final CoalescingNotifier notifier;
  private final Map<Integer, String> projects = new ConcurrentHashMap<>();
  private volatile Set<Integer> limited = Set.of();

  /** Starts the sending thread. */
  public WorkerSignals(Connections pool) {
    this.notifier =
        new CoalescingNotifier(
            "jobs-notify",
            pool::open,
            (lost, cause) ->
                LOG.debugf("Notifications dropped count=%d cause=%s", lost, cause.toString()));
  }

  /** Learns the projects' names, and which queues are limited. */
  public void learn(List<QueueInfo> queues) {
    queues.forEach(queue -> projects.put(queue.projectId(), queue.name().project()));
    limited =
        queues.stream()
            .filter(QueueInfo::isLimited)
            .map(QueueInfo::id)
            .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Jobs of these queues have ended, and this worker asks for no other: those that are limited may
   * have room for another worker. A job in each batch of settles could say so, so it is said
   * seldom.
   */
  public void room(Collection<Integer> queueIds) {
    for (int queue : queueIds) {
      if (limited.contains(queue)) {
        notifier.signal(
            Channels.JOBS_READY,
            "room " + queue,
            Integer.toString(queue),
            ROOM_MILLIS,
            (waiting, added) -> added);
      }
    }
  }

  /** These jobs became ready. */
  public void ready(Collection<ReadyPlace> places) {
    places.stream()
        .collect(Collectors.groupingBy(ReadyPlace::queueId))
        .forEach(
            (queue, own) ->
                notifier.signal(
                    Channels.JOBS_READY,
                    Integer.toString(queue),
                    ReadyPayload.write(own),
                    READY_MILLIS,
                    ReadyPayload::merge));
  }

  /** Something that dashboards of that project show has changed. */
  public void changed(int projectId, Topic... topics) {
    String project = projects.get(projectId);
    if (project != null) {
      changed(project, topics);
    }
  }

  /** The same in every project that this worker has seen. */
  public void changedEverywhere(Topic topic) {
    projects.values().forEach(project -> changed(project, topic));
  }

  private void changed(String project, Topic... topics) {
    String words = Stream.of(topics).map(topic -> topic.word).collect(Collectors.joining(","));
    notifier.signal(
        Channels.JOBS_CHANGED,
        project,
        project + " " + words,
        CHANGED_MILLIS,
        (waiting, added) -> project + " " + union(waiting, added));
  }

  private static String union(String waiting, String added) {
    return Stream.of(waiting, added)
        .flatMap(payload -> Stream.of(payload.substring(payload.indexOf(' ') + 1).split(",")))
        .distinct()
        .sorted()
        .collect(Collectors.joining(","));
  }

  /** Sends what waits and ends the thread. */
  @Override
  public void close() {
    notifier.close();
  }
}
