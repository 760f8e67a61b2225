package io.jobscheduler.api.bulk;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A bulk action as it is asked for; {@link BulkActionBody} describes the fields. */
record BulkRequest(
    BulkVerb verb,
    BulkFilter filter,
    @Nullable String reason,
    boolean dryRun,
    @Nullable Instant snapshotAt,
    @Nullable Integer maxJobs,
    @Nullable Integer canary,
    @Nullable Double ratePerSecond,
    @Nullable Double stopRatio) {
  private static final int LONGEST_REASON = 1_000;
  private static final int LARGEST_CANARY = 10_000;
  private static final double SLOWEST = 0.01;
  private static final double FASTEST = 10_000;

  /** Reads one; null when, noted, it is none. */
  static @Nullable BulkRequest read(JsonReader in) {
    if (!in.startObject()) {
      return null;
    }
    BulkVerb verb = null;
    BulkFilterReader.Given filter = null;
    String reason = null;
    boolean dryRun = false;
    Instant snapshotAt = null;
    Integer maxJobs = null;
    Integer canary = null;
    Double rate = null;
    Double ratio = null;
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "action" -> verb = verb(in);
        case "filter" -> filter = BulkFilterReader.read(in);
        case "reason" -> reason = Fields.text(in, 1, LONGEST_REASON);
        case "dryRun" -> dryRun = Boolean.TRUE.equals(in.bool());
        case "snapshotAt" -> snapshotAt = Fields.instant(in);
        case "maxJobs" -> maxJobs = in.integer(0, Integer.MAX_VALUE);
        case "canary" -> canary = in.integer(1, LARGEST_CANARY);
        case "ratePerSecond" -> rate = in.number(SLOWEST, FASTEST);
        case "stopWhenFailureRatioOver" -> ratio = in.number(0, 1);
        default -> in.unknownField();
      }
    }
    in.violations().require("/action", verb != null);
    in.violations().require("/filter", filter != null);
    if (verb != null && verb != BulkVerb.RETRY) {
      refuse(in, "/canary", canary);
      refuse(in, "/stopWhenFailureRatioOver", ratio);
    }
    BulkFilter wanted = verb == null || filter == null ? null : filter.check(in.violations(), verb);
    return verb == null || wanted == null
        ? null
        : new BulkRequest(verb, wanted, reason, dryRun, snapshotAt, maxJobs, canary, rate, ratio);
  }

  private static void refuse(JsonReader in, String pointer, @Nullable Object given) {
    if (given != null) {
      in.violations().add(pointer, "Only what is retried can fail again.");
    }
  }

  private static @Nullable BulkVerb verb(JsonReader in) {
    String label = in.string();
    BulkVerb verb = label == null ? null : BulkVerb.of(label).orElse(null);
    if (label != null && verb == null) {
      in.reject("Expected one of " + BulkVerb.labels() + ".");
    }
    return verb;
  }
}
