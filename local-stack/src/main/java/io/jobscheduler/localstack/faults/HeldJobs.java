package io.jobscheduler.localstack.faults;

import io.jobscheduler.localstack.StackDatabase;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The jobs that a worker held at an instant, until each of them has started again. Those that it
 * had settled after all do not count, nor those that had failed or been lost before: they wait for
 * their retry.
 */
final class HeldJobs implements Probe {
  /** A job's lease at that instant. */
  private record Lease(long job, long token, Instant at, boolean lengthy) {}

  private record Start(long job, long token, Instant startedAt) {}

  private final AdminSession session;
  private final List<Lease> waiting;
  private final boolean any;
  private final boolean lengthy;
  private Duration longest = Duration.ZERO;
  private boolean measured;

  private HeldJobs(AdminSession session, List<Lease> held) {
    this.session = session;
    this.waiting = new ArrayList<>(held);
    this.any = !held.isEmpty();
    this.lengthy = held.stream().anyMatch(Lease::lengthy);
  }

  // Lengthy: what has run for two seconds does not end between this look and the fault.
  private static final String HELD =
      """
      SELECT j.id, j.lease_token, clock_timestamp() AS at,
             coalesce(j.started_at < clock_timestamp() - interval '2 seconds', false)
        FROM jobs.jobs j JOIN jobs.workers w ON w.id = j.worker_id
       WHERE w.pid = ? AND w.lost_at IS NULL AND w.stopped_at IS NULL
         AND j.state = 'running' AND j.attempt = 1 AND j.attempt_rows = 0
      """;

  /** What the worker of this process holds now. */
  static HeldJobs of(StackDatabase database, long pid) {
    AdminSession session = new AdminSession(database);
    List<Lease> held =
        session
            .ask(
                HELD,
                row ->
                    new Lease(
                        row.getLong(1),
                        row.getLong(2),
                        instant(row.getTimestamp(3)),
                        row.getBoolean(4)),
                pid)
            .orElse(List.of());
    return new HeldJobs(session, held);
  }

  boolean isEmpty() {
    return !any;
  }

  /** Whether one of them had run for two seconds. */
  boolean isLengthy() {
    return lengthy;
  }

  private static final String NOW =
      """
      SELECT id, coalesce(lease_token, 0), started_at, false FROM jobs.jobs WHERE id = ANY (?)
      UNION ALL
      SELECT id, coalesce(lease_token, 0), started_at, true FROM jobs.finished_jobs WHERE id = ANY (?)
      """;

  @Override
  public Optional<Duration> poll() {
    if (!waiting.isEmpty()) {
      Long[] ids = waiting.stream().map(Lease::job).toArray(Long[]::new);
      session.ask(
          NOW,
          row -> {
            Timestamp started = row.getTimestamp(3);
            note(
                row.getLong(1),
                row.getLong(2),
                started == null ? null : started.toInstant(),
                row.getBoolean(4));
            return true;
          },
          ids,
          ids);
    }
    return waiting.isEmpty() && measured ? Optional.of(longest) : Optional.empty();
  }

  @Override
  public boolean isWaiting() {
    return !waiting.isEmpty();
  }

  private void note(
      long job, long token, @org.jspecify.annotations.Nullable Instant startedAt, boolean over) {
    for (Lease lease : List.copyOf(waiting)) {
      if (lease.job() != job) {
        continue;
      }
      if (token > lease.token() && startedAt != null) {
        waiting.remove(lease);
        measured = true;
        Duration took = Duration.between(lease.at(), startedAt);
        longest = took.compareTo(longest) > 0 ? took : longest;
      } else if (over) {
        waiting.remove(lease);
      }
    }
  }

  private static Instant instant(Timestamp at) {
    return at.toInstant();
  }

  @Override
  public void close() {
    session.close();
  }
}
