package io.jobscheduler.scheduler.loop;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;

/** All loops of this process. Thread-safe. */
@Singleton
public class Loops {
  private final LongSupplier nanoClock;
  private final List<Loop> loops = new CopyOnWriteArrayList<>();

  @Inject
  Loops() {
    this(System::nanoTime);
  }

  /** On a monotonic clock that counts nanoseconds. */
  public Loops(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /**
   * Adds a loop.
   *
   * @param every how long it rests between two rounds at most
   */
  public Loop add(String name, Duration every) {
    Loop loop = new Loop(name, every, nanoClock);
    loops.add(loop);
    return loop;
  }

  /** The loops, in the order they were added. */
  public List<Loop> all() {
    return List.copyOf(loops);
  }

  /** The names of those that do not turn: see {@link Loop#turns}. */
  public List<String> stuck(Duration patience) {
    return loops.stream().filter(l -> !l.turns(patience)).map(Loop::name).toList();
  }
}
