package io.jobscheduler.api.jobs;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is changed of a waiting job; null: it stays as it is.
 *
 * @param payload the JSON text as typed
 * @param tags as they are from now on
 */
record JobEdit(
    @Nullable Integer priority,
    @Nullable String payload,
    @Nullable Instant runAt,
    @Nullable List<String> tags) {

  /** An edit; null when, noted, it is none. */
  static @Nullable JobEdit read(JsonReader in, int mostPayloadBytes) {
    if (!in.startObject()) {
      return null;
    }
    Integer priority = null;
    String payload = null;
    Instant runAt = null;
    List<String> tags = null;
    int fields = 0;
    String field;
    while ((field = in.nextField()) != null) {
      fields++;
      switch (field) {
        case "priority" -> priority = in.integer(0, JobRequestReader.HIGHEST_PRIORITY);
        case "payload" -> payload = in.verbatim(mostPayloadBytes);
        case "runAt" -> runAt = Fields.instant(in);
        case "tags" -> tags = JobExtras.readTags(in);
        default -> in.unknownField();
      }
    }
    if (fields == 0) {
      in.violations().add("", "Give at least one of priority, payload, runAt and tags.");
    }
    return new JobEdit(priority, payload, runAt, tags);
  }
}
