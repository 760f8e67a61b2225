package io.jobscheduler.api.schedules;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of a pause. */
@Schema(name = "PauseScheduleRequest")
public record PauseRequest(
    @Schema(maxLength = 1000) @Nullable String reason,
    @Schema(description = "when it resumes by itself; when somebody resumes it if not given")
        @Nullable Instant until) {
  private static final int LONGEST_REASON = 1_000;

  static @Nullable PauseRequest read(JsonReader in) {
    if (!in.startObject()) {
      return null;
    }
    String reason = null;
    Instant until = null;
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "reason" -> reason = Fields.text(in, 0, LONGEST_REASON);
        case "until" -> until = Fields.instant(in);
        default -> in.unknownField();
      }
    }
    return new PauseRequest(reason, until);
  }
}
