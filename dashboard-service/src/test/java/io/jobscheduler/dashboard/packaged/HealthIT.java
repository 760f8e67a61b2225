package io.jobscheduler.dashboard.packaged;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Probes, start order and the end, each with a service of its own. */
class HealthIT {
  private static final Map<String, String> NONE = Map.of();

  private static void connections(TestDatabase database, boolean allowed) throws SQLException {
    String name = database.url().replaceFirst(".*/", "");
    TestDatabase other = TestDatabase.empty().open();
    try (Connection admin = other.superuser();
        Statement statement = admin.createStatement()) {
      statement.execute("ALTER DATABASE \"" + name + "\" ALLOW_CONNECTIONS " + allowed);
      statement.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'");
    } finally {
      other.close(false);
    }
  }

  @Test
  void readinessFollowsTheDatabaseAndLivenessDoesNot() throws Exception {
    TestDatabase database = new TestDatabase().open();
    try (PackagedService service =
        new PackagedService(database, PackagedService.freePort(), NONE)) {
      Await.until("ready", service::ready);
      connections(database, false);
      Await.until("not ready", () -> !service.ready());
      assertTrue(service.health("ready").body().contains("\"reason\""));
      assertEquals(200, service.health("live").statusCode());
      connections(database, true);
      Await.until("ready again", service::ready);
    } finally {
      database.close(false);
    }
  }

  @Test
  void waitsForTheSchema() throws Exception {
    TestDatabase database = TestDatabase.empty().open();
    try (PackagedService service =
        new PackagedService(database, PackagedService.freePort(), NONE)) {
      Await.until("says why", () -> service.health("ready").body().contains("migrate"));
      assertEquals(503, service.health("ready").statusCode());
      assertEquals(200, service.health("live").statusCode());
    } finally {
      database.close(false);
    }
  }

  @Test
  void startsBeforeTheApiAndWorksOnceItIsThere() throws Exception {
    TestDatabase database = new TestDatabase().open();
    int apiPort = PackagedService.freePort();
    SigningKey key = new SigningKey("late");
    String token = key.token("mira", Duration.ofMinutes(10));
    try (PackagedService service = new PackagedService(database, apiPort, NONE)) {
      Await.until("ready without the API", service::ready);
      assertThrows(
          LiveClient.Refused.class, () -> LiveClient.connect(service, "default", token).close());
      try (FakeApi api = new FakeApi(apiPort)) {
        api.keys.add(key);
        api.access.put("mira", List.of("default"));
        Await.until("the socket opens", () -> opens(service, token));
      }
    } finally {
      database.close(false);
    }
  }

  @Test
  void endsOnSigtermThoughSocketsAreOpen() throws Exception {
    TestDatabase database = new TestDatabase().open();
    SigningKey key = new SigningKey("only");
    try (FakeApi api = new FakeApi(0);
        PackagedService service = new PackagedService(database, api.port(), NONE)) {
      api.keys.add(key);
      api.access.put("mira", List.of("default"));
      String token = key.token("mira", Duration.ofMinutes(10));
      try (LiveClient client = LiveClient.connect(service, "default", token)) {
        client.next();
        assertTrue(service.terminate(), "did not end");
        assertTrue(client.closeCode() > 0);
      }
    } finally {
      database.close(false);
    }
  }

  private static boolean opens(PackagedService service, String token) throws InterruptedException {
    try (LiveClient client = LiveClient.connect(service, "default", token)) {
      return client.next().contains("default");
    } catch (LiveClient.Refused refused) {
      return false;
    }
  }
}
