package io.jobscheduler.localstack;

import io.jobscheduler.localstack.postgres.Roles;
import io.jobscheduler.localstack.process.StackFailure;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Properties;
import org.postgresql.Driver;

/**
 * A database of the stack's own on a server that was given, with roles of its own: nothing that is
 * there already is touched. What was made is dropped when the stack stops, and nothing else.
 *
 * <p>The given user needs CREATEDB and CREATEROLE; a superuser has both.
 */
public final class GivenDatabase implements StackDatabase {
  private final String givenUrl;
  private final Properties parsed;
  private final String name;
  private final Secrets secrets;
  // What was made here, the latest first: nothing else is ever dropped.
  private final Deque<String> made = new ArrayDeque<>();

  /**
   * Nothing is made yet.
   *
   * @param url {@code jdbc:postgresql://host:port/database?user=…&password=…}; the database is one
   *     to connect to at first
   * @param name of the database to make; its roles begin with it
   */
  public GivenDatabase(String url, String name, StackFolder folder) {
    Properties found = Driver.parseURL(url, new Properties());
    if (found == null || found.getProperty("user") == null) {
      throw new StackFailure(
          "The address must be like jdbc:postgresql://host:5432/postgres?user=…&password=…");
    }
    this.givenUrl = url;
    this.parsed = found;
    this.name = name;
    this.secrets = folder.secrets();
  }

  @Override
  public void start() {
    try (Connection given = DriverManager.getConnection(givenUrl);
        Statement statement = given.createStatement()) {
      for (String role : Roles.ALL) {
        statement.execute(
            "CREATE ROLE %s LOGIN PASSWORD '%s'".formatted(user(role), secrets.password(role)));
        made.push("DROP ROLE " + user(role));
        // Whoever is a member sees what they own and may end their sessions.
        statement.execute("GRANT " + user(role) + " TO CURRENT_USER");
      }
      statement.execute("CREATE DATABASE " + name + " OWNER " + user(Roles.OWNER));
      made.push("DROP DATABASE " + name + " WITH (FORCE)");
    } catch (SQLException e) {
      stop();
      throw new StackFailure(
          "Cannot make a database and roles (CREATEDB and CREATEROLE are needed): "
              + e.getMessage(),
          e);
    }
  }

  @Override
  public void stop() {
    if (made.isEmpty()) {
      return;
    }
    try (Connection given = DriverManager.getConnection(givenUrl);
        Statement statement = given.createStatement()) {
      while (!made.isEmpty()) {
        statement.execute(made.peek());
        made.pop();
      }
    } catch (SQLException e) {
      throw new StackFailure(
          "Left behind: database %s and roles %s_*: %s".formatted(name, name, e.getMessage()), e);
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String host() {
    return parsed.getProperty("PGHOST", "localhost");
  }

  @Override
  public int port() {
    return Integer.parseInt(parsed.getProperty("PGPORT", "5432"));
  }

  @Override
  public String urlVia(String host, int port) {
    StringBuilder url = new StringBuilder("jdbc:postgresql://" + host + ":" + port + "/" + name);
    String separator = "?";
    for (String key : parsed.stringPropertyNames()) {
      if (!key.startsWith("PG") && !key.equals("user") && !key.equals("password")) {
        url.append(separator).append(key).append('=').append(parsed.getProperty(key));
        separator = "&";
      }
    }
    return url.toString();
  }

  @Override
  public String user(String role) {
    return name + "_" + role;
  }

  @Override
  public Connection admin() throws SQLException {
    Properties login = new Properties();
    login.setProperty("user", parsed.getProperty("user"));
    login.setProperty("password", parsed.getProperty("password", ""));
    return DriverManager.getConnection(url(), login);
  }
}
