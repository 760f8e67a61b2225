package io.jobscheduler.worker.lease;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What a worker says of itself when it registers.
 *
 * @param host for people to read, never an identity
 * @param pid operating system's process id
 * @param version the build
 * @param queues the patterns it serves, as configured
 * @param slots jobs it runs at once
 */
public record WorkerIdentity(
    String host, long pid, String version, List<String> queues, int slots) {

  /** A new incarnation: random and positive, so that two processes never share one. */
  public static long newIncarnation() {
    return ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
  }
}
