package io.jobscheduler.scheduler.heads;

import io.jobscheduler.scheduler.leadership.LeaderTransaction;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The statement of the heads. Stateless. */
final class HeadsStore {
  private HeadsStore() {}

  // One step into jobs_ready per queue and lane; writes changed rows only.
  private static final String NOTE_QUEUE_HEADS =
      """
      SELECT jobs.note_queue_heads() AS changed
      """;

  static int noteQueueHeads(LeaderTransaction transaction) throws SQLException {
    try (PreparedStatement statement = transaction.prepare(NOTE_QUEUE_HEADS);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getInt("changed");
    }
  }
}
