package io.jobscheduler.localstack.load;

import io.jobscheduler.localstack.load.JobMaker.Made;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Enqueues by the SQL function, as an application does inside its own transaction. */
final class SqlDoor {
  private final LoadPlan plan;
  private final Ledger ledger;
  private final JobMaker maker;

  SqlDoor(LoadPlan plan, Ledger ledger, JobMaker maker) {
    this.plan = plan;
    this.ledger = ledger;
    this.maker = maker;
  }

  private static final String ENQUEUE =
      "SELECT e.id FROM jobs.enqueue_jobs(?, ?, ?::json[], ?) e ORDER BY e.n";

  /** Whether a commit whose reply was lost has happened is not known: nothing is promised then. */
  void enqueue(String project) {
    List<Made> made =
        maker.many(20).stream().filter(job -> "echo".equals(job.body().get("type"))).toList();
    ledger.count("by SQL");
    try (Connection connection = plan.database().open();
        PreparedStatement statement = connection.prepareStatement(ENQUEUE)) {
      connection.setNetworkTimeout(Runnable::run, 10_000);
      statement.setString(1, project);
      statement.setArray(2, texts(connection, made.stream().map(job -> "echo").toList()));
      statement.setArray(3, texts(connection, made.stream().map(job -> "{\"sql\": 1}").toList()));
      statement.setArray(4, texts(connection, made.stream().map(job -> LoadQueues.PLAIN).toList()));
      List<Long> ids = new ArrayList<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          ids.add(row.getLong(1));
        }
      }
      if (ids.size() != made.size()) {
        ledger.unexpected("SQL answered %d ids for %d".formatted(ids.size(), made.size()));
      }
      ids.forEach(
          id ->
              ledger.accepted(
                  id, new Ledger.Accepted(project, LoadQueues.PLAIN, Expectation.SUCCEEDS)));
    } catch (SQLException away) {
      ledger.count("by SQL, without an answer");
    }
  }

  private static Array texts(Connection connection, List<String> texts) throws SQLException {
    return connection.createArrayOf("text", texts.toArray());
  }
}
