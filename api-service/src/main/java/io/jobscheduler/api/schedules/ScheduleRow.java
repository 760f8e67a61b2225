package io.jobscheduler.api.schedules;

import io.jobscheduler.api.http.Etag;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as it was read: what the API shows, and what its next change is reckoned from.
 *
 * @param plannedTo every planned time up to here is decided
 * @param now the database's clock
 * @param shown with its payload, without its warnings
 */
record ScheduleRow(
    int id,
    int version,
    ScheduleRule rule,
    Instant plannedTo,
    @Nullable Instant nextFireAt,
    Instant now,
    Schedule shown) {
  String etag() {
    return Etag.of(id, version);
  }

  String state() {
    return shown.summary().state();
  }
}
