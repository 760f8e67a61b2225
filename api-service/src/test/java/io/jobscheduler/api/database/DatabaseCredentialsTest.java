package io.jobscheduler.api.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabaseCredentialsTest {
  private static TestConfig config(Optional<Path> passwordFile) {
    return new TestConfig(Optional.of("plain"), passwordFile, DatabaseConfig.Pooler.NONE);
  }

  @Test
  void readsTheFileEachTime(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("password"), "first\n");
    DatabaseCredentials credentials = new DatabaseCredentials(config(Optional.of(file)));
    assertEquals("first", credentials.getCredentials("").get("password"));
    Files.writeString(file, "second\n");
    assertEquals("second", credentials.getCredentials("").get("password"));
  }

  /** Symptom: a burst of requests on an empty pool waited 5 s for a connection, and got 500. */
  @Test
  void needsNoThreadBesideThatOfThePool() {
    DatabaseCredentials credentials = new DatabaseCredentials(config(Optional.empty()));
    assertSame(
        Thread.currentThread(),
        credentials
            .getCredentialsAsync("")
            .map(found -> Thread.currentThread())
            .await()
            .indefinitely());
  }
}
