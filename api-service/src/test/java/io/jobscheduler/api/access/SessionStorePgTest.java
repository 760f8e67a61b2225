package io.jobscheduler.api.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.api.TestProjects;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Between the check of a password and the session that it opens, the password may change. */
class SessionStorePgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();
  @TempDir Path folder;

  private record Config(
      Optional<Path> masterKeyFile,
      Duration tokenLifetime,
      Duration sessionIdle,
      Duration sessionLifetime,
      Duration keyRotation,
      int concurrentHashes)
      implements AccessConfig {}

  private AccessStore.Credentials checked;
  private SessionStore store;
  private RefreshToken token;
  private UserStore users;

  @BeforeEach
  void createUser() throws IOException {
    Path file = folder.resolve("master.key");
    Files.writeString(file, Base64.getEncoder().encodeToString(new byte[32]));
    token = RefreshToken.first(MasterKey.read(file));
    int id =
        TestProjects.number(
            database,
            "INSERT INTO users (email, name, password_hash) VALUES ('a@b', 'A', 'old') RETURNING id");
    checked = new AccessStore.Credentials(id, "a@b", "old");
    users = new UserStore(TestProjects.api(database));
    store =
        new SessionStore(
            TestProjects.api(database),
            new Config(
                Optional.empty(),
                Duration.ofMinutes(15),
                Duration.ofHours(12),
                Duration.ofDays(30),
                Duration.ofDays(90),
                1));
  }

  private String sessions() {
    return String.valueOf(database.sql("SELECT count(*) FROM sessions"));
  }

  @Test
  void thePasswordThatWasCheckedOpensASession() {
    assertTrue(store.insertSession(checked, token).isPresent());
    assertEquals("1", sessions());
  }

  @Test
  void anotherPasswordMeanwhileOpensNone() {
    AccessStore.Credentials changed = users.setPassword(checked, "new").orElseThrow();
    assertTrue(store.insertSession(checked, token).isEmpty());
    assertTrue(users.setPassword(checked, "newer").isEmpty(), "the old password set another");
    assertTrue(store.insertSession(changed, token).isPresent());
  }

  @Test
  void whoWasDisabledMeanwhileGetsNone() {
    database.sql("UPDATE users SET disabled_at = now()");
    assertTrue(store.insertSession(checked, token).isEmpty());
  }

  @Test
  void aChangeThatHasNotCommittedIsWaitedFor() throws Exception {
    ExecutorService login = Executors.newSingleThreadExecutor();
    try (Connection change = database.connect(Role.API);
        Statement statement = change.createStatement()) {
      change.setAutoCommit(false);
      statement.execute("UPDATE jobs.users SET password_hash = 'new'");
      statement.execute("DELETE FROM jobs.sessions");
      Future<Optional<Long>> session = login.submit(() -> store.insertSession(checked, token));
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (!session.isDone()
          && "0"
              .equals(
                  database.sql(
                      "SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
                          + " WHERE a.datname = current_database() AND NOT l.granted"))) {
        assertTrue(System.nanoTime() - end < 0, "the login neither ended nor waits");
      }
      change.commit();
      assertTrue(session.get(30, TimeUnit.SECONDS).isEmpty());
      assertEquals("0", sessions());
    } finally {
      login.shutdownNow();
    }
  }
}
