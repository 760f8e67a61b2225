package io.jobscheduler.localstack.postgres;

import java.sql.Connection;
import java.sql.SQLException;

/** The system's database as its superuser sees it. Any thread may ask, at any time. */
@FunctionalInterface
public interface Database {
  /** A new connection, which the caller closes. */
  Connection open() throws SQLException;
}
