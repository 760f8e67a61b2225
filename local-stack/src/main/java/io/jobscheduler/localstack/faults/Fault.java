package io.jobscheduler.localstack.faults;

import java.util.Optional;

/** One way to break something. */
@FunctionalInterface
public interface Fault {

  /**
   * Breaks it.
   *
   * @param choice which of the possible targets, by its remainder
   * @return nothing when there is no target that could be broken now
   */
  Optional<Breakage> inject(Ground ground, long choice) throws Exception;
}
