package io.jobscheduler.api.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabaseCredentialsTest {
  private record Config(
      String url,
      Optional<String> directUrl,
      String username,
      Optional<String> password,
      Optional<Path> passwordFile,
      int poolSize,
      Duration acquisitionTimeout)
      implements DatabaseConfig {
    Config(Optional<String> password, Optional<Path> passwordFile) {
      this("", Optional.empty(), "jobs_api", password, passwordFile, 16, Duration.ofSeconds(5));
    }
  }

  @Test
  void readsTheFileEachTime(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("password"), "first\n");
    DatabaseCredentials credentials =
        new DatabaseCredentials(new Config(Optional.of("plain"), Optional.of(file)));
    assertEquals("first", credentials.getCredentials("").get("password"));
    Files.writeString(file, "second\n");
    assertEquals("second", credentials.getCredentials("").get("password"));
  }

  /** Symptom: a burst of requests on an empty pool waited 5 s for a connection, and got 500. */
  @Test
  void needsNoThreadBesideThatOfThePool() {
    DatabaseCredentials credentials =
        new DatabaseCredentials(new Config(Optional.of("plain"), Optional.empty()));
    assertSame(
        Thread.currentThread(),
        credentials
            .getCredentialsAsync("")
            .map(found -> Thread.currentThread())
            .await()
            .indefinitely());
  }
}
