package io.jobscheduler.schema.version;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SchemaGatePgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();
  @RegisterExtension final TestDatabase empty = TestDatabase.empty();

  @Test
  void fitsUnderEveryRole() throws SQLException {
    for (Role role : Role.values()) {
      try (Connection connection = database.connect(role)) {
        assertEquals(
            new SchemaGate.Fits(SchemaVersion.NEWEST), SchemaGate.check(connection), role.name());
      }
    }
  }

  @Test
  void databaseWithoutTheSchemaIsTooOld() throws SQLException {
    try (Connection connection = empty.connect(Role.WORKER)) {
      assertEquals(
          new SchemaGate.TooOld(0, SchemaVersion.OLDEST_SUPPORTED), SchemaGate.check(connection));
    }
  }

  @Test
  void newerAdditiveFitsAndNewerBreakingStops() throws SQLException {
    try (Connection connection = database.connect(Role.API)) {
      database.sql("INSERT INTO schema_versions (version, compat) VALUES (98, 'additive')");
      assertEquals(new SchemaGate.Fits(98), SchemaGate.check(connection));
      database.sql("INSERT INTO schema_versions (version, compat) VALUES (99, 'breaking')");
      assertEquals(new SchemaGate.TooNew(99, SchemaVersion.NEWEST), SchemaGate.check(connection));
      assertEquals(new SchemaGate.TooOld(99, 100), SchemaGate.check(connection, 100, 100));
    }
  }

  @Test
  void everyMigrationSaysItsCompatibilityAndNotesItInTheTable() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("src/main/resources/db/migration"))) {
      files
          .filter(f -> f.getFileName().toString().startsWith("V"))
          .forEach(SchemaGatePgTest::assertSaysItsCompatibility);
    }
  }

  private static void assertSaysItsCompatibility(Path file) {
    try {
      String script = Files.readString(file);
      String compat = script.lines().findFirst().orElse("").replace("-- compat: ", "");
      int version = Integer.parseInt(file.getFileName().toString().substring(1, 4));
      String note =
          "INSERT INTO schema_versions (version, compat) VALUES (%d, '%s');"
              .formatted(version, compat);
      assertEquals(true, script.contains(note), file + " lacks: " + note);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
