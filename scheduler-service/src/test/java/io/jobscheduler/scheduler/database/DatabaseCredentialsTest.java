package io.jobscheduler.scheduler.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jobscheduler.scheduler.testing.Configs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabaseCredentialsTest {
  @TempDir Path folder;

  @Test
  void passwordFileIsReadAnew() throws Exception {
    Path file = folder.resolve("password");
    Files.writeString(file, "first\n");
    DatabaseCredentials credentials = credentials("jobs.db.password-file", file.toString());
    assertEquals(Map.of("user", "u", "password", "first"), credentials.getCredentials(null));

    Files.writeString(file, "second");
    assertEquals("second", credentials.getCredentials(null).get("password"));
  }

  @Test
  void withoutAnyThePasswordIsEmpty() {
    assertEquals("", credentials().getCredentials("jobs-db").get("password"));
  }

  @Test
  void twoPasswordsAreRefused() {
    assertThrows(
        IllegalStateException.class,
        () -> credentials("jobs.db.password", "p", "jobs.db.password-file", "/f"));
  }

  private static DatabaseCredentials credentials(String... more) {
    String[] all = new String[more.length + 4];
    System.arraycopy(new String[] {"jobs.db.url", "jdbc:x", "jobs.db.username", "u"}, 0, all, 0, 4);
    System.arraycopy(more, 0, all, 4, more.length);
    return new DatabaseCredentials(Configs.of(DatabaseConfig.class, all));
  }
}
