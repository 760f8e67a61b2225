package io.jobscheduler.scheduler.loop;

import java.sql.SQLException;
import java.util.List;

/** Finds the rows on which a batch fails, and does the others. Stateless. */
public final class Halving {

  /** Works off some rows in a transaction of their own. */
  @FunctionalInterface
  public interface Work {
    /** Does it, wholly or not at all. */
    void on(List<Long> ids) throws SQLException;
  }

  /** Told of a row that fails alone. */
  @FunctionalInterface
  public interface Culprit {
    /** Does what can be done about it. */
    void found(long id, SQLException cause) throws SQLException;
  }

  private Halving() {}

  /**
   * Whether a statement failed on what some row holds: data (22), constraints (23), limits (54), an
   * error raised (P0001), or a page that cannot be read (XX). Anything else may go well next time.
   */
  public static boolean isDataFault(SQLException e) {
    String state = e.getSQLState();
    return state != null
        && (state.startsWith("22")
            || state.startsWith("23")
            || state.startsWith("54")
            || state.startsWith("XX")
            || state.equals("P0001"));
  }

  /**
   * Does {@code work} on all {@code ids}: at once, or, where that fails on data, on each half. Rows
   * that fail alone are told to {@code poison}. For k of n such rows about 2 k log n tries.
   *
   * @throws SQLException when a try fails for another reason
   */
  public static void each(List<Long> ids, Work work, PoisonRows poison) throws SQLException {
    each(
        ids,
        work,
        (id, e) -> poison.found(List.of(new Poison(id, String.valueOf(e.getMessage())))));
  }

  /** The same, with another way to go on about rows that fail alone. */
  public static void each(List<Long> ids, Work work, Culprit culprit) throws SQLException {
    if (ids.isEmpty()) {
      return;
    }
    try {
      work.on(ids);
    } catch (SQLException e) {
      if (!isDataFault(e)) {
        throw e;
      }
      if (ids.size() == 1) {
        culprit.found(ids.get(0), e);
        return;
      }
      int half = ids.size() / 2;
      each(ids.subList(0, half), work, culprit);
      each(ids.subList(half, ids.size()), work, culprit);
    }
  }
}
