package io.jobscheduler.api.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of a job, for the API's description; {@link JobRequestReader} reads it. */
@Schema(name = "JobRequest")
public record JobBody(
    @Schema(required = true, pattern = "[A-Za-z0-9][A-Za-z0-9._:-]{0,127}") String type,
    @Schema(defaultValue = "default") @Nullable String queue,
    @Schema(ref = "AnyJson") @Nullable Object payload,
    @Schema(minimum = "0", maximum = "9", defaultValue = "4", description = "9 is most urgent")
        @Nullable Integer priority,
    @Schema(description = "when it is due; now if neither this nor delay is given")
        @Nullable Instant runAt,
    @Schema(description = "due so long after it is accepted") @Nullable Duration delay,
    @Schema(
            minimum = "1",
            maximum = "1000",
            defaultValue = "20",
            description = "how often it is run at most; 1 is no retry")
        @Nullable Integer maxAttempts,
    @Nullable RetryPolicy retry,
    @Schema(
            description =
                "run time after which an attempt is ended, PT0.001S to P30D; the queue's if not given")
        @Nullable Duration timeout,
    @Schema(description = "not started by then, it is cancelled as expired")
        @Nullable Instant startBy,
    @Schema(
            minimum = "1",
            maximum = "1000",
            defaultValue = "1",
            description = "slots that it takes in its worker")
        @Nullable Integer cost,
    @Schema(
            minLength = 1,
            maxLength = 255,
            description =
                "of the jobs with the same key at most the queue's perKeyConcurrency run at once")
        @Nullable String concurrencyKey,
    @Schema(description = "at most 20 names") @Nullable List<String> tags,
    @Schema(
            type = SchemaType.OBJECT,
            description = "any object of at most 16 KiB; comes back as it was typed")
        @Nullable Object metadata,
    @Nullable UniqueBody unique,
    @Schema(
            description =
                "jobs of the project that it waits for, live or ended, at most 1000: ids, or {job, on}."
                    + " With runAt or delay it waits for both")
        @Nullable List<NeedBody> dependsOn,
    @Schema(
            minLength = 1,
            maxLength = 255,
            description = "only of a job on a line: a key under which the line may be repeated")
        @Nullable String idempotencyKey) {
  /** What a job waits for; a string stands for an id with {@code on: success}. */
  @Schema(
      name = "JobDependency",
      oneOf = {String.class, NeedByOutcome.class})
  public interface NeedBody {}

  /** What a job waits for. */
  @Schema(name = "JobDependencyByOutcome")
  public record NeedByOutcome(
      @Schema(required = true, description = "an id") String job,
      @Schema(
              enumeration = {"success", "done", "failure"},
              defaultValue = "success")
          @Nullable String on) {}

  /** The key that a job asks to hold alone in its project. */
  @Schema(name = "UniqueRequest")
  public record UniqueBody(
      @Schema(minLength = 1, maxLength = 255, description = "given, or else fields")
          @Nullable String key,
      @Schema(
              description =
                  "up to 10 of type, queue, payload and payload.<name>: the key is a hash of their"
                      + " values")
          @Nullable List<String> fields,
      @Schema(
              defaultValue = "finished",
              description = "until its first attempt starts, it has ended, or a window is over",
              enumeration = {"started", "finished", "window"})
          @Nullable String until,
      @Schema(description = "with until: window, PT1S to P365D") @Nullable Duration window,
      @Schema(
              defaultValue = "return",
              description =
                  "return: 200 with the holder; reject: 409; replace: the holder is cancelled if it"
                      + " waits, else 409",
              enumeration = {"return", "reject", "replace"})
          @Nullable String onConflict) {}
}
