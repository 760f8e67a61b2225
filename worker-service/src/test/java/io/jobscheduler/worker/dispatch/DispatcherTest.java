package io.jobscheduler.worker.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.worker.Await;
import io.jobscheduler.worker.claim.ClaimedJob;
import io.jobscheduler.worker.claim.QueueName;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DispatcherTest {
  private final AtomicInteger stirred = new AtomicInteger();
  private final Dispatcher dispatcher = new Dispatcher(2, stirred::incrementAndGet);

  private static Held job(long id, int priority, long key) {
    return new Held(
        new ClaimedJob(
            id,
            id,
            key,
            priority,
            1,
            1,
            new QueueName("shop", "q"),
            null,
            1,
            1,
            priority,
            "t",
            null,
            null,
            null));
  }

  @Test
  void givesOutByPriorityThenKeyThenId() throws InterruptedException {
    dispatcher.add(List.of(job(1, 4, 50), job(2, 9, 90), job(3, 4, 40)));
    dispatcher.add(List.of(job(5, 4, 40), job(4, 0, 1), job(6, 9, 80)));
    List<Long> order = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      order.add(dispatcher.take().job().id());
    }
    assertEquals(List.of(6L, 2L, 3L, 5L, 1L, 4L), order);
  }

  @Test
  void countsWaitingJobsAgainstTheFreeSlots() throws InterruptedException {
    dispatcher.add(List.of(job(1, 4, 1), job(2, 4, 2), job(3, 4, 3)));
    assertEquals(-1, dispatcher.free());
    Held taken = dispatcher.take();
    assertEquals(Held.Phase.RUNNING, taken.phase());
    assertEquals(1, dispatcher.running());
    assertEquals(-1, dispatcher.free());
    dispatcher.slotFreed();
    assertEquals(0, dispatcher.free());
  }

  @Test
  void reportsRoomWhenNothingWaitsOrFewDo() throws InterruptedException {
    dispatcher.stirAt(1);
    dispatcher.add(List.of(job(1, 4, 1), job(2, 4, 2), job(3, 4, 3)));
    dispatcher.take();
    assertEquals(0, stirred.get(), "two wait");
    dispatcher.slotFreed();
    assertEquals(0, stirred.get(), "the slot takes one of them");
    dispatcher.take();
    assertEquals(1, stirred.get(), "one waits");
    dispatcher.take();
    assertEquals(2, stirred.get(), "none waits");
    dispatcher.slotFreed();
    assertEquals(3, stirred.get(), "a slot is idle");
  }

  @Test
  void everyWaitingSlotGetsAJobAndEachJobOneSlot() throws InterruptedException {
    List<Thread> slots = new ArrayList<>();
    AtomicInteger taken = new AtomicInteger();
    for (int i = 0; i < 3; i++) {
      Thread slot =
          new Thread(
              () -> {
                try {
                  while (dispatcher.take() != null) {
                    taken.incrementAndGet();
                    dispatcher.slotFreed();
                  }
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              },
              "slot");
      slot.start();
      slots.add(slot);
    }
    for (int i = 0; i < 1_000; i++) {
      dispatcher.add(List.of(job(2 * i, 4, i), job(2 * i + 1, 9, i)));
    }
    Await.until("all are taken", () -> taken.get() == 2_000);
    assertTrue(dispatcher.awaitIdle(1_000_000_000L));
    dispatcher.close();
    for (Thread slot : slots) {
      slot.join();
    }
  }

  @Test
  void withdrawsOnlyWhatHasNotStarted() throws InterruptedException {
    Held first = job(1, 9, 1);
    Held second = job(2, 4, 1);
    dispatcher.add(List.of(first, second));
    dispatcher.take();
    assertFalse(dispatcher.withdraw(first));
    assertTrue(dispatcher.withdraw(second));
    assertFalse(dispatcher.withdraw(second));
    assertEquals(List.of(), dispatcher.close());
  }

  @Test
  void closedGivesBackWhatHasNotStartedAndTakesNothing() throws InterruptedException {
    Held waiting = job(1, 4, 1);
    dispatcher.add(List.of(waiting));
    assertEquals(List.of(waiting), dispatcher.close());
    assertNull(dispatcher.take());
    assertFalse(dispatcher.add(List.of(job(2, 4, 1))));
  }

  @Test
  void endIsDecidedOnce() {
    Held held = job(1, 4, 1);
    assertTrue(held.decide());
    assertFalse(held.decide());
    assertEquals(Held.Phase.SETTLING, held.phase());
  }

  @Test
  void memoryCountsLeasesByQueueUntilTheyEnd() {
    HeldLeases leases = new HeldLeases();
    Held held = job(1, 4, 1);
    leases.add(held);
    leases.add(job(2, 4, 1));
    assertEquals(2, leases.countOf(1));
    assertEquals(2, leases.unstarted().length);
    leases.remove(held);
    leases.remove(held);
    assertEquals(1, leases.countOf(1));
    assertEquals(0, leases.countOf(7));
    assertNull(leases.get(1));
  }
}
