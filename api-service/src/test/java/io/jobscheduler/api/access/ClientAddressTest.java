package io.jobscheduler.api.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ClientAddressTest {
  private record Config(Optional<List<String>> trustedProxies) implements LoginConfig {
    @Override
    public int accountTries() {
      return 1;
    }

    @Override
    public Duration accountEvery() {
      return Duration.ofMinutes(1);
    }

    @Override
    public int addressTries() {
      return 1;
    }

    @Override
    public Duration addressEvery() {
      return Duration.ofMinutes(1);
    }
  }

  private static String of(String peer, String... forwardedFor) {
    return new ClientAddress(new Config(Optional.of(List.of("10.0.0.0/8", "fd00::1"))))
        .of(peer, List.of(forwardedFor));
  }

  @Test
  void believesNobodyButTrustedProxies() {
    assertEquals("192.0.2.7", of("192.0.2.7", "198.51.100.1"));
    assertEquals("198.51.100.1", of("10.1.2.3", "198.51.100.1"));
    assertEquals("198.51.100.1", of("fd00::1", "198.51.100.1"));
    assertEquals(
        "192.0.2.7",
        new ClientAddress(new Config(Optional.empty())).of("192.0.2.7", List.of("198.51.100.1")));
  }

  @Test
  void takesWhatTheLastTrustedProxySawNotWhatTheClientWrote() {
    assertEquals("198.51.100.1", of("10.1.2.3", "203.0.113.9, 198.51.100.1"));
    assertEquals("198.51.100.1", of("10.1.2.3", "203.0.113.9", "198.51.100.1,10.9.9.9"));
    assertEquals("10.1.2.3", of("10.1.2.3"));
    assertEquals("10.1.2.3", of("10.1.2.3", "not an address"));
    assertEquals("10.9.9.9", of("10.1.2.3", "x.example.org, 10.9.9.9"));
  }

  @Test
  void refusesToStartWithWhatIsNoNetwork() {
    for (String bad : List.of("localhost", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "")) {
      assertThrows(IllegalArgumentException.class, () -> Network.of(bad), bad);
    }
  }
}
