package io.jobscheduler.api.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.lang.UnresolvableKeyException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An issuer that is away or says nonsense. */
class IssuerKeysTest {
  private static final long SECOND = 1_000_000_000L;

  private final AtomicInteger reads = new AtomicInteger();
  private final AtomicLong now = new AtomicLong();
  private final JsonWebSignature signature = new JsonWebSignature();
  private HttpServer server;
  private volatile String answer = "";
  private IssuerKeys keys;

  @BeforeEach
  void serve() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          reads.incrementAndGet();
          byte[] body = answer.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(
              body.length == 0 ? 503 : 200, body.length == 0 ? -1 : body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    signature.setKeyIdHeaderValue("k");
    keys = new IssuerKeys(issuer(), null, now::get);
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private String issuer() {
    return "http://localhost:" + server.getAddress().getPort();
  }

  private void unresolved() {
    assertThrows(UnresolvableKeyException.class, () -> keys.resolveKey(signature, List.of()));
  }

  @Test
  void anIssuerThatIsAwayIsAskedEveryThirtySeconds() {
    for (int i = 0; i < 5; i++) {
      unresolved();
    }
    assertEquals(1, reads.get());
    now.addAndGet(31 * SECOND);
    unresolved();
    assertEquals(2, reads.get());
  }

  @Test
  void keysThatCannotBeReadAreAskedForEveryThirtySecondsToo() {
    answer = "{\"issuer\":\"" + issuer() + "\",\"jwks_uri\":\"" + issuer() + "/keys\"}";
    unresolved();
    unresolved();
    assertEquals(2, reads.get());
  }

  @Test
  void aBadAddressOfKeysIsNoFaultOfOurs() {
    for (String bad : List.of("http://example.org/keys", "not an address", "")) {
      answer = "{\"issuer\":\"" + issuer() + "\",\"jwks_uri\":\"" + bad + "\"}";
      now.addAndGet(31 * SECOND);
      unresolved();
    }
  }
}
