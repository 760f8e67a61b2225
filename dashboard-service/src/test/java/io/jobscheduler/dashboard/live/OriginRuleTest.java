package io.jobscheduler.dashboard.live;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OriginRuleTest {
  private final OriginRule rule = new OriginRule(List.of("https://ops.example.org"));

  @ParameterizedTest
  @CsvSource({
    "http://localhost:8090, localhost:8090",
    "https://jobs.example.org, jobs.example.org",
    "https://jobs.example.org, jobs.example.org:443",
    "http://jobs.example.org:80, jobs.example.org",
    "https://JOBS.example.org, jobs.EXAMPLE.org",
    "http://[::1]:8090, [::1]:8090",
    "https://ops.example.org, localhost:8090"
  })
  void permitsItsOwnPagesAndTheAllowList(String origin, String host) {
    assertTrue(rule.permits(origin, host));
  }

  @ParameterizedTest
  @CsvSource({
    "http://evil.example, localhost:8090",
    "http://localhost:8091, localhost:8090",
    "https://jobs.example.org:8443, jobs.example.org",
    "http://localhost:8090.evil.example, localhost:8090",
    "http://localhost:8090@evil.example, localhost:8090",
    "http://ops.example.org, localhost:8090",
    "file://localhost:8090, localhost:8090",
    "null, localhost:8090",
    "http://, localhost:8090",
    "http://bad host, localhost:8090"
  })
  void refusesOthers(String origin, String host) {
    assertFalse(rule.permits(origin, host));
  }

  @Test
  void refusesARequestWithoutOrigin() {
    assertFalse(rule.permits(null, "localhost:8090"));
    assertFalse(rule.permits("http://localhost:8090", null));
  }
}
