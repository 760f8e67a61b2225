package io.jobscheduler.scheduler.agenda;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** What a loop would work off next, row by row: asked once its statement has failed on data. */
public final class Candidates {
  private static final int TIMEOUT_SECONDS = 4;

  private Candidates() {}

  // In the order of the loop's own statement and by its index. Locks nothing.
  private static final String LOOP_CANDIDATES =
      """
      SELECT c.id FROM jobs.loop_candidates(?, ?, ?) c
      """;

  /**
   * The ids, in order.
   *
   * @param task the loop's name
   * @param except ids to leave out
   */
  public static List<Long> of(DataSource dataSource, String task, int limit, List<Long> except)
      throws SQLException {
    List<Long> ids = new ArrayList<>();
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement = connection.prepareStatement(LOOP_CANDIDATES)) {
      statement.setString(1, task);
      statement.setInt(2, limit);
      statement.setArray(3, connection.createArrayOf("int8", except.toArray()));
      statement.setQueryTimeout(TIMEOUT_SECONDS);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          ids.add(rows.getLong("id"));
        }
      }
    }
    return ids;
  }
}
