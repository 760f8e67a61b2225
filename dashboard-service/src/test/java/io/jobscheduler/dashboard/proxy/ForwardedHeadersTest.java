package io.jobscheduler.dashboard.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.MultiMap;
import java.util.List;
import org.junit.jupiter.api.Test;

class ForwardedHeadersTest {
  private final MultiMap from = MultiMap.caseInsensitiveMultiMap();
  private final MultiMap to = MultiMap.caseInsensitiveMultiMap();

  @Test
  void passesEndToEndHeadersOnly() {
    from.add("Authorization", "Bearer x")
        .add("If-None-Match", "\"1\"")
        .add("Connection", "keep-alive, X-Private")
        .add("X-Private", "1")
        .add("Keep-Alive", "5")
        .add("TE", "trailers")
        .add("Transfer-Encoding", "chunked")
        .add("Upgrade", "h2c")
        .add("Proxy-Authorization", "y")
        .add("Host", "dashboard");
    ForwardedHeaders.copyEndToEnd(from, to, "host");
    assertEquals(2, to.size());
    assertTrue(to.contains("authorization"));
    assertTrue(to.contains("if-none-match"));
  }

  @Test
  void keepsAllValuesOfAHeaderAndReplacesOnesSetBefore() {
    to.add("Cache-Control", "no-store");
    from.add("Set-Cookie", "a=1").add("Set-Cookie", "b=2").add("Cache-Control", "max-age=5");
    ForwardedHeaders.copyEndToEnd(from, to);
    assertEquals(List.of("a=1", "b=2"), to.getAll("Set-Cookie"));
    assertEquals(List.of("max-age=5"), to.getAll("Cache-Control"));
  }

  @Test
  void saysForWhomTheRequestIs() {
    ForwardedHeaders.addForwarded(to, "10.0.0.7", "http", "jobs.example.org");
    assertEquals("10.0.0.7", to.get("X-Forwarded-For"));
    assertEquals("http", to.get("X-Forwarded-Proto"));
    assertEquals("jobs.example.org", to.get("X-Forwarded-Host"));
  }

  @Test
  void continuesTheChainOfAProxyInFront() {
    to.add("X-Forwarded-For", "203.0.113.9")
        .add("X-Forwarded-Proto", "https")
        .add("X-Forwarded-Host", "jobs.example.org");
    ForwardedHeaders.addForwarded(to, "10.0.0.7", "http", "dashboard:8090");
    assertEquals("203.0.113.9, 10.0.0.7", to.get("X-Forwarded-For"));
    assertEquals("https", to.get("X-Forwarded-Proto"));
    assertEquals("jobs.example.org", to.get("X-Forwarded-Host"));
  }

  @Test
  void addsNothingThatItDoesNotKnow() {
    ForwardedHeaders.addForwarded(to, null, "http", null);
    assertNull(to.get("X-Forwarded-For"));
    assertFalse(to.contains("X-Forwarded-Host"));
  }
}
