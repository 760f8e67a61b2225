package io.jobscheduler.localstack.faults;

import io.jobscheduler.localstack.StackDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Questions to the database past all proxies. Answers nothing while the database is away, and
 * connects again by itself. For one thread.
 */
public final class AdminSession implements AutoCloseable {
  private final StackDatabase database;
  private @Nullable Connection connection;

  public AdminSession(StackDatabase database) {
    this.database = database;
  }

  /** Reads one row. */
  public interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  /** All rows; nothing when there was no answer. */
  public <T> Optional<List<T>> ask(String sql, Reader<T> reader, Object... parameters) {
    try {
      Connection open = open();
      try (PreparedStatement statement = open.prepareStatement(sql)) {
        for (int i = 0; i < parameters.length; i++) {
          Object parameter = parameters[i];
          if (parameter instanceof Long[] numbers) {
            statement.setArray(i + 1, open.createArrayOf("bigint", numbers));
          } else {
            statement.setObject(i + 1, parameter);
          }
        }
        List<T> found = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery()) {
          while (rows.next()) {
            found.add(reader.read(rows));
          }
        }
        return Optional.of(found);
      }
    } catch (SQLException away) {
      close();
      return Optional.empty();
    }
  }

  private Connection open() throws SQLException {
    Connection open = connection;
    if (open == null) {
      open = database.admin();
      connection = open;
    }
    return open;
  }

  @Override
  public void close() {
    Connection open = connection;
    connection = null;
    if (open != null) {
      try {
        open.close();
      } catch (SQLException ended) {
        // What is to be closed is closed.
      }
    }
  }
}
