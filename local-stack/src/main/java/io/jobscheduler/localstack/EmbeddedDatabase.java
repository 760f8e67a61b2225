package io.jobscheduler.localstack;

import io.jobscheduler.localstack.postgres.PostgresServer;
import io.jobscheduler.localstack.postgres.Roles;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.stream.Collectors;

/** The database on a server of the stack's own. */
final class EmbeddedDatabase implements StackDatabase {
  private static final String DATABASE = "jobs";

  private final PostgresServer server;
  private final Secrets secrets;

  EmbeddedDatabase(PostgresServer server, Secrets secrets) {
    this.server = server;
    this.secrets = secrets;
  }

  @Override
  public void start() {
    server.start();
    Map<String, String> passwords =
        Roles.ALL.stream().collect(Collectors.toMap(r -> r, secrets::password));
    Roles.make(server, DATABASE, passwords);
  }

  @Override
  public void stop() {
    server.stop();
  }

  @Override
  public String name() {
    return DATABASE;
  }

  @Override
  public String host() {
    return "127.0.0.1";
  }

  @Override
  public int port() {
    return server.port();
  }

  @Override
  public String urlVia(String host, int port) {
    return "jdbc:postgresql://" + host + ":" + port + "/" + DATABASE;
  }

  @Override
  public String user(String role) {
    return Roles.databaseName(role);
  }

  @Override
  public Connection admin() throws SQLException {
    return server.superuser(DATABASE);
  }
}
