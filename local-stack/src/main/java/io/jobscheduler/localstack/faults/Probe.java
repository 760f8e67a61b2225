package io.jobscheduler.localstack.faults;

import java.time.Duration;
import java.util.Optional;

/** Asks the record whether the system went on. For one thread. */
interface Probe extends AutoCloseable {

  /** How long it took; nothing while it does not. */
  Optional<Duration> poll();

  /** Whether something has still to go on; not so where there was nothing to recover. */
  boolean isWaiting();

  @Override
  void close();
}
