package io.jobscheduler.localstack.postgres;

import io.jobscheduler.localstack.process.StackFailure;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The schema's roles and its database, as an operator would make them: from {@code roles.sql}. */
public final class Roles {
  /** The role that migrates and owns everything. */
  public static final String OWNER = "owner";

  /** All roles, by what they are called in the script's placeholders. */
  public static final List<String> ALL = List.of(OWNER, "api", "worker", "scheduler", "dashboard");

  private static final String DATABASE_EXISTS = "SELECT 1 FROM pg_database WHERE datname = ?";
  private static final String ROLES_EXIST = "SELECT 1 FROM pg_roles WHERE rolname = ?";

  private Roles() {}

  /** A role's name in the database, for example {@code jobs_api}. */
  public static String databaseName(String role) {
    return "jobs_" + role;
  }

  /**
   * Makes the roles, or gives those that exist these passwords, and makes the database.
   *
   * @param passwords by role; of letters, digits, - and _ only
   */
  public static void make(PostgresServer server, String database, Map<String, String> passwords) {
    try (Connection superuser = server.superuser("postgres");
        Statement statement = superuser.createStatement()) {
      if (exists(superuser, ROLES_EXIST, databaseName(OWNER))) {
        for (String role : ALL) {
          statement.execute(
              "ALTER ROLE " + databaseName(role) + " PASSWORD '" + passwords.get(role) + "'");
        }
      } else {
        statement.execute(script(passwords));
      }
      if (!exists(superuser, DATABASE_EXISTS, database)) {
        statement.execute("CREATE DATABASE " + database + " OWNER " + databaseName(OWNER));
      }
    } catch (SQLException e) {
      throw new StackFailure("Cannot make the roles and the database: " + e.getMessage(), e);
    }
  }

  private static boolean exists(Connection superuser, String question, String name)
      throws SQLException {
    try (PreparedStatement ask = superuser.prepareStatement(question)) {
      ask.setString(1, name);
      try (ResultSet answer = ask.executeQuery()) {
        return answer.next();
      }
    }
  }

  private static String script(Map<String, String> passwords) {
    String script = template();
    for (String role : ALL) {
      script =
          script
              .replace("${" + role + "_role}", databaseName(role))
              .replace("${" + role + "_password}", Objects.requireNonNull(passwords.get(role)));
    }
    return script;
  }

  private static String template() {
    try (InputStream in = Roles.class.getResourceAsStream("/db/roles.sql")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
