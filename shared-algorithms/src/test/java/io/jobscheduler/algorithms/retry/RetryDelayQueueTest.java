package io.jobscheduler.algorithms.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class RetryDelayQueueTest {
  private static final long START = 1_000;

  private final ManualTime time = new ManualTime(START);
  private final RetryDelayQueue<String> queue = new RetryDelayQueue<>(time, time);

  @Test
  void givesAnElementOutAtItsInstantAndNotBefore() {
    queue.add("retry", START + 10);
    time.advance(9);
    assertNull(queue.pollDue());
    time.advance(1);
    assertEquals("retry", queue.pollDue());
    assertNull(queue.pollDue());
  }

  @Test
  void givesTheEarliestFirstAndEqualOnesAsAdded() {
    queue.add("late", START - 1);
    queue.add("first", START - 5);
    queue.add("second", START - 5);
    assertEquals("first", queue.pollDue());
    assertEquals("second", queue.pollDue());
    assertEquals("late", queue.pollDue());
  }

  @Test
  void takeSleepsUntilExactlyTheHeadsInstant() throws InterruptedException {
    queue.add("later", START + 70);
    queue.add("head", START + 50);
    assertEquals("head", queue.take());
    assertEquals("later", queue.take());
    assertEquals(List.of(50L, 20L), time.waits);
  }

  @Test
  void takeDoesNotWaitForWhatIsDue() throws InterruptedException {
    queue.add("due", START);
    assertEquals("due", queue.take());
    assertEquals(List.of(), time.waits);
  }

  @Test
  void anEarlierElementShortensTheSleep() throws InterruptedException {
    queue.add("late", START + 100);
    time.duringWait(() -> queue.add("early", START + 30));
    assertEquals("early", queue.take());
    assertEquals(List.of(100L, 30L), time.waits);
  }

  @Test
  void cancellingTheHeadLengthensTheSleep() throws InterruptedException {
    var head = queue.add("head", START + 10);
    queue.add("next", START + 40);
    time.duringWait(() -> assertTrue(queue.cancel(head)));
    assertEquals("next", queue.take());
    assertEquals(List.of(10L, 40L), time.waits);
  }

  @Test
  void takeOnAnEmptyQueueWaitsWithoutLimit() throws InterruptedException {
    time.duringWait(() -> queue.add("new", START));
    assertEquals("new", queue.take());
    assertEquals(List.of(Long.MAX_VALUE), time.waits);
  }

  @Test
  void pollWaitsNoLongerThanAsked() throws InterruptedException {
    queue.add("far", START + 100);
    assertNull(queue.poll(30));
    assertNull(queue.poll(69));
    assertEquals(List.of(30L, 69L), time.waits);
    assertEquals("far", queue.poll(30));
    assertEquals(List.of(30L, 69L, 1L), time.waits);
  }

  @Test
  void pollCountsTheTimeBeforeASpuriousReturn() throws InterruptedException {
    time.duringWait(() -> time.advance(20));
    assertNull(queue.poll(30));
    assertEquals(List.of(30L, 10L), time.waits);
  }

  @Test
  void pollOfNothingOrLessDoesNotWait() throws InterruptedException {
    assertNull(queue.poll(0));
    assertNull(queue.poll(-1));
    assertNull(queue.poll(Long.MIN_VALUE));
    queue.add("due", START);
    assertEquals("due", queue.poll(0));
    assertEquals(List.of(), time.waits);
  }

  @Test
  void wakeUpEndsAWait() throws InterruptedException {
    queue.add("far", START + 100);
    time.duringWait(queue::wakeUp);
    assertNull(queue.take());
    assertEquals(START, time.getAsLong());
    assertEquals("far", queue.take());
  }

  @Test
  void wakeUpIsKeptForTheNextWaitOnce() throws InterruptedException {
    queue.wakeUp();
    queue.wakeUp();
    assertNull(queue.poll(100));
    assertEquals(List.of(), time.waits);
    assertNull(queue.poll(100));
    assertEquals(List.of(100L), time.waits);
  }

  @Test
  void wakeUpIsNotUsedUpByADueElementNorByAPollThatWouldNotWait() throws InterruptedException {
    queue.add("due", START);
    queue.wakeUp();
    assertEquals("due", queue.take());
    assertNull(queue.poll(0));
    assertNull(queue.take());
    assertEquals(List.of(), time.waits);
  }

  @Test
  void cancelsOnlyWhatIsStillThere() {
    var cancelled = queue.add("cancelled", START);
    var taken = queue.add("taken", START);
    assertTrue(queue.cancel(cancelled));
    assertFalse(queue.cancel(cancelled));
    assertEquals("taken", queue.pollDue());
    assertFalse(queue.cancel(taken));
  }

  @Test
  void refusesTheHandleOfAnotherQueue() {
    var foreign = new RetryDelayQueue<String>(time).add("other", START);
    assertThrows(IllegalArgumentException.class, () -> queue.cancel(foreign));
  }

  @Test
  void refusesNull() {
    assertThrows(NullPointerException.class, () -> queue.add(null, START));
    assertThrows(NullPointerException.class, () -> new RetryDelayQueue<String>(null));
    assertEquals(0, queue.size());
  }

  @Test
  void tellsItsSizeAndTheNextInstant() {
    assertEquals(OptionalLong.empty(), queue.nextDueNanos());
    assertEquals(0, queue.size());
    queue.add("b", START + 2);
    queue.add("a", START + 1);
    assertEquals(OptionalLong.of(START + 1), queue.nextDueNanos());
    assertEquals(2, queue.size());
  }

  @Test
  void keepsTheOrderWhileTheClockWrapsAround() throws InterruptedException {
    ManualTime wrapping = new ManualTime(Long.MAX_VALUE - 5);
    RetryDelayQueue<String> late = new RetryDelayQueue<>(wrapping, wrapping);
    late.add("after", Long.MAX_VALUE + 10);
    late.add("before", Long.MAX_VALUE);
    assertNull(late.pollDue());
    assertEquals("before", late.take());
    assertNull(late.poll(9));
    assertEquals("after", late.take());
    assertEquals(List.of(5L, 9L, 1L), wrapping.waits);
  }
}
