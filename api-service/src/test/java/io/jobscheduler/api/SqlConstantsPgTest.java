package io.jobscheduler.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Every SQL constant is accepted by Postgres. Planning also checks the rights of the role, so each
 * runs as well through EXPLAIN with nulls for its parameters.
 */
class SqlConstantsPgTest {
  private static final Pattern SQL =
      Pattern.compile("\\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\\s.*", Pattern.DOTALL);
  private static final Pattern NAMED = Pattern.compile("(?<!:):([A-Za-z]+)|\\?");
  private static final int FEWEST = 40;

  @RegisterExtension final TestDatabase database = new TestDatabase();

  private record Constant(String name, String sql) {}

  @Test
  void everyConstantMayRunUnderItsRole() throws Exception {
    List<String> failures = new ArrayList<>();
    List<Constant> constants = constants();
    assertTrue(constants.size() >= FEWEST, "found only " + constants.size());
    try (Connection api = database.connect(Role.API);
        Connection owner = database.connect(Role.OWNER)) {
      for (Constant constant : constants) {
        check(constant.name().contains(".migrate.") ? owner : api, constant, failures);
      }
    }
    assertEquals(List.of(), failures);
  }

  private static void check(Connection connection, Constant constant, List<String> failures)
      throws SQLException {
    Map<String, Integer> numbers = new LinkedHashMap<>();
    Matcher matcher = NAMED.matcher(constant.sql());
    StringBuilder numbered = new StringBuilder();
    while (matcher.find()) {
      String name = matcher.group(1) == null ? "?" + numbers.size() : matcher.group(1);
      Integer number = numbers.computeIfAbsent(name, n -> numbers.size() + 1);
      matcher.appendReplacement(numbered, "\\$" + number);
    }
    matcher.appendTail(numbered);
    String nulls = String.join(",", java.util.Collections.nCopies(numbers.size(), "NULL"));
    try (Statement statement = connection.createStatement()) {
      statement.execute("PREPARE p AS " + numbered);
      statement.execute("EXPLAIN EXECUTE p" + (numbers.isEmpty() ? "" : "(" + nulls + ")"));
      statement.execute("DEALLOCATE p");
    } catch (SQLException e) {
      failures.add(constant.name() + ": " + e.getMessage());
      try (Statement statement = connection.createStatement()) {
        statement.execute("DEALLOCATE ALL");
      }
    }
  }

  private static List<Constant> constants()
      throws IOException, URISyntaxException, ReflectiveOperationException {
    Path root =
        Path.of(ApiService.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<Constant> constants = new ArrayList<>();
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".class")).sorted().toList()) {
        String name =
            root.relativize(file).toString().replace('/', '.').replaceAll("\\.class$", "");
        if (!name.startsWith("io.jobscheduler.api.")) {
          continue;
        }
        Class<?> type = Class.forName(name, false, ApiService.class.getClassLoader());
        for (Field field : type.getDeclaredFields()) {
          if (Modifier.isStatic(field.getModifiers()) && field.getType() == String.class) {
            field.setAccessible(true);
            String value = (String) field.get(null);
            if (value != null && SQL.matcher(value).matches()) {
              constants.add(new Constant(name + "." + field.getName(), value));
            }
          }
        }
      }
    }
    return constants;
  }
}
