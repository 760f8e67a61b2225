package io.jobscheduler.api.schedules;

import io.jobscheduler.api.json.JsonReader;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of a trigger. */
@Schema(name = "TriggerScheduleRequest")
public record TriggerRequest(
    @Schema(
            enumeration = {"skip", "allow", "queue_one", "queue_all", "cancel_previous"},
            description = "instead of the schedule's own policy")
        @Nullable String overlap) {

  static @Nullable TriggerRequest read(JsonReader in) {
    if (!in.startObject()) {
      return null;
    }
    OverlapPolicy overlap = null;
    String field;
    while ((field = in.nextField()) != null) {
      if (field.equals("overlap")) {
        overlap = Words.read(in, OverlapPolicy.class);
      } else {
        in.unknownField();
      }
    }
    return new TriggerRequest(overlap == null ? null : Words.of(overlap));
  }

  @Nullable OverlapPolicy policy() {
    return overlap == null ? null : Words.in(OverlapPolicy.class, overlap);
  }
}
