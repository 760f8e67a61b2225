package io.jobscheduler.dashboard.live;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Thins signals out: per project and topic at most one in a window. The first goes out at once,
 * later ones are merged and go out when the window ends, so the last word is never lost. Topics
 * that fall due together travel together.
 *
 * <p>O(topics of the project) per signal. Thread-safe; the sink is called without the lock.
 */
final class SignalCoalescer {

  /** Runs something once, later. */
  @FunctionalInterface
  interface Timer {
    void after(Duration delay, Runnable task);
  }

  private static final class Slot {
    long opensAt;
    boolean pending;
  }

  private static final class Window {
    final Map<String, Slot> slots = new HashMap<>();
    boolean armed;
  }

  private final long windowNanos;
  private final LongSupplier nanoClock;
  private final Timer timer;
  private final Consumer<Change> sink;
  private final Map<String, Window> projects = new HashMap<>();

  SignalCoalescer(Duration window, LongSupplier nanoClock, Timer timer, Consumer<Change> sink) {
    this.windowNanos = window.toNanos();
    this.nanoClock = nanoClock;
    this.timer = timer;
    this.sink = sink;
  }

  void signal(Change change) {
    send(change.project(), admit(change));
  }

  private synchronized Set<String> admit(Change change) {
    long now = nanoClock.getAsLong();
    Window window = projects.computeIfAbsent(change.project(), name -> new Window());
    Set<String> due = new HashSet<>();
    for (String topic : change.topics()) {
      Slot slot = window.slots.get(topic);
      if (slot == null) {
        slot = new Slot();
        slot.opensAt = now;
        window.slots.put(topic, slot);
      }
      if (slot.opensAt - now <= 0) {
        slot.opensAt = now + windowNanos;
        slot.pending = false;
        due.add(topic);
      } else {
        slot.pending = true;
      }
    }
    arm(change.project(), window, now);
    return due;
  }

  /** A timer is set as long as the project has a slot; the last one to fire forgets the project. */
  private void arm(String project, Window window, long now) {
    if (window.armed || window.slots.isEmpty()) {
      return;
    }
    long next = window.slots.values().stream().mapToLong(s -> s.opensAt - now).min().orElse(0);
    window.armed = true;
    timer.after(Duration.ofNanos(Math.max(next, 0)), () -> send(project, windowEnds(project)));
  }

  private synchronized Set<String> windowEnds(String project) {
    long now = nanoClock.getAsLong();
    Window window = projects.get(project);
    if (window == null) {
      return Set.of();
    }
    window.armed = false;
    Set<String> due = new HashSet<>();
    window
        .slots
        .entrySet()
        .removeIf(entry -> entry.getValue().opensAt - now <= 0 && !entry.getValue().pending);
    window.slots.forEach(
        (topic, slot) -> {
          if (slot.pending && slot.opensAt - now <= 0) {
            slot.pending = false;
            slot.opensAt = now + windowNanos;
            due.add(topic);
          }
        });
    if (window.slots.isEmpty()) {
      projects.remove(project);
    } else {
      arm(project, window, now);
    }
    return due;
  }

  private void send(String project, Set<String> due) {
    if (!due.isEmpty()) {
      sink.accept(new Change(project, due));
    }
  }

  /** Projects remembered now; for tests of the memory's bound. */
  synchronized int size() {
    return projects.size();
  }
}
