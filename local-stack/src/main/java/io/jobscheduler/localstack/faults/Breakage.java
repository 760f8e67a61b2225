package io.jobscheduler.localstack.faults;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Something that is broken now. For one thread. */
public final class Breakage {
  private final String target;
  private final Undo undo;
  private final @Nullable Probe recovery;
  private final OptionalLong pid;

  /** Makes it whole again. */
  interface Undo {
    void run() throws Exception;
  }

  Breakage(String target, @Nullable Probe recovery, Undo undo) {
    this(target, recovery, OptionalLong.empty(), undo);
  }

  Breakage(String target, @Nullable Probe recovery, OptionalLong pid, Undo undo) {
    this.target = target;
    this.undo = undo;
    this.recovery = recovery;
    this.pid = pid;
  }

  /** This one, with something to be done after it is undone, in any case. */
  Breakage then(Runnable last) {
    return new Breakage(
        target,
        recovery,
        pid,
        () -> {
          try {
            undo.run();
          } finally {
            last.run();
          }
        });
  }

  /** What is broken, such as a process' name. */
  public String target() {
    return target;
  }

  /** The process that it befell, as it was then; nothing where it is of no one process. */
  public OptionalLong pid() {
    return pid;
  }

  /**
   * Makes it whole again: what ended was started, and is ready unless something else hinders it.
   */
  public void undo() throws Exception {
    undo.run();
  }

  /** Whether {@link #recovered()} may ever answer. */
  public boolean measured() {
    return recovery != null;
  }

  /**
   * How long the system took to go on without what is broken; nothing while it has not, or where
   * there is nothing to measure.
   */
  public Optional<Duration> recovered() {
    return recovery == null ? Optional.empty() : recovery.poll();
  }

  /** Whether something has still to go on that did not. */
  public boolean isWaiting() {
    return recovery != null && recovery.isWaiting();
  }

  /** Ends the measurement. */
  public void forget() {
    if (recovery != null) {
      recovery.close();
    }
  }
}
