package io.jobscheduler.localstack;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * The database that a stack's processes share: on a server of the stack's own, or on one that was
 * given. May be asked by any thread once it was started.
 */
public interface StackDatabase {

  /** Starts what there is to start; roles and an empty database are there afterwards. */
  void start();

  /** Undoes {@link #start()}. */
  void stop();

  /** The database's name. */
  String name();

  /** Where the server listens. */
  String host();

  int port();

  /** The JDBC address by way of this host and port, without user and password. */
  String urlVia(String host, int port);

  /** The JDBC address, without user and password. */
  default String url() {
    return urlVia(host(), port());
  }

  /** A role's name in the database. */
  String user(String role);

  /** A new connection of one who sees everything and may end every session of the services. */
  Connection admin() throws SQLException;
}
