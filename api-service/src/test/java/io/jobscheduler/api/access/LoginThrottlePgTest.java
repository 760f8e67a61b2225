package io.jobscheduler.api.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.api.TestProjects;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.schema.testing.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LoginThrottlePgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();

  private record Config(
      int accountTries,
      Duration accountEvery,
      int addressTries,
      Duration addressEvery,
      Optional<List<String>> trustedProxies)
      implements LoginConfig {}

  private LoginThrottle one;
  private LoginThrottle other;

  @BeforeEach
  void open() {
    one = replica(3, 5);
    other = replica(3, 5);
  }

  private LoginThrottle replica(int accountTries, int addressTries) {
    Duration hour = Duration.ofHours(1);
    return new LoginThrottle(
        TestProjects.api(database),
        new Config(accountTries, hour, addressTries, hour, Optional.empty()));
  }

  private static void refuses(LoginThrottle throttle, String address, String account) {
    ProblemException e =
        assertThrows(ProblemException.class, () -> throttle.take(address, account));
    assertEquals(ProblemType.TOO_MANY_REQUESTS, e.type());
  }

  @Test
  void anAccountHasItsTriesOverAllReplicasAndFromAllAddresses() {
    one.take("10.0.0.1", "ann@example.org");
    other.take("10.0.0.2", "ann@example.org");
    one.take("10.0.0.3", "ANN@example.org");
    refuses(other, "10.0.0.4", "ann@example.org");
    refuses(one, "10.0.0.5", "Ann@Example.org");
    one.take("10.0.0.6", "bob@example.org");
  }

  @Test
  void anAddressHasItsTriesWhateverTheAccount() {
    for (int i = 0; i < 5; i++) {
      (i % 2 == 0 ? one : other).take("10.0.0.1", "user" + i + "@example.org");
    }
    refuses(one, "10.0.0.1", "new@example.org");
    other.take("10.0.0.2", "new@example.org");
  }

  @Test
  void allOfANetworkOfIpv6IsOneAddress() {
    for (int i = 0; i < 5; i++) {
      one.take("2001:db8:1:2::" + i, "user" + i + "@example.org");
    }
    refuses(one, "2001:db8:1:2:ffff::1", "new@example.org");
    one.take("2001:db8:1:3::1", "new@example.org");
  }

  @Test
  void aRightPasswordGivesTheTriesBack() {
    for (int i = 0; i < 20; i++) {
      one.giveBack(other.take("10.0.0.1", "ann@example.org"));
    }
    one.take("10.0.0.1", "ann@example.org");
    one.take("10.0.0.1", "ann@example.org");
    one.giveBack(one.take("10.0.0.1", "ann@example.org"));
    one.take("10.0.0.1", "ann@example.org");
  }

  /** A try is taken before the password is looked at, so many at once cannot all pass. */
  @Test
  void ofManyAtOnceOnlyTheTriesPass() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<Boolean>> tries = new ArrayList<>();
      for (int i = 0; i < 24; i++) {
        String address = "10.0.1." + i;
        LoginThrottle replica = i % 2 == 0 ? one : other;
        tries.add(
            threads.submit(
                () -> {
                  try {
                    replica.take(address, "ann@example.org");
                    return true;
                  } catch (ProblemException e) {
                    return false;
                  }
                }));
      }
      int passed = 0;
      for (Future<Boolean> attempt : tries) {
        passed += attempt.get() ? 1 : 0;
      }
      assertEquals(3, passed);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void triesComeBackWithTime() {
    for (int i = 0; i < 3; i++) {
      one.take("10.0.0." + i, "ann@example.org");
    }
    refuses(one, "10.0.0.9", "ann@example.org");
    database.sql("UPDATE login_attempts SET full_at = full_at - interval '1 hour'");
    one.take("10.0.0.9", "ann@example.org");
    refuses(one, "10.0.0.9", "ann@example.org");
  }

  @Test
  void whatIsForgottenIsTakenAwaySoTheTableStaysSmall() {
    for (int i = 0; i < 40; i++) {
      one.take("10.0.2." + i, "user" + i + "@example.org");
    }
    assertEquals("80", database.sql("SELECT count(*) FROM login_attempts"));
    database.sql("UPDATE login_attempts SET full_at = full_at - interval '1 day'");
    for (int i = 0; i < 13; i++) {
      one.take("10.0.3." + i, "other" + i + "@example.org");
    }
    int left = TestProjects.number(database, "SELECT count(*) FROM login_attempts");
    assertTrue(left <= 26, "left " + left);
    assertEquals(
        "0", database.sql("SELECT count(*) FROM login_attempts a WHERE a::text LIKE '%example%'"));
  }
}
