package io.jobscheduler.localstack.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the load asks for, of an API that answers everything alike. */
class LoadRequestsTest {
  private static final int ROUNDS = 200;
  private static final String PAGE = "{\"items\":[{\"id\":\"7\"}]}";

  private final Ledger ledger = new Ledger();
  private final Set<String> asked = ConcurrentHashMap.newKeySet();
  private HttpServer server;
  private LoadPlan plan;
  private LoadClient client;
  private volatile int status = 404;

  @BeforeEach
  void serve() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    URI origin = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    plan =
        new LoadPlan(
            1,
            List.of(origin),
            "a@localhost",
            "secret",
            () -> {
              throw new IllegalStateException("no database is asked");
            },
            1,
            List.of("a", "b"));
    client = new LoadClient(plan, ledger);
  }

  @AfterEach
  void end() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    String key = exchange.getRequestHeaders().getFirst("Authorization");
    String path = exchange.getRequestURI().getPath();
    asked.add(exchange.getRequestMethod() + " " + path + " " + key);
    boolean own = path.endsWith("/projects/b/jobs");
    byte[] body = PAGE.getBytes(StandardCharsets.UTF_8);
    exchange.getRequestBody().readAllBytes();
    exchange.sendResponseHeaders(own ? 200 : status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private void probe() {
    Probes probes = new Probes(client, ledger, Map.of("a", "key-a", "b", "key-b"), new Random(1));
    for (int i = 0; i < ROUNDS; i++) {
      probes.next(5, "a", "b");
    }
  }

  @Test
  void triesEveryDoorWithTheForeignKeyAndCountsWhatIsRefused() {
    probe();

    for (String project : List.of("a", "b")) {
      String job = "/api/v1/projects/" + project + "/jobs/5";
      for (String door :
          List.of("GET " + job, "POST " + job + "/cancel", "POST " + job + "/retry")) {
        assertTrue(asked.contains(door + " Bearer key-b"), door + " of " + asked);
      }
    }
    assertTrue(asked.contains("GET /api/v1/projects/a/jobs Bearer key-b"), asked.toString());
    assertFalse(asked.stream().anyMatch(what -> what.endsWith("key-a")), asked.toString());
    assertEquals(Map.of(Ledger.PROBES, (long) ROUNDS), ledger.counts());
    assertEquals(List.of(), ledger.crossings());
    assertEquals(Map.of(7L, "b"), ledger.listed());
  }

  @Test
  void tellsWhatWasAnsweredFromOutside() {
    status = 200;
    probe();

    assertFalse(ledger.crossings().isEmpty());
  }

  @Test
  void doesNotCountWhatWasNotAnswered() {
    client.giveUp();
    probe();

    assertEquals(Map.of(), ledger.counts());
    assertEquals(Map.of(), ledger.listed());
  }

  @Test
  void tellsAJobThatTwoProjectsList() {
    ledger.listed(7, "a");
    ledger.listed(7, "b");

    assertEquals(1, ledger.crossings().size());
  }

  /** A run of a minute at the rate of a measurement draws so few that none may be a workflow. */
  @Test
  void beginsWithAWorkflowSoThatEdgesAreJudged() {
    status = 200;
    for (int seed = 0; seed < 20; seed++) {
      asked.clear();
      new LoadActions(plan, client, ledger, new Random(seed), Map.of()).next();

      assertEquals(1, asked.size(), asked.toString());
      assertTrue(asked.iterator().next().contains("/workflows"), asked.toString());
    }
  }
}
