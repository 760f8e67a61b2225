package io.jobscheduler.scheduler.loop;

import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * A row that a statement halved out of its batch because it failed on its data.
 *
 * @param reason what the database said
 */
public record Poison(long id, String reason) {

  /** Reads the columns id and reason. */
  public static Poison read(ResultSet row) throws SQLException {
    return new Poison(row.getLong("id"), String.valueOf(row.getString("reason")));
  }
}
