package io.jobscheduler.api.jobs;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Reads jobs out of request bodies. */
public final class JobRequestReader {
  private static final int MOST_IN_BULK = 10_000;
  static final int HIGHEST_PRIORITY = 9;
  private static final int MOST_ATTEMPTS = 1_000;
  private static final Duration LONGEST_DELAY = Duration.ofDays(3650);

  private final JsonReader in;
  private final int mostPayloadBytes;
  private final boolean mayWait;

  private @Nullable String type;
  private String queue = JobRequest.DEFAULT_QUEUE;
  private @Nullable String payload;
  private int priority = JobRequest.DEFAULT_PRIORITY;
  private @Nullable Instant runAt;
  private @Nullable Duration delay;
  private int maxAttempts = JobRequest.DEFAULT_MAX_ATTEMPTS;
  private @Nullable String retryPolicy;
  private JobOptions options = JobOptions.NONE;
  private JobExtras extras = JobExtras.NONE;
  private UniqueReader.@Nullable Asked unique;
  private List<Need> needs = List.of();

  private JobRequestReader(JsonReader in, int mostPayloadBytes, boolean mayWait) {
    this.in = in;
    this.mostPayloadBytes = mostPayloadBytes;
    this.mayWait = mayWait;
  }

  /** For a job inside a workflow, whose start its dependencies decide: no runAt, no delay. */
  public static JobRequestReader inWorkflow(JsonReader in, int mostPayloadBytes) {
    return new JobRequestReader(in, mostPayloadBytes, false);
  }

  /** A job; null when, noted, it is not one. */
  static @Nullable JobRequest readJob(JsonReader in, int mostPayloadBytes) {
    return readJob(in, mostPayloadBytes, field -> false);
  }

  /**
   * A job beside which other fields may stand.
   *
   * @param other reads the value of a field that is its own; false, and nothing is read, otherwise
   */
  static @Nullable JobRequest readJob(
      JsonReader in, int mostPayloadBytes, Predicate<String> other) {
    if (!in.startObject()) {
      return null;
    }
    JobRequestReader job = new JobRequestReader(in, mostPayloadBytes, true);
    String field;
    while ((field = in.nextField()) != null) {
      if (!job.take(field) && !other.test(field)) {
        in.unknownField();
      }
    }
    return job.finish();
  }

  /** 1 to 10,000 jobs; what is wrong with any of them is noted. */
  static List<JobRequest> readJobs(JsonReader in, int mostPayloadBytes) {
    List<JobRequest> jobs = new ArrayList<>();
    if (!in.startArray()) {
      return jobs;
    }
    int items = 0;
    while (in.nextItem()) {
      items++;
      JobRequest job = readJob(in, mostPayloadBytes);
      if (job != null && items <= MOST_IN_BULK) {
        jobs.add(job);
      }
    }
    if (items < 1 || items > MOST_IN_BULK) {
      in.violations().add("", "Expected 1 to " + MOST_IN_BULK + " jobs, not " + items + ".");
    }
    return jobs;
  }

  /** Reads the value of {@code field} if it is one of a job's; else reads nothing. */
  public boolean take(String field) {
    switch (field) {
      case "type" -> type = Fields.name(in);
      case "queue" -> queue = or(Fields.name(in), queue);
      case "payload" -> payload = in.verbatim(mostPayloadBytes);
      case "priority" -> priority = or(in.integer(0, HIGHEST_PRIORITY), priority);
      case "maxAttempts" -> maxAttempts = or(in.integer(1, MOST_ATTEMPTS), maxAttempts);
      case "retry" -> retryPolicy = RetryPolicy.read(in);
      case "runAt" -> {
        if (!mayWait) {
          return false;
        }
        runAt = Fields.instant(in);
      }
      case "delay" -> {
        if (!mayWait) {
          return false;
        }
        delay = Fields.duration(in, LONGEST_DELAY);
      }
      default -> {
        JobOptions more = JobOptions.take(in, field, options);
        if (more == null) {
          return takeExtra(field);
        }
        options = more;
      }
    }
    return true;
  }

  private boolean takeExtra(String field) {
    if (field.equals("unique")) {
      if (!mayWait) {
        // Several jobs, or one per fire, with one key: what should become of the others?
        in.verbatim(Integer.MAX_VALUE);
        in.reject(
            "A job of a workflow or a schedule holds no unique key: its workflow, or each fire, is"
                + " made whole or not at all.");
        return true;
      }
      unique = UniqueReader.read(in);
      return true;
    }
    if (mayWait && field.equals("dependsOn")) {
      needs = Need.read(in);
      return true;
    }
    JobExtras more = JobExtras.take(in, field, extras);
    if (more == null) {
      return false;
    }
    extras = more;
    return true;
  }

  /** The job, at the end of its object; null when, noted, something needed is missing. */
  public @Nullable JobRequest finish() {
    String pointer = in.pointer();
    in.violations().require(pointer + "/type", type != null);
    if (runAt != null && delay != null) {
      in.violations().add(pointer + "/delay", "Give either runAt or delay.");
    }
    if (runAt != null && options.startBy() != null && options.startBy().isBefore(runAt)) {
      in.violations().add(pointer + "/startBy", "It must not lie before runAt.");
    }
    return type == null
        ? null
        : new JobRequest(
            type,
            queue,
            payload,
            priority,
            runAt,
            delay,
            maxAttempts,
            retryPolicy,
            options,
            extras,
            unique == null ? null : unique.of(type, queue, payload),
            needs);
  }

  private static <T> T or(@Nullable T given, T otherwise) {
    return given == null ? otherwise : given;
  }
}
