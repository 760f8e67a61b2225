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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DispatcherTest {
  private final AtomicInteger stirred = new AtomicInteger();
  private final Dispatcher dispatcher = new Dispatcher(2, stirred::incrementAndGet);

  private static Held job(long id, int priority, long key) {
    return job(id, priority, key, 1);
  }

  private static Held job(long id, int priority, long key, int cost) {
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
            cost,
            null,
            null,
            null));
  }

  @Test
  void givesOutByPriorityThenKeyThenId() throws InterruptedException {
    dispatcher.add(
        List.of(
            job(1, 4, 50),
            job(2, 9, 90),
            job(3, 4, 40),
            job(5, 4, 40),
            job(4, 0, 1),
            job(6, 9, 80)));
    List<Long> order = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      Held taken = dispatcher.take();
      order.add(taken.job().id());
      dispatcher.slotFreed(taken);
    }
    assertEquals(List.of(6L, 2L, 3L, 5L, 1L, 4L), order);
  }

  /** Fails when urgency goes first: what waits here would wait as long as more urgent ones come. */
  @Test
  void nothingClaimedLaterPassesByWhatWaits() throws InterruptedException {
    dispatcher.add(List.of(job(1, 0, 900)));
    dispatcher.add(List.of(job(2, 9, 1), job(3, 9, 0)));
    assertEquals(1, dispatcher.take().job().id());
    assertEquals(3, dispatcher.take().job().id());
  }

  @Test
  void countsWaitingJobsAgainstTheFreeSlots() throws InterruptedException {
    dispatcher.add(List.of(job(1, 4, 1), job(2, 4, 2), job(3, 4, 3)));
    assertEquals(-1, dispatcher.free());
    Held taken = dispatcher.take();
    assertEquals(Held.Phase.RUNNING, taken.phase());
    assertEquals(1, dispatcher.running());
    assertEquals(-1, dispatcher.free());
    dispatcher.slotFreed(taken);
    assertEquals(0, dispatcher.free());
  }

  @Test
  void reportsRoomWhenNothingWaitsOrFewDo() throws InterruptedException {
    dispatcher.stirAt(1);
    dispatcher.add(List.of(job(1, 4, 1), job(2, 4, 2), job(3, 4, 3)));
    Held first = dispatcher.take();
    assertEquals(0, stirred.get(), "two wait");
    dispatcher.slotFreed(first);
    assertEquals(0, stirred.get(), "the slot takes one of them");
    dispatcher.take();
    assertEquals(1, stirred.get(), "one waits");
    Held last = dispatcher.take();
    assertEquals(2, stirred.get(), "none waits");
    dispatcher.slotFreed(last);
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
                  Held held = dispatcher.take();
                  while (held != null) {
                    taken.incrementAndGet();
                    dispatcher.slotFreed(held);
                    held = dispatcher.take();
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

  /** Takes on a thread of its own what the dispatcher gives out next. */
  private CompletableFuture<Held> taking() {
    CompletableFuture<Held> taken = new CompletableFuture<>();
    Thread slot =
        new Thread(
            () -> {
              try {
                taken.complete(dispatcher.take());
              } catch (InterruptedException e) {
                taken.completeExceptionally(e);
              }
            },
            "slot");
    slot.start();
    Await.until("it waits, or has taken", () -> slot.getState() != Thread.State.RUNNABLE);
    return taken;
  }

  /** Fails when a cheap job may pass: a stream of them would keep a dear one waiting for ever. */
  @Test
  void dearJobWaitsForItsSlotsAndIsNotPassedBy() throws Exception {
    Held cheap = job(1, 9, 1, 1);
    Held dear = job(2, 5, 2, 2);
    dispatcher.add(List.of(cheap, dear, job(3, 4, 3, 1)));
    assertEquals(2 - 4, dispatcher.free());
    assertEquals(cheap, dispatcher.take());
    CompletableFuture<Held> next = taking();
    assertFalse(next.isDone(), "one slot is free, it needs two");
    dispatcher.slotFreed(cheap);
    assertEquals(dear, next.get(20, TimeUnit.SECONDS));
    assertEquals(2 - 3, dispatcher.free());
    next = taking();
    assertFalse(next.isDone());
    dispatcher.slotFreed(dear);
    assertEquals(3, next.get(20, TimeUnit.SECONDS).job().id());
  }

  @Test
  void jobDearerThanAllSlotsRunsAlone() throws Exception {
    Held cheap = job(1, 9, 1, 1);
    Held huge = job(2, 5, 2, 7);
    dispatcher.add(List.of(cheap, huge));
    assertEquals(cheap, dispatcher.take());
    CompletableFuture<Held> next = taking();
    assertFalse(next.isDone());
    dispatcher.slotFreed(cheap);
    assertEquals(huge, next.get(20, TimeUnit.SECONDS));
    dispatcher.add(List.of(job(3, 9, 1, 1)));
    next = taking();
    assertFalse(next.isDone());
    dispatcher.slotFreed(huge);
    assertEquals(3, next.get(20, TimeUnit.SECONDS).job().id());
    assertEquals(1, dispatcher.free());
  }

  /** The one that held the others back is revoked before it could start. */
  @Test
  void withdrawnDearJobLetsTheOthersGo() throws Exception {
    Held cheap = job(1, 9, 1, 1);
    Held dear = job(2, 5, 2, 2);
    dispatcher.add(List.of(cheap, dear, job(3, 4, 3, 1)));
    assertEquals(cheap, dispatcher.take());
    CompletableFuture<Held> next = taking();
    assertFalse(next.isDone());
    assertTrue(dispatcher.withdraw(dear));
    assertEquals(3, next.get(20, TimeUnit.SECONDS).job().id());
    assertEquals(0, dispatcher.free());
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
    leases.add(job(3, 4, 1, 5));
    assertEquals(3, leases.countOf(1));
    assertEquals(7, leases.slotsOf(1));
    leases.remove(leases.get(3));
    assertEquals(2, leases.slotsOf(1));
    assertEquals(2, leases.unstarted().length);
    leases.remove(held);
    leases.remove(held);
    assertEquals(1, leases.countOf(1));
    assertEquals(0, leases.countOf(7));
    assertNull(leases.get(1));
  }
}
