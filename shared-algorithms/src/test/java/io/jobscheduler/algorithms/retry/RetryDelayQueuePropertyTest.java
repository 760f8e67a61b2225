package io.jobscheduler.algorithms.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.algorithms.Seed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Random operations against a sorted list, on a clock that wraps around in the middle. */
class RetryDelayQueuePropertyTest {

  /** Delays count from the start of the run, so the model knows nothing of wrapping. */
  private record Entry(long delay, int number) {}

  private record Added(Entry entry, RetryDelayQueue.Handle<Entry> handle) {}

  private static final class Run {
    final Random random;
    final long start = Long.MAX_VALUE - 1_000;
    final ManualTime time = new ManualTime(start);
    final RetryDelayQueue<Entry> queue = new RetryDelayQueue<>(time, time);
    final List<Entry> model = new ArrayList<>();
    final List<Added> everAdded = new ArrayList<>();
    boolean wakeUpPending;

    Run(Random random) {
      this.random = random;
    }

    void step() throws InterruptedException {
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> add();
        case 3 -> cancel();
        case 4 -> time.advance(random.nextInt(30));
        case 5 -> assertEquals(modelDue(elapsed()), queue.pollDue());
        case 6 -> poll();
        default -> {
          queue.wakeUp();
          wakeUpPending = true;
        }
      }
      assertEquals(model.size(), queue.size());
      assertEquals(
          model.isEmpty() ? OptionalLong.empty() : OptionalLong.of(start + model.get(0).delay),
          queue.nextDueNanos());
    }

    long elapsed() {
      return time.getAsLong() - start;
    }

    void add() {
      Entry entry = new Entry(elapsed() + random.nextInt(100) - 10, everAdded.size());
      everAdded.add(new Added(entry, queue.add(entry, start + entry.delay)));
      model.add(entry);
      model.sort(Comparator.comparingLong(Entry::delay));
    }

    void cancel() {
      if (!everAdded.isEmpty()) {
        Added any = everAdded.get(random.nextInt(everAdded.size()));
        assertEquals(model.remove(any.entry), queue.cancel(any.handle));
      }
    }

    void poll() throws InterruptedException {
      long before = elapsed();
      long maxWait = random.nextInt(40);
      long headAt = model.isEmpty() ? Long.MAX_VALUE : Math.max(before, model.get(0).delay);
      boolean woken = wakeUpPending && maxWait > 0 && headAt > before;
      long end = woken ? before : Math.min(before + maxWait, headAt);
      wakeUpPending &= !woken;
      assertEquals(woken ? null : modelDue(end), queue.poll(maxWait));
      assertEquals(end, elapsed(), "how long it waited");
    }

    Entry modelDue(long elapsed) {
      return model.isEmpty() || model.get(0).delay > elapsed ? null : model.remove(0);
    }
  }

  @Test
  void behavesAsASortedListReadAtTheClock() {
    Seed.check(
        200,
        random -> {
          Run run = new Run(random);
          try {
            for (int i = 0; i < 300; i++) {
              run.step();
            }
          } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
          }
        });
  }
}
