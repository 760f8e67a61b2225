package io.jobscheduler.worker.handlers;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The handlers by job type. Immutable. */
public final class HandlerRegistry {
  private final Map<String, JobHandler> byType = new HashMap<>();

  /**
   * Registers handlers.
   *
   * @throws IllegalArgumentException when two claim one type
   */
  public HandlerRegistry(Iterable<? extends JobHandler> handlers) {
    for (JobHandler handler : handlers) {
      if (byType.put(handler.type(), handler) != null) {
        throw new IllegalArgumentException("two handlers for job type " + handler.type());
      }
    }
  }

  /** The handler of that type, if any. */
  public Optional<JobHandler> find(String type) {
    return Optional.ofNullable(byType.get(type));
  }
}
