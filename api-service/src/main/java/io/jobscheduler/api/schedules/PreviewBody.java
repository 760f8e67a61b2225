package io.jobscheduler.api.schedules;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of a preview, for the API's description; {@link PreviewRequest} reads it. */
@Schema(name = "SchedulePreviewRequest")
public record PreviewBody(
    @Nullable String cron,
    @Schema(enumeration = {"unix", "quartz"}) @Nullable String dialect,
    @Nullable Duration every,
    @Nullable Instant anchor,
    @Schema(defaultValue = "UTC") @Nullable String timeZone,
    @Nullable Instant startAt,
    @Nullable Instant endAt,
    @Nullable List<LocalDate> exclusions,
    @Schema(description = "where to begin, exclusive; now if not given") @Nullable Instant from,
    @Schema(minimum = "1", maximum = "100", defaultValue = "5") @Nullable Integer count,
    @Schema(description = "what would happen after nothing has fired for a while")
        @Nullable OutageBody outage) {

  /** An outage to simulate. */
  @Schema(name = "OutageRequest")
  public record OutageBody(
      @Schema(description = "from, or now, if not given") @Nullable Instant start,
      @Schema(required = true, description = "at most P365D") Duration length,
      @Schema(minimum = "1", maximum = "1000", defaultValue = "100") @Nullable Integer maxCatchUp,
      @Schema(defaultValue = "PT24H") @Nullable Duration window) {}
}
