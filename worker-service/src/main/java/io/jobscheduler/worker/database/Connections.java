package io.jobscheduler.worker.database;

import java.sql.Connection;
import java.sql.SQLException;

/** Where a part gets its connections from: the pool, or the direct address. Thread-safe. */
@FunctionalInterface
public interface Connections {
  /** A connection in autocommit; the caller closes it. */
  Connection open() throws SQLException;
}
