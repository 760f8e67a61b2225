package io.jobscheduler.worker.shutdown;

import io.quarkus.runtime.Quarkus;
import java.util.concurrent.atomic.AtomicBoolean;
import sun.misc.Signal;

/**
 * Turns SIGTERM and SIGINT into an orderly exit with code 0; left alone, the JVM would drain just
 * as well and then report 143 or 130. A second one ends the process at once, with 143.
 */
public final class ExitOnTerm {
  private static final int EXIT_TERMINATED = 143;

  private ExitOnTerm() {}

  /** Takes over the signals. */
  public static void install() {
    AtomicBoolean asked = new AtomicBoolean();
    for (String name : new String[] {"TERM", "INT"}) {
      Signal.handle(
          new Signal(name),
          signal -> {
            if (asked.compareAndSet(false, true)) {
              Quarkus.asyncExit(0);
            } else {
              Runtime.getRuntime().halt(EXIT_TERMINATED);
            }
          });
    }
  }
}
