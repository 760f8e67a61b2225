package io.jobscheduler.scheduler.signal;

import java.util.Locale;

/** What the dashboard can show again. */
public enum Topic {
  JOBS,
  QUEUES,
  WORKERS,
  WORKFLOWS,
  SCHEDULES;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
