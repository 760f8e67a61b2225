package io.jobscheduler.worker.execute;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DeadlinesTest {
  @Test
  void whatOneActionThrowsDoesNotKeepTheNextFromItsInstant() throws InterruptedException {
    Deadlines deadlines = new Deadlines(System::nanoTime);
    CountDownLatch acted = new CountDownLatch(1);
    deadlines.start();
    try {
      deadlines.in(
          0,
          () -> {
            throw new StackOverflowError("of a handler's own making");
          });
      deadlines.in(1, acted::countDown);
      assertTrue(acted.await(10, TimeUnit.SECONDS));
    } finally {
      deadlines.close();
    }
  }
}
