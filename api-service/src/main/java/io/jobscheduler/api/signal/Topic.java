package io.jobscheduler.api.signal;

import java.util.Locale;

/** What of a project has changed. */
public enum Topic {
  JOBS,
  QUEUES,
  WORKFLOWS,
  SCHEDULES;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
