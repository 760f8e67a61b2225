package io.jobscheduler.algorithms.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The delay queue under real threads and the real clock. */
@Timeout(30)
class RetryDelayQueueThreadsTest {
  private static final long AN_HOUR = TimeUnit.HOURS.toNanos(1);

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch waiting = new CountDownLatch(1);
  private final RetryDelayQueue<Integer> queue =
      new RetryDelayQueue<>(
          System::nanoTime,
          (changed, nanos) -> {
            // The lock is held here and given up by waiting, so whoever gets it finds us waiting.
            waiting.countDown();
            return Waiter.ON_CONDITION.await(changed, nanos);
          });

  @AfterEach
  void endThreads() throws InterruptedException {
    threads.shutdownNow();
    assertTrue(threads.awaitTermination(10, TimeUnit.SECONDS), "a thread is still waiting");
  }

  @Test
  void anEarlierElementWakesTheSleepingThread() throws Exception {
    queue.add(1, System.nanoTime() + AN_HOUR);
    Future<Integer> taken = whileWaiting(queue::take);
    queue.add(2, System.nanoTime());
    assertEquals(2, taken.get());
  }

  @Test
  void wakeUpWakesTheSleepingThread() throws Exception {
    Future<Integer> taken = whileWaiting(() -> queue.poll(AN_HOUR));
    queue.wakeUp();
    assertNull(taken.get());
  }

  @Test
  void anInterruptEndsTheSleep() throws Exception {
    Future<Integer> taken = whileWaiting(queue::take);
    threads.shutdownNow();
    ExecutionException end = assertThrows(ExecutionException.class, taken::get);
    assertEquals(InterruptedException.class, end.getCause().getClass());
  }

  @Test
  void noCallKeepsTheLock() throws Exception {
    List<Callable<?>> calls =
        List.of(
            () -> queue.add(1, System.nanoTime() + AN_HOUR),
            queue::size,
            queue::nextDueNanos,
            queue::pollDue,
            () -> queue.poll(0),
            () -> queue.cancel(queue.add(2, System.nanoTime())),
            () -> {
              queue.wakeUp();
              return null;
            });
    for (Callable<?> call : calls) {
      call.call();
      assertEquals(1, threads.submit(queue::size).get(10, TimeUnit.SECONDS));
    }
  }

  @Test
  void sleepsUntilDueByTheRealClock() throws Exception {
    long due = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(5);
    queue.add(1, due);
    assertEquals(1, queue.take());
    assertTrue(System.nanoTime() - due >= 0);
  }

  @Test
  void givesEachElementToOneThreadAndNoneBeforeItsInstant() throws Exception {
    int producers = 4;
    int each = 500;
    Set<Integer> taken = ConcurrentHashMap.newKeySet();
    AtomicInteger early = new AtomicInteger();
    AtomicInteger open = new AtomicInteger(producers * each);
    long[] due = new long[producers * each];
    long start = System.nanoTime();
    for (int i = 0; i < due.length; i++) {
      due[i] = start + TimeUnit.MICROSECONDS.toNanos(i * 7919L % 20_000);
    }
    List<Future<?>> running = new ArrayList<>();
    for (int p = 0; p < producers; p++) {
      int first = p * each;
      running.add(
          threads.submit(
              () -> {
                for (int i = first; i < first + each; i++) {
                  var handle = queue.add(i, due[i]);
                  if (i % 10 == 0 && queue.cancel(handle)) {
                    queue.add(i, due[i]);
                  }
                }
              }));
      running.add(
          threads.submit(
              () -> {
                while (open.get() > 0) {
                  Integer element = queue.poll(TimeUnit.MILLISECONDS.toNanos(50));
                  if (element != null) {
                    early.addAndGet(System.nanoTime() - due[element] < 0 ? 1 : 0);
                    assertTrue(taken.add(element), () -> element + " was given out twice");
                    open.decrementAndGet();
                  }
                }
                return null;
              }));
    }
    for (Future<?> one : running) {
      one.get();
    }
    assertEquals(producers * each, taken.size());
    assertEquals(0, early.get());
    assertEquals(0, queue.size());
  }

  /** Starts the call and returns once it waits. */
  private Future<Integer> whileWaiting(Callable<Integer> call) throws InterruptedException {
    Future<Integer> future = threads.submit(call);
    waiting.await();
    return future;
  }
}
