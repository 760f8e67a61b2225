package io.jobscheduler.schema.version;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.schema.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SchemaListingPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();

  @Test
  void schemaSqlIsTheSchemaAfterAllMigrations() throws SQLException, IOException {
    try (Connection connection = database.superuser()) {
      assertEquals(
          Files.readString(SchemaListing.FILE),
          SchemaListing.of(connection),
          "schema.sql is stale: run `make schema`");
    }
  }
}
