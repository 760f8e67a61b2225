package io.jobscheduler.localstack.faults;

import io.jobscheduler.localstack.LocalStack;
import io.jobscheduler.localstack.process.Await;
import io.jobscheduler.localstack.service.Service;
import io.jobscheduler.localstack.service.ServiceProcess;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** What faults can reach. Thread-safe. */
public final class Ground {
  private static final Duration READY_LIMIT = Duration.ofMinutes(3);

  private final LocalStack stack;
  private final Fleet fleet;
  private final Knobs knobs;
  private final @Nullable Pooler pooler;
  private final AtomicBoolean databaseHeld = new AtomicBoolean();

  public Ground(LocalStack stack, Fleet fleet, Knobs knobs, @Nullable Pooler pooler) {
    this.stack = stack;
    this.pooler = pooler;
    this.fleet = fleet;
    this.knobs = knobs;
  }

  public LocalStack stack() {
    return stack;
  }

  public Fleet fleet() {
    return fleet;
  }

  public Knobs knobs() {
    return knobs;
  }

  Optional<Pooler> pooler() {
    return Optional.ofNullable(pooler);
  }

  /**
   * Starts a process that has ended, and waits until it is ready, or has ended again, or three
   * minutes have passed: other faults may keep it from being ready.
   */
  void startAgain(Member member) {
    ServiceProcess process = member.process();
    stack.startAgain(process);
    Await.until(READY_LIMIT, () -> !process.isAlive() || process.readiness().ready());
  }

  /** A process of that service which no other fault holds, now held. */
  Optional<Member> hold(Service service, long choice) {
    return hold(fleet.of(service), choice);
  }

  /** One of these which no other fault holds, now held. */
  static Optional<Member> hold(List<Member> members, long choice) {
    for (int i = 0; i < members.size(); i++) {
      int index = (int) Math.floorMod(choice + i, (long) members.size());
      if (members.get(index).hold()) {
        return Optional.of(members.get(index));
      }
    }
    return Optional.empty();
  }

  /** Whether the database as a whole was free to be broken; it is held then. */
  boolean holdDatabase() {
    return databaseHeld.compareAndSet(false, true);
  }

  void releaseDatabase() {
    databaseHeld.set(false);
  }
}
