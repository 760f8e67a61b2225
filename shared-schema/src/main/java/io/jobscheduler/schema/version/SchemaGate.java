package io.jobscheduler.schema.version;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Set;

/**
 * Compares the database's schema with what this build understands.
 *
 * <p>A schema that is too old may still be migrated while a service waits; one with a newer
 * <em>breaking</em> migration will never fit, so the service should stop. Newer additive migrations
 * are fine. Stateless and thread-safe; one statement per check.
 */
public final class SchemaGate {

  /** What a check found. */
  public sealed interface Verdict {
    /** One sentence for an operator. */
    String message();
  }

  /** The schema fits. */
  public record Fits(int version) implements Verdict {
    @Override
    public String message() {
      return "schema version " + version + " fits";
    }
  }

  /** The schema is older than this build can use, or absent (version 0): wait and check again. */
  public record TooOld(int version, int needed) implements Verdict {
    @Override
    public String message() {
      return "schema version "
          + version
          + " is older than the oldest supported, "
          + needed
          + ": run the migrate mode of api-service (java -jar quarkus-run.jar migrate)";
    }
  }

  /**
   * A breaking migration newer than this build has been applied: stop, and deploy a newer build.
   */
  public record TooNew(int version, int known) implements Verdict {
    @Override
    public String message() {
      return "schema version "
          + version
          + " is newer than this build, which knows "
          + known
          + ", and breaks it: deploy a newer build";
    }
  }

  // undefined_table, invalid_schema_name; insufficient_privilege while the grants are not there yet
  private static final Set<String> NOT_MIGRATED = Set.of("42P01", "3F000", "42501");

  private SchemaGate() {}

  // A handful of rows, never more than there are migrations.
  private static final String READ_VERSIONS =
      """
      SELECT max(version) AS newest,
             max(version) FILTER (WHERE compat = 'breaking' AND version > ?) AS breaking
        FROM jobs.schema_versions
      """;

  /**
   * Checks the schema over a connection, in autocommit or in the caller's transaction.
   *
   * @throws SQLException when the database cannot be asked
   */
  public static Verdict check(Connection connection) throws SQLException {
    return check(connection, SchemaVersion.OLDEST_SUPPORTED, SchemaVersion.NEWEST);
  }

  static Verdict check(Connection connection, int oldest, int newest) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(READ_VERSIONS)) {
      statement.setInt(1, newest);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        int found = row.getInt("newest");
        int breaking = row.getInt("breaking");
        if (breaking > 0) {
          return new TooNew(breaking, newest);
        }
        return found < oldest ? new TooOld(found, oldest) : new Fits(found);
      }
    } catch (SQLException e) {
      if (e.getSQLState() != null && NOT_MIGRATED.contains(e.getSQLState())) {
        return new TooOld(0, oldest);
      }
      throw e;
    }
  }
}
