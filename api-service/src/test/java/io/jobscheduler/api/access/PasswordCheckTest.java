package io.jobscheduler.api.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class PasswordCheckTest {
  private record Config(
      Optional<Path> masterKeyFile,
      Duration tokenLifetime,
      Duration sessionIdle,
      Duration sessionLifetime,
      Duration keyRotation,
      int concurrentHashes)
      implements AccessConfig {}

  private final PasswordCheck check =
      new PasswordCheck(
          new Config(
              Optional.empty(),
              Duration.ofHours(8),
              Duration.ofHours(8),
              Duration.ofHours(8),
              Duration.ofDays(90),
              1));

  @Test
  void nobodysPasswordIsNoPassword() {
    String stored = check.hash("right");
    assertTrue(check.matches("right", stored));
    assertFalse(check.matches("wrong", stored));
    assertFalse(check.matches("no user has this password", null));
  }

  /** Symptom: 400 logins at once held every request thread for five seconds. */
  @Test
  void refusesAtOnceWhenTooManyWait() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      List<Future<String>> logins = new ArrayList<>();
      logins.add(
          threads.submit(
              () ->
                  check.inTurn(
                      () -> {
                        begun.countDown();
                        await(release);
                        return "done";
                      })));
      assertTrue(begun.await(10, TimeUnit.SECONDS));
      for (int i = 0; i < PasswordCheck.MOST_WAITING; i++) {
        logins.add(threads.submit(() -> check.inTurn(() -> "done")));
      }
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(4);
      while (check.waiting() < PasswordCheck.MOST_WAITING && System.nanoTime() < deadline) {
        LockSupport.parkNanos(1_000_000);
      }
      assertEquals(PasswordCheck.MOST_WAITING, check.waiting());
      ProblemException e =
          assertThrows(ProblemException.class, () -> check.inTurn(() -> "too many"));
      assertEquals(ProblemType.SERVICE_UNAVAILABLE, e.type());
      assertEquals(PasswordCheck.MOST_WAITING, check.waiting(), "it did not wait");
      release.countDown();
      for (Future<String> login : logins) {
        assertEquals("done", login.get(10, TimeUnit.SECONDS));
      }
      assertEquals(0, check.waiting());
    } finally {
      release.countDown();
      threads.shutdownNow();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
