package io.jobscheduler.localstack.load;

import io.jobscheduler.localstack.load.LoadSetup.Place;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;

/** What the record says of a load's projects. Each look is a connection of its own. */
final class LoadLook {
  private static final int NETWORK_TIMEOUT_MILLIS = 10_000;

  private final LoadPlan plan;

  LoadLook(LoadPlan plan) {
    this.plan = plan;
  }

  private static final String ALIVE =
      """
      SELECT count(*)
        FROM jobs.jobs j
       WHERE j.project_id IN (SELECT p.id FROM jobs.projects p WHERE p.name = ANY (?))
      """;

  /** Jobs that live. */
  long alive() throws SQLException {
    return ask(ALIVE, LoadLook::number);
  }

  // By the database's clock: what should have fired over three seconds ago and is not decided.
  private static final String BEHIND =
      """
      SELECT count(*)
        FROM jobs.schedules s
       WHERE s.project_id IN (SELECT p.id FROM jobs.projects p WHERE p.name = ANY (?))
         AND s.state = 'active' AND s.next_fire_at < clock_timestamp() - interval '3 seconds'
      """;

  /** Schedules that are late. */
  long behind() throws SQLException {
    return ask(BEHIND, LoadLook::number);
  }

  private static final String WAITING =
      """
      SELECT p.name, s.name
        FROM jobs.schedules s
        JOIN jobs.projects p ON p.id = s.project_id
       WHERE p.name = ANY (?) AND s.queued > 0
      """;

  /** Schedules of which a fire waits behind its run. */
  Set<Place> waiting() throws SQLException {
    return ask(
        WAITING,
        rows -> {
          Set<Place> places = new HashSet<>();
          while (rows.next()) {
            places.add(new Place(rows.getString(1), rows.getString(2)));
          }
          return places;
        });
  }

  private interface Reader<T> {
    T read(ResultSet rows) throws SQLException;
  }

  private static long number(ResultSet rows) throws SQLException {
    rows.next();
    return rows.getLong(1);
  }

  private <T> T ask(String sql, Reader<T> reader) throws SQLException {
    try (Connection connection = plan.database().open();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      connection.setNetworkTimeout(Runnable::run, NETWORK_TIMEOUT_MILLIS);
      statement.setArray(1, connection.createArrayOf("text", plan.projects().toArray()));
      try (ResultSet rows = statement.executeQuery()) {
        return reader.read(rows);
      }
    }
  }
}
