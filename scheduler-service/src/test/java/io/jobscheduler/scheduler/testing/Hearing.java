package io.jobscheduler.scheduler.testing;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** Listens on a channel. */
public final class Hearing implements AutoCloseable {
  private final Connection connection;

  /** Begins to listen. */
  public Hearing(TestDatabase database, String channel) throws SQLException {
    connection = database.connect(Role.OWNER);
    try (Statement statement = connection.createStatement()) {
      statement.execute("LISTEN " + channel);
    }
  }

  /** The next payload; fails when none comes. */
  public String next() throws SQLException {
    PGNotification[] heard =
        connection
            .unwrap(PGConnection.class)
            .getNotifications((int) Duration.ofSeconds(10).toMillis());
    if (heard == null || heard.length == 0) {
      throw new AssertionError("nothing was heard within 10 s");
    }
    return heard[0].getParameter();
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
