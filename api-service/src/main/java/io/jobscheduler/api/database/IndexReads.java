package io.jobscheduler.api.database;

import java.time.Duration;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Reads over large tables. Each of their statements is bounded by an index; a planner that believes
 * old statistics would sometimes read the whole table instead, since a LIMIT makes that look cheap.
 */
public final class IndexReads {
  private IndexReads() {}

  // Local to the transaction, so it works through a transaction pooler. Generic plans spare
  // planning over all partitions (20 ms) for every page. A sort in part of an index that is in
  // order of the project alone would read all of the project.
  private static final String BY_INDEX =
      """
      SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
             set_config('enable_sort', 'off', true), set_config('enable_incremental_sort', 'off', true),
             set_config('jit', 'off', true),
             set_config('plan_cache_mode', 'force_generic_plan', true)
      """;

  // Not by the driver's isolation level: that is a setting of the session, which behind a
  // transaction
  // pooler the next client of this connection would meet. Before any query, so a statement of its
  // own.
  private static final String OF_ONE_SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ";

  /**
   * The same of one snapshot: REPEATABLE READ. For a few short statements: it keeps vacuum off what
   * they see.
   */
  public static <T> T ofOneSnapshot(Jdbi jdbi, Function<Handle, T> read) {
    return jdbi.inTransaction(
        h -> {
          h.execute(OF_ONE_SNAPSHOT);
          h.createQuery(BY_INDEX).map((row, c) -> true).one();
          return read.apply(h);
        });
  }

  // A client that has gone is noticed meanwhile.
  private static final String WITHIN =
      """
      SELECT set_config('statement_timeout', :millis, true),
             set_config('client_connection_check_interval', '1s', true)
      """;

  /** The same, with no statement longer than {@code most}: fails with 57014 then. */
  public static <T> T ofOneSnapshotWithin(Jdbi jdbi, Duration most, Function<Handle, T> read) {
    return ofOneSnapshot(
        jdbi,
        h -> {
          h.createQuery(WITHIN)
              .bind("millis", Long.toString(most.toMillis()))
              .map((row, c) -> true)
              .one();
          return read.apply(h);
        });
  }

  /**
   * Runs {@code read} in one transaction, READ COMMITTED, whose plans go by an index where one is.
   */
  public static <T> T in(Jdbi jdbi, Function<Handle, T> read) {
    return jdbi.inTransaction(
        h -> {
          h.createQuery(BY_INDEX).map((row, c) -> true).one();
          return read.apply(h);
        });
  }
}
