package io.jobscheduler.scheduler.cron;

import io.jobscheduler.scheduler.signal.ReadyJob;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a transaction made of planned times.
 *
 * @param fires in no order
 * @param ready jobs that can be claimed now
 * @param dueMicros when the others are due
 * @param missed planned times that were passed over in ranges
 */
record Fired(List<Fire> fires, List<ReadyJob> ready, List<Long> dueMicros, long missed) {
  static final Fired NOTHING = new Fired(List.of(), List.of(), List.of(), 0);

  /**
   * One of them.
   *
   * @param outcome fired, queued or skipped
   * @param lag from the planned time to the decision; zero for a trigger by hand
   */
  record Fire(
      int scheduleId,
      int projectId,
      String outcome,
      String trigger,
      @Nullable String reason,
      Duration lag) {}

  /** Runs a statement that returns the rows of {@code fire_schedules}. */
  static Fired read(PreparedStatement statement) throws SQLException {
    List<Fire> fires = new ArrayList<>();
    List<ReadyJob> ready = new ArrayList<>();
    List<Long> due = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        if (!rows.getString("kind").equals("job")) {
          fires.add(
              new Fire(
                  rows.getInt("schedule_id"),
                  rows.getInt("project_id"),
                  rows.getString("kind"),
                  rows.getString("trigger"),
                  rows.getString("reason"),
                  Duration.ofNanos(rows.getLong("lag_micros") * 1_000)));
        } else if (rows.getObject("due_micros") == null) {
          ready.add(ReadyJob.read(rows));
        } else {
          due.add(rows.getLong("due_micros"));
        }
      }
    }
    return new Fired(fires, ready, due, 0);
  }

  Fired withMissed(long count) {
    return new Fired(fires, ready, dueMicros, count);
  }

  /** The projects in which something became of a planned time. */
  Set<Integer> projects() {
    Set<Integer> projects = new TreeSet<>();
    fires.forEach(f -> projects.add(f.projectId()));
    return projects;
  }
}
