package io.jobscheduler.api.queues;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of a pause. */
@Schema(name = "PauseQueueRequest")
public record PauseQueueRequest(
    @Schema(minLength = 1, maxLength = 1000) String reason,
    @Schema(description = "when it resumes by itself; when somebody resumes it if not given")
        @Nullable Instant until) {
  private static final int LONGEST_REASON = 1_000;

  static @Nullable PauseQueueRequest read(JsonReader in) {
    if (!in.startObject()) {
      return null;
    }
    String reason = null;
    Instant until = null;
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "reason" -> reason = Fields.text(in, 1, LONGEST_REASON);
        case "until" -> {
          until = Fields.instant(in);
          if (until != null && !until.isAfter(Instant.now())) {
            in.reject("Expected an instant that is still to come.");
          }
        }
        default -> in.unknownField();
      }
    }
    in.violations().require("/reason", reason != null);
    return reason == null ? null : new PauseQueueRequest(reason, until);
  }
}
