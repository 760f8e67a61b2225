package io.jobscheduler.localstack.judge;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Rows as they stream in, with a look at the next one. */
final class Rows<T> implements AutoCloseable {
  private final ResultSet rows;
  private final Reader<T> reader;
  private @Nullable T next;

  /** Makes a record of the row that a result stands on. */
  @FunctionalInterface
  interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  Rows(ResultSet rows, Reader<T> reader) throws SQLException {
    this.rows = rows;
    this.reader = reader;
    advance();
  }

  private void advance() throws SQLException {
    next = rows.next() ? reader.read(rows) : null;
  }

  /** The next row, not yet taken; null: there is none. */
  @Nullable T peek() {
    return next;
  }

  /** Takes the next row. */
  T take() throws SQLException {
    T taken = Objects.requireNonNull(next);
    advance();
    return taken;
  }

  /** Takes the rows whose key is that one, if it is theirs now. */
  List<T> takeAll(long key, ToLongFunction<T> keyOf) throws SQLException {
    List<T> taken = new ArrayList<>(1);
    while (next != null && keyOf.applyAsLong(next) == key) {
      taken.add(take());
    }
    return taken;
  }

  /** The key of the next row, or {@link Long#MAX_VALUE} at the end. */
  long key(ToLongFunction<T> keyOf) {
    return next == null ? Long.MAX_VALUE : keyOf.applyAsLong(next);
  }

  @Override
  public void close() throws SQLException {
    rows.close();
  }
}
