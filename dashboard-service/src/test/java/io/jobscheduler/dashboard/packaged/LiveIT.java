package io.jobscheduler.dashboard.packaged;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.names.Channels;
import io.jobscheduler.schema.testing.Role;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class LiveIT {
  private static final String HELLO = "{\"topics\":[],\"project\":\"default\"}";
  private static Stack stack;

  @BeforeAll
  static void start() throws Exception {
    stack = Stack.shared();
    Await.until("ready", stack.service::ready);
  }

  private static LiveClient connect(String project, String token) {
    return LiveClient.connect(stack.service, project, token);
  }

  private static void notifyOf(String payload) throws SQLException {
    try (Connection connection = stack.database.connect(Role.WORKER);
        PreparedStatement statement = connection.prepareStatement("SELECT pg_notify(?, ?)")) {
      statement.setString(1, Channels.JOBS_CHANGED);
      statement.setString(2, payload);
      statement.execute();
    }
  }

  private static int refusal(String path, String token, String origin) {
    LiveClient.Refused refused =
        assertThrows(
            LiveClient.Refused.class,
            () -> LiveClient.connect(stack.service, path, token, origin).close());
    return refused.status;
  }

  private static String ownOrigin() {
    return "http://127.0.0.1:" + stack.service.port;
  }

  @Test
  void speaksFirstAndThenPassesSignalsOfItsProject() throws Exception {
    try (LiveClient client = connect("default", stack.token())) {
      assertEquals(HELLO, client.next());
      notifyOf("acme.prod jobs");
      notifyOf("default queues,jobs");
      assertEquals(
          "{\"topics\":[\"jobs\",\"queues\"],\"project\":\"default\"}", client.nextSignal());
    }
  }

  @Test
  void beatsWhileNothingHappens() throws Exception {
    try (LiveClient client = connect("default", stack.token())) {
      for (int n = 0; n < 3; n++) {
        assertEquals(HELLO, client.next());
      }
    }
  }

  @Test
  void refusesAnUpgradeWithoutAToken() {
    assertEquals(401, refusal("/live?project=default", null, ownOrigin()));
  }

  @Test
  void refusesTokensThatAreNotGood() {
    String forged = new SigningKey("first").token("mira", Duration.ofMinutes(10));
    String ended = stack.key.token("mira", Duration.ofMinutes(-10));
    String foreign = stack.key.token("mira", "somebody-else", Duration.ofMinutes(10));
    for (String token : List.of("garbage", "a.b.c", forged, ended, foreign)) {
      assertEquals(401, refusal("/live?project=default", token, ownOrigin()), token);
    }
  }

  @Test
  void refusesForeignAndMissingOrigins() {
    for (String origin : new String[] {"http://evil.example", "null", null}) {
      assertEquals(403, refusal("/live?project=default", stack.token(), origin));
    }
  }

  @Test
  void refusesAnUpgradeThatNamesNoProject() {
    assertEquals(400, refusal("/live", stack.token(), ownOrigin()));
    assertEquals(400, refusal("/live?project=a%2Fb", stack.token(), ownOrigin()));
  }

  @Test
  void closesWith4403OnAProjectThatIsNotTheCallers() throws Exception {
    try (LiveClient client = connect("somebody-elses", stack.token())) {
      assertEquals(4403, client.closeCode());
      assertTrue(client.messages.isEmpty(), "told something before it was authorised");
    }
  }

  @Test
  void closesWith4401WhenTheApiDoesNotTakeTheToken() throws Exception {
    String unknown = stack.key.token("nobody", Duration.ofMinutes(10));
    try (LiveClient client = connect("default", unknown)) {
      assertEquals(4401, client.closeCode());
    }
  }

  @Test
  void closesWith4401WhenTheTokenEnds() throws Exception {
    long before = System.nanoTime();
    try (LiveClient client = connect("default", stack.key.token("mira", Duration.ofSeconds(3)))) {
      assertEquals(HELLO, client.next());
      assertEquals(4401, client.closeCode());
    }
    assertTrue(System.nanoTime() - before < Duration.ofSeconds(20).toNanos());
  }

  @Test
  void closesWith4403WhenAccessIsTakenAway() throws Exception {
    stack.api.access.put("guest", List.of("default"));
    String token = stack.key.token("guest", Duration.ofMinutes(10));
    try (LiveClient client = connect("default", token)) {
      assertEquals(HELLO, client.next());
      stack.api.access.put("guest", List.of());
      assertEquals(4403, client.closeCode());
    }
  }

  @Test
  void takesUpANewSigningKey() throws Exception {
    try (LiveClient client = connect("default", stack.token())) {
      assertEquals(HELLO, client.next());
    }
    SigningKey next = new SigningKey("second");
    stack.api.keys.add(next);
    try (LiveClient client = connect("default", next.token("mira", Duration.ofMinutes(10)))) {
      assertEquals(HELLO, client.next());
    } finally {
      stack.api.keys.remove(next);
    }
  }

  @Test
  void sendsAtMostOneSignalPerTopicAndSecond() throws Exception {
    try (LiveClient client = connect("default", stack.token())) {
      assertEquals(HELLO, client.next());
      long start = System.nanoTime();
      int signals = 0;
      while (System.nanoTime() - start < Duration.ofSeconds(3).toNanos()) {
        notifyOf("default jobs");
        while (!client.messages.isEmpty()) {
          signals += client.messages.remove().contains("jobs") ? 1 : 0;
        }
      }
      assertTrue(signals >= 2 && signals <= 4, signals + " signals in 3 s");
      assertFalse(client.closed.isDone());
    }
  }
}
