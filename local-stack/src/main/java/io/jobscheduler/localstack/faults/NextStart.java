package io.jobscheduler.localstack.faults;

import io.jobscheduler.localstack.StackDatabase;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** A moment at which nothing went on, until some job has started after it. */
final class NextStart implements Probe {
  private final AdminSession session;
  private final Instant from;
  private final Instant after;

  /**
   * Waits for it.
   *
   * @param from what the time counts from
   * @param after the start has to be after it
   */
  NextStart(StackDatabase database, Instant from, Instant after) {
    this.session = new AdminSession(database);
    this.from = from;
    this.after = after;
  }

  // Few rows run at a time, and an index holds them.
  private static final String NEXT =
      """
      SELECT started_at FROM jobs.jobs
       WHERE state = 'running' AND started_at > ? ORDER BY started_at LIMIT 1
      """;

  @Override
  public Optional<Duration> poll() {
    return session
        .ask(NEXT, row -> Objects.requireNonNull(row.getTimestamp(1)).toInstant(), stamp(after))
        .orElse(List.of())
        .stream()
        .findFirst()
        .map(started -> Duration.between(from, started));
  }

  private static Timestamp stamp(Instant at) {
    return Timestamp.from(at);
  }

  @Override
  public boolean isWaiting() {
    return poll().isEmpty();
  }

  @Override
  public void close() {
    session.close();
  }
}
