package io.jobscheduler.scheduler.signal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/** Names of projects by id, remembered: a project is never renamed. Thread-safe. */
final class ProjectNames {
  private final DataSource dataSource;
  private final Map<Integer, String> known = new ConcurrentHashMap<>();

  ProjectNames(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  // By primary key.
  private static final String NAME_OF_PROJECT =
      """
      SELECT p.name FROM jobs.projects p WHERE p.id = ?
      """;

  Optional<String> nameOf(int project) throws SQLException {
    String name = known.get(project);
    if (name != null) {
      return Optional.of(name);
    }
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement = connection.prepareStatement(NAME_OF_PROJECT)) {
      statement.setInt(1, project);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          return Optional.empty();
        }
        known.put(project, row.getString("name"));
        return Optional.of(row.getString("name"));
      }
    }
  }

  // The first thousand: a signal that reaches fewer costs a dashboard one polling interval.
  private static final String ALL_PROJECTS =
      """
      SELECT p.id, p.name FROM jobs.projects p ORDER BY p.id LIMIT 1000
      """;

  List<Integer> all() throws SQLException {
    List<Integer> ids = new ArrayList<>();
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement = connection.prepareStatement(ALL_PROJECTS);
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        known.put(rows.getInt("id"), rows.getString("name"));
        ids.add(rows.getInt("id"));
      }
    }
    return ids;
  }
}
