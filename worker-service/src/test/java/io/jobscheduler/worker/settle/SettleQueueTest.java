package io.jobscheduler.worker.settle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SettleQueueTest {
  private static final long MILLI = 1_000_000;

  private final AtomicLong clock = new AtomicLong(1_000 * MILLI);
  private final SettleQueue queue = new SettleQueue(clock::get);

  private void add(int from, int to) {
    for (long i = from; i <= to; i++) {
      queue.add(Pending.release(i, i, null));
    }
  }

  private int next() throws InterruptedException {
    return queue.next(0).size();
  }

  @Test
  void givesOutAtOnceWhenIdle() throws InterruptedException {
    add(1, 1);
    assertEquals(1, next());
  }

  @Test
  void gathersForFiveMillisecondsWhenBusy() throws InterruptedException {
    add(1, 1);
    next();
    queue.flushed();
    clock.addAndGet(MILLI);
    add(2, 3);
    assertEquals(0, next());
    clock.addAndGet(4 * MILLI);
    add(4, 4);
    assertEquals(3, next());
  }

  @Test
  void hundredGoAtOnce() throws InterruptedException {
    add(1, 1);
    next();
    queue.flushed();
    add(2, 251);
    assertEquals(100, next());
    queue.flushed();
    assertEquals(100, next());
    queue.flushed();
    assertEquals(0, next());
  }

  @Test
  void repeatsAfterThePauseTogetherWithNewOnes() throws InterruptedException {
    add(1, 2);
    List<Pending> batch = queue.next(0);
    queue.again(batch, 50 * MILLI);
    queue.flushed();
    assertEquals(0, next());
    clock.addAndGet(50 * MILLI);
    add(3, 3);
    assertEquals(3, next());
  }

  /** Verdicts come by job: an earlier lease whose settle is repeated goes first, alone. */
  @Test
  void twoLeasesOfOneJobNeverGoTogether() throws InterruptedException {
    queue.add(Pending.release(7, 1, null));
    queue.again(queue.next(0), 0);
    queue.flushed();
    queue.add(Pending.release(7, 2, null));
    queue.add(Pending.release(8, 3, null));
    clock.addAndGet(5 * MILLI);
    assertEquals(List.of(1L, 3L), queue.next(0).stream().map(Pending::leaseToken).toList());
    queue.flushed();
    clock.addAndGet(5 * MILLI);
    assertEquals(List.of(2L), queue.next(0).stream().map(Pending::leaseToken).toList());
  }

  @Test
  void secondSettlementOfOneLeaseIsIgnoredUntilTheFirstIsDone() throws InterruptedException {
    add(1, 1);
    add(1, 1);
    List<Pending> batch = queue.next(0);
    assertEquals(1, batch.size());
    add(1, 1);
    assertEquals(0, next());
    queue.confirmed(batch);
    clock.addAndGet(10 * MILLI);
    add(1, 1);
    assertEquals(1, next());
  }

  @Test
  void isSettledOnlyWhenAllIsConfirmed() throws InterruptedException {
    assertTrue(queue.awaitConfirmed(0));
    add(1, 2);
    List<Pending> batch = queue.next(0);
    queue.confirmed(batch.subList(0, 1));
    assertFalse(queue.awaitConfirmed(0));
    queue.confirmed(batch.subList(1, 2));
    assertTrue(queue.awaitConfirmed(0));
  }

  @Test
  void closedGivesOutNothing() throws InterruptedException {
    add(1, 1);
    queue.close();
    assertEquals(0, next());
  }
}
