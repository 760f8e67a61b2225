package io.jobscheduler.benchmarks.system;

import io.jobscheduler.localstack.LocalStack;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * 500 jobs a second while somebody holds a REPEATABLE READ transaction open: before, during, after,
 * a line for each minute.
 *
 * <p>Usage: {@code OldSnapshotLoad [minutes held] [seconds of a line] [jobs a second]}; 30, 60 and
 * 500 unless given. Three lines come before, and three after.
 */
public final class OldSnapshotLoad {
  private static final int LINES_AROUND = 3;

  private OldSnapshotLoad() {}

  /** Runs it and prints the figures. */
  public static void main(String[] args) throws IOException, SQLException {
    Duration held = Duration.ofMinutes(args.length > 0 ? Long.parseLong(args[0]) : 30);
    Duration line = Duration.ofSeconds(args.length > 1 ? Long.parseLong(args[1]) : 60);
    int rate = args.length > 2 ? Integer.parseInt(args[2]) : 500;
    Path folder = Application.newFolder("old-snapshot-load");
    try (LocalStack stack = LocalStack.builder(folder).progress(System.out::println).build()) {
      stack.start();
      Application.allow(stack);
      try (Application application = Application.start(stack, rate);
          Connection watcher = stack.superuser();
          Connection holder = stack.superuser();
          Statement statement = holder.createStatement()) {
        lines(watcher, "before", LINES_AROUND, line);
        holder.setAutoCommit(false);
        holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        statement.execute("SELECT count(*) FROM jobs.projects");
        lines(watcher, "during", (int) (held.toSeconds() / line.toSeconds()), line);
        holder.rollback();
        lines(watcher, "after", LINES_AROUND, line);
      }
    }
  }

  private static void lines(Connection watcher, String phase, int count, Duration line)
      throws SQLException {
    for (int i = 0; i < count; i++) {
      Application.watch(watcher, phase, line);
    }
  }
}
