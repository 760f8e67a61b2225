package io.jobscheduler.scheduler.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.names.Channels;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Every SQL constant of this service, against the newest schema, under the service's own role. */
class StatementsPgTest {
  private static final Path CLASSES = Path.of("target/classes");

  @RegisterExtension final TestDatabase database = new TestDatabase();

  @Test
  void everyStatementIsUnderstoodAndPermitted() throws Exception {
    Map<String, String> statements = statements();
    assertTrue(statements.size() >= 20, "found: " + statements.keySet());
    try (Connection connection = database.connect(Role.SCHEDULER);
        Statement statement = connection.createStatement()) {
      for (Map.Entry<String, String> entry : statements.entrySet()) {
        try {
          check(statement, entry.getValue());
        } catch (SQLException e) {
          throw new AssertionError(entry.getKey(), e);
        }
      }
    }
  }

  @Test
  void listensOnTheChannelsOfTheContract() throws Exception {
    assertEquals(
        "LISTEN " + Channels.JOBS_DUE + "; LISTEN " + Channels.SCHEDULES_DUE,
        statements().entrySet().stream()
            .filter(e -> e.getKey().endsWith("LISTEN_FOR_DUE"))
            .findFirst()
            .orElseThrow()
            .getValue());
  }

  /** PREPARE checks names and types; the plan's start checks rights, and runs nothing. */
  private static void check(Statement statement, String sql) throws SQLException {
    if (sql.startsWith("LISTEN")) {
      statement.execute(sql);
      return;
    }
    int parameters = 0;
    StringBuilder numbered = new StringBuilder();
    for (char c : sql.toCharArray()) {
      if (c == '?') {
        numbered.append('$').append(++parameters);
      } else {
        numbered.append(c);
      }
    }
    statement.execute("PREPARE checked AS " + numbered);
    String nulls = String.join(", ", Collections.nCopies(parameters, "NULL"));
    statement.execute("EXPLAIN EXECUTE checked" + (parameters == 0 ? "" : "(" + nulls + ")"));
    statement.execute("DEALLOCATE checked");
  }

  private static Map<String, String> statements() throws Exception {
    Map<String, String> statements = new TreeMap<>();
    for (String name : classNames()) {
      Class<?> type = Class.forName(name, false, StatementsPgTest.class.getClassLoader());
      for (Field field : type.getDeclaredFields()) {
        if (Modifier.isStatic(field.getModifiers()) && field.getType() == String.class) {
          field.setAccessible(true);
          String value = ((String) field.get(null)).strip();
          if (value.matches("(?s)(SELECT|UPDATE|INSERT|DELETE|WITH|LISTEN)\\s.*")) {
            statements.put(name + "." + field.getName(), value);
          }
        }
      }
    }
    return statements;
  }

  private static List<String> classNames() throws IOException {
    try (Stream<Path> files = Files.walk(CLASSES)) {
      return files
          .map(file -> CLASSES.relativize(file).toString())
          .filter(file -> file.startsWith("io/jobscheduler/") && file.endsWith(".class"))
          .filter(file -> !file.endsWith("package-info.class"))
          .map(file -> file.substring(0, file.length() - 6).replace('/', '.'))
          .toList();
    }
  }
}
