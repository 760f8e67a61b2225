package io.jobscheduler.localstack.faults;

import io.jobscheduler.localstack.StackDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The leader of an instant, until another term has begun. */
final class NextLeader implements Probe {
  /** Who leads, by the record: the host and pid of the holder. */
  private record Leader(String holder, long epoch, Instant takenAt, Instant now) {}

  private final AdminSession session;
  private final Leader before;

  private NextLeader(AdminSession session, Leader before) {
    this.session = session;
    this.before = before;
  }

  // The record alone may be a dead leader's: the session that it names must live.
  private static final String LEADER =
      """
      SELECT l.holder, l.epoch, l.taken_at, clock_timestamp() FROM jobs.leadership l
       WHERE EXISTS (SELECT 1 FROM pg_stat_activity a WHERE a.pid = l.pid)
      """;

  /** Who leads now, if anybody does. */
  static Optional<NextLeader> of(StackDatabase database) {
    AdminSession session = new AdminSession(database);
    Optional<Leader> leader = leader(session);
    if (leader.isEmpty()) {
      session.close();
    }
    return leader.map(l -> new NextLeader(session, l));
  }

  private static Optional<Leader> leader(AdminSession session) {
    return session
        .ask(
            LEADER,
            row ->
                new Leader(
                    row.getString(1),
                    row.getLong(2),
                    row.getTimestamp(3).toInstant(),
                    row.getTimestamp(4).toInstant()))
        .orElse(List.of())
        .stream()
        .findFirst();
  }

  /** The process id of the leader. */
  long pid() {
    return Long.parseLong(before.holder().substring(before.holder().lastIndexOf('/') + 1));
  }

  @Override
  public Optional<Duration> poll() {
    return leader(session)
        .filter(l -> l.epoch() > before.epoch())
        .map(l -> Duration.between(before.now(), l.takenAt()));
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
