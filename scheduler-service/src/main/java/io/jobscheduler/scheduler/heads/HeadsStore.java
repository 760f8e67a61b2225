package io.jobscheduler.scheduler.heads;

import io.jobscheduler.scheduler.leadership.LeaderTransaction;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The statement of the heads. Stateless. */
final class HeadsStore {
  private HeadsStore() {}

  // One step into jobs_ready per queue and lane; writes changed rows only.
  private static final String NOTE_QUEUE_HEADS =
      """
      SELECT jobs.note_queue_heads(?) AS changed
      """;

  /** Of {@code only} those queues, where it is given. */
  static int noteQueueHeads(LeaderTransaction transaction, @Nullable List<Long> only)
      throws SQLException {
    try (PreparedStatement statement = transaction.prepare(NOTE_QUEUE_HEADS)) {
      statement.setArray(
          1, only == null ? null : transaction.connection().createArrayOf("int8", only.toArray()));
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getInt("changed");
      }
    }
  }
}
