package io.jobscheduler.worker.notes;

import io.jobscheduler.worker.database.Connections;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The statement that writes notes. Thread-safe. */
final class NoteStore {
  private static final double NANOS = 1e9;

  private final Connections pool;

  NoteStore(Connections pool) {
    this.pool = pool;
  }

  // Fenced and idempotent (R__33_logs.sql): it may be repeated when its reply was lost. Ages, not
  // instants: the database's clock says when a line was said.
  private static final String NOTE_ATTEMPTS =
      """
      SELECT jobs.note_attempts(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) AS refused
      """;

  /** Writes the words; returns the tokens of leases that are not this worker's any more. */
  Set<Long> noteAttempts(long worker, List<Words> batch, long nowNanos) throws SQLException {
    List<Integer> leases = new ArrayList<>();
    List<Line> lines = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      for (Line line : batch.get(i).lines()) {
        leases.add(i + 1);
        lines.add(line);
      }
    }
    try (Connection connection = pool.open();
        PreparedStatement statement = connection.prepareStatement(NOTE_ATTEMPTS)) {
      statement.setLong(1, worker);
      statement.setObject(2, batch.stream().mapToLong(w -> w.book().jobId()).toArray());
      statement.setObject(3, batch.stream().mapToLong(w -> w.book().leaseToken()).toArray());
      statement.setArray(
          4,
          array(
              connection,
              "float8",
              batch.stream()
                  .map(w -> w.progress() == null ? null : w.progress().fraction())
                  .toArray()));
      statement.setArray(
          5,
          array(
              connection,
              "text",
              batch.stream()
                  .map(w -> w.progress() == null ? null : w.progress().message())
                  .toArray()));
      statement.setObject(6, batch.stream().mapToInt(Words::gone).toArray());
      statement.setArray(7, array(connection, "int4", leases.toArray()));
      statement.setObject(8, lines.stream().mapToInt(Line::number).toArray());
      statement.setArray(9, array(connection, "text", lines.stream().map(Line::level).toArray()));
      statement.setArray(10, array(connection, "text", lines.stream().map(Line::text).toArray()));
      statement.setObject(
          11, lines.stream().mapToDouble(line -> (nowNanos - line.atNanos()) / NANOS).toArray());
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        Array refused = row.getArray("refused");
        return refused == null ? Set.of() : new HashSet<>(List.of((Long[]) refused.getArray()));
      }
    }
  }

  private static Array array(Connection connection, String type, Object[] values)
      throws SQLException {
    return connection.createArrayOf(type, values);
  }
}
