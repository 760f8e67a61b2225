package io.jobscheduler.api.signal;

import io.agroal.api.AgroalDataSource;
import io.jobscheduler.api.database.AfterCommit;
import io.jobscheduler.schema.names.Channels;
import io.jobscheduler.schema.signal.CoalescingNotifier;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/**
 * Tells other processes what a commit has changed, once it is one. Never blocks and never fails a
 * request: whoever listens also polls. Thread-safe.
 */
@ApplicationScoped
public class Signals {
  private static final Logger LOG = Logger.getLogger(Signals.class);
  private static final long READY_WINDOW_MILLIS = 20;
  private static final long CHANGED_WINDOW_MILLIS = 1_000;

  private final CoalescingNotifier notifier;

  Signals(AgroalDataSource dataSource) {
    this.notifier =
        new CoalescingNotifier(
            "jobs-signals",
            dataSource::getConnection,
            (lost, cause) ->
                LOG.warnf(
                    "Signals were not sent; listeners poll instead: lost=%d sqlstate=%s",
                    lost, cause.getSQLState()));
  }

  @PreDestroy
  void close() {
    notifier.close();
  }

  /**
   * Runs a transaction of this thread. What it tells goes out once it has committed, that is when
   * {@code transaction} returns; if it throws, nothing does.
   */
  public <T> T afterCommit(Supplier<T> transaction) {
    return AfterCommit.of(transaction::get);
  }

  /** Whether this thread is inside {@link #afterCommit}, or another call that tells later. */
  public boolean isHeld() {
    return AfterCommit.isHeld();
  }

  private void say(
      String channel, String key, String payload, long window, BinaryOperator<String> merge) {
    AfterCommit.run(() -> notifier.signal(channel, key, payload, window, merge));
  }

  /** A job has become claimable; the smallest key among several. */
  public void ready(int queueId, int lane, long dispatchKey, long jobId) {
    say(
        Channels.JOBS_READY,
        Integer.toString(queueId),
        queueId + ":" + lane + ":" + dispatchKey + ":" + jobId,
        READY_WINDOW_MILLIS,
        Signals::smallestOfEachLane);
  }

  /** A job is due at an instant. */
  public void due(Instant at) {
    earliest(Channels.JOBS_DUE, at);
  }

  /** Where a schedule stands has changed; its next planned time. */
  public void scheduleDue(Instant at) {
    earliest(Channels.SCHEDULES_DUE, at);
  }

  private void earliest(String channel, Instant at) {
    // Not by ChronoUnit: it counts in nanoseconds on Java 17, and overflows from the year 2262 on.
    long micros = at.getEpochSecond() * 1_000_000 + at.getNano() / 1_000;
    say(
        channel,
        "",
        Long.toString(micros),
        READY_WINDOW_MILLIS,
        (waiting, fresh) ->
            Long.toString(Math.min(Long.parseLong(waiting), Long.parseLong(fresh))));
  }

  /** A worker has something to do at once: a request to cancel one of its jobs. */
  public void control(long workerId) {
    String payload = Long.toString(workerId);
    say(Channels.CONTROL, payload, payload, READY_WINDOW_MILLIS, (waiting, fresh) -> fresh);
  }

  /** Something that the dashboard shows has changed in a project. */
  public void changed(String project, Topic topic) {
    say(
        Channels.JOBS_CHANGED,
        project,
        project + " " + topic.label(),
        CHANGED_WINDOW_MILLIS,
        Signals::bothTopics);
  }

  /** Both, and of each lane the smaller place. */
  static String smallestOfEachLane(String waiting, String fresh) {
    Map<String, String> smallest = new TreeMap<>();
    for (String place : (waiting + " " + fresh).split(" ", -1)) {
      smallest.merge(place.split(":", -1)[1], place, Signals::smaller);
    }
    return String.join(" ", smallest.values());
  }

  private static String smaller(String one, String other) {
    String[] a = one.split(":", -1);
    String[] b = other.split(":", -1);
    int order = Long.compare(Long.parseLong(a[2]), Long.parseLong(b[2]));
    if (order == 0) {
      order = Long.compare(Long.parseLong(a[3]), Long.parseLong(b[3]));
    }
    return order <= 0 ? one : other;
  }

  static String bothTopics(String waiting, String fresh) {
    int blank = waiting.indexOf(' ');
    Set<String> topics = new TreeSet<>();
    topics.addAll(Set.of(waiting.substring(blank + 1).split(",", -1)));
    topics.addAll(Set.of(fresh.substring(blank + 1).split(",", -1)));
    return waiting.substring(0, blank + 1) + String.join(",", topics);
  }
}
