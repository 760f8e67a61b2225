package io.jobscheduler.localstack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.localstack.process.Await;
import io.jobscheduler.localstack.service.Service;
import io.jobscheduler.localstack.service.ServiceProcess;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code kill -9} of the leading scheduler. */
@ExtendWith(SharedStack.class)
class LeaderLossE2eIT {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final LocalStack stack;
  private final TestProject project;

  LeaderLossE2eIT(LocalStack stack) {
    this.stack = stack;
    project = TestProject.create(stack);
  }

  /** Who leads, by the record: the host and pid of the holder, and its epoch. */
  private record Leader(String holder, long epoch) {
    boolean is(ServiceProcess process) {
      return holder.endsWith("/" + process.pid());
    }
  }

  @Test
  void standbyLeadsWithinThreeSecondsAndPromotionGoesOn() throws SQLException {
    ServiceProcess first = stack.process(Service.SCHEDULER);
    ServiceProcess second = stack.startAnother(Service.SCHEDULER, Map.of());
    try (Connection superuser = stack.superuser()) {
      Leader before = awaitLeader(superuser, 0);
      ServiceProcess leader = before.is(first) ? first : second;
      ServiceProcess standby = leader == first ? second : first;
      assertTrue(before.is(leader), before + " is neither of the two");

      long killed = System.nanoTime();
      leader.kill9();
      Leader after = awaitLeader(superuser, before.epoch());
      Duration gap = Duration.ofNanos(System.nanoTime() - killed);

      assertTrue(after.is(standby), after + " is not the standby");
      assertTrue(gap.compareTo(Duration.ofSeconds(3)) <= 0, "nobody led for " + gap);
      System.out.println("A standby led " + gap.toMillis() + " ms after the leader was killed.");
      project.awaitState(project.enqueue(Map.of("type", "echo", "delay", "PT1S")), "succeeded");

      // Back as a standby: it takes nothing from the one that leads.
      leader.start().awaitReady(LIMIT);
      assertEquals(after, leader(superuser).orElseThrow());
    } finally {
      second.stop(LIMIT);
      if (!first.isAlive()) {
        first.start().awaitReady(LIMIT);
      }
    }
  }

  private static Leader awaitLeader(Connection superuser, long afterEpoch) {
    return Await.value(LIMIT, () -> leader(superuser).filter(l -> l.epoch() > afterEpoch))
        .orElseThrow(() -> new AssertionError("nobody leads"));
  }

  // The record alone may be a dead leader's: the session that it names must live.
  private static final String LEADER =
      """
      SELECT l.holder, l.epoch FROM jobs.leadership l
       WHERE EXISTS (SELECT 1 FROM pg_stat_activity a WHERE a.pid = l.pid)
      """;

  private static Optional<Leader> leader(Connection superuser) {
    try (Statement statement = superuser.createStatement();
        ResultSet row = statement.executeQuery(LEADER)) {
      return row.next()
          ? Optional.of(new Leader(row.getString(1), row.getLong(2)))
          : Optional.empty();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
