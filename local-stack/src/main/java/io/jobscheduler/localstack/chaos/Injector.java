package io.jobscheduler.localstack.chaos;

import io.jobscheduler.localstack.faults.Breakage;
import io.jobscheduler.localstack.faults.FaultKind;
import io.jobscheduler.localstack.faults.Ground;
import io.jobscheduler.localstack.report.Recovery;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Injects the faults of a schedule, each at its time on a thread of its own, undoes them, and keeps
 * the record.
 */
final class Injector implements AutoCloseable {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final Duration LONGEST_RECOVERY = Duration.ofSeconds(60);

  private final Ground ground;
  private final Notes notes;
  private final Consumer<String> out;
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
  private final ExecutorService hands = Executors.newCachedThreadPool();
  private final ExecutorService menders = Executors.newCachedThreadPool();
  private final List<InjectedFault> injected = new CopyOnWriteArrayList<>();
  private final List<String> missed = new CopyOnWriteArrayList<>();
  private final Set<Long> cutOff = ConcurrentHashMap.newKeySet();
  private final Set<Long> stopped = ConcurrentHashMap.newKeySet();

  Injector(Ground ground, Notes notes, Consumer<String> out) {
    this.ground = ground;
    this.notes = notes;
    this.out = out;
  }

  void start(List<PlannedFault> schedule) {
    for (PlannedFault fault : schedule) {
      clock.schedule(
          () -> hands.execute(() -> inject(fault)), fault.at().toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void inject(PlannedFault planned) {
    try {
      Instant at = Instant.now();
      Optional<Breakage> broken = planned.kind().fault().inject(ground, planned.choice());
      if (broken.isEmpty()) {
        missed.add(planned.kind().label());
        out.accept("- " + planned.kind().label() + ": nothing to break now");
        return;
      }
      broken.get().pid().ifPresent(pid -> note(planned.kind(), pid));
      out.accept(
          "+ %s: %s for %.1f s"
              .formatted(
                  planned.kind().label(), broken.get().target(), planned.lasts().toMillis() / 1e3));
      keep(planned, at, broken.get());
    } catch (Exception e) {
      missed.add(planned.kind().label());
      out.accept("- " + planned.kind().label() + ": " + e);
    }
  }

  private void note(FaultKind kind, long pid) {
    switch (kind) {
      case WORKER_CUT, WORKER_CUT_FOR_GOOD, WORKER_REFUSE -> cutOff.add(pid);
      case WORKER_STOP -> stopped.add(pid);
      default -> {}
    }
  }

  /** Worker processes that were cut off from the database, and never stopped. */
  Set<Long> cutOff() {
    Set<Long> ranOn = new HashSet<>(cutOff);
    ranOn.removeAll(stopped);
    return Set.copyOf(ranOn);
  }

  private void keep(PlannedFault planned, Instant at, Breakage broken) throws Exception {
    // Looked at while it is undone too: a start takes seconds, and a recovery must not be missed.
    Future<Instant> undone = menders.submit(() -> undo(planned.lasts(), broken));
    Optional<Duration> recovery = Optional.empty();
    long deadline = System.nanoTime() + planned.lasts().plus(LONGEST_RECOVERY).toNanos();
    while (broken.measured() && recovery.isEmpty() && System.nanoTime() < deadline) {
      recovery = broken.recovered();
      LockSupport.parkNanos(LOOK_NANOS);
    }
    boolean stuck = recovery.isEmpty() && broken.isWaiting();
    broken.forget();
    if (broken.measured()) {
      out.accept(
          "  %s: %s"
              .formatted(
                  broken.target(),
                  recovery
                      .map(took -> "went on after %.2f s".formatted(took.toMillis() / 1e3))
                      .orElse(stuck ? "did NOT go on" : "nothing had to go on")));
    }
    injected.add(
        new InjectedFault(
            planned.kind(),
            broken.target(),
            at,
            undone(planned, undone),
            broken.measured(),
            recovery,
            stuck));
  }

  private Instant undone(PlannedFault planned, Future<Instant> undo) throws InterruptedException {
    try {
      return undo.get();
    } catch (ExecutionException e) {
      notes.fail(planned.kind().label() + " was not undone: " + e.getCause());
      return Instant.now();
    }
  }

  private static Instant undo(Duration lasts, Breakage broken) throws Exception {
    try {
      TimeUnit.NANOSECONDS.sleep(lasts.toNanos());
    } finally {
      broken.undo();
    }
    return Instant.now();
  }

  /** Waits until every fault has come and was undone; false when the time was too short. */
  boolean finish(Duration limit) throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    // What is still to come does come.
    clock.shutdown();
    boolean over = clock.awaitTermination(limit.toNanos(), TimeUnit.NANOSECONDS);
    hands.shutdown();
    return over && hands.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
  }

  /** How many of each kind came about. */
  Map<String, Integer> counts() {
    Map<String, Integer> counts = new TreeMap<>();
    injected.forEach(fault -> counts.merge(fault.kind().label(), 1, Integer::sum));
    return counts;
  }

  /** How long the system took to go on, by kind, where that can be measured. */
  Map<String, Recovery> recoveries() {
    Map<String, List<Duration>> times = new TreeMap<>();
    for (InjectedFault fault : injected) {
      fault
          .recovery()
          .ifPresent(
              took ->
                  times.computeIfAbsent(fault.kind().label(), k -> new ArrayList<>()).add(took));
    }
    Map<String, Recovery> recoveries = new TreeMap<>();
    times.forEach((kind, all) -> recoveries.put(kind, Recovery.of(all)));
    return recoveries;
  }

  /** After how many of each kind something did not go on within a minute of its end. */
  Map<String, Integer> stuck() {
    Map<String, Integer> counts = new TreeMap<>();
    injected.stream()
        .filter(InjectedFault::stuck)
        .forEach(fault -> counts.merge(fault.kind().label(), 1, Integer::sum));
    return counts;
  }

  List<InjectedFault> injected() {
    return List.copyOf(injected);
  }

  /** Those for which there was no target, by kind. */
  Map<String, Integer> missed() {
    Map<String, Integer> counts = new TreeMap<>();
    missed.forEach(kind -> counts.merge(kind, 1, Integer::sum));
    return counts;
  }

  @Override
  public void close() {
    clock.shutdownNow();
    hands.shutdownNow();
    // Not interrupted: what is broken is made whole even then.
    menders.shutdown();
  }
}
