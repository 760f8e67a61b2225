package io.jobscheduler.api.jobs;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What few jobs ask for.
 *
 * @param timeout the run time, 1 ms to 30 days, after which an attempt is ended; null: the queue's,
 *     or none
 * @param startBy not started by then, it is cancelled as expired; null: never
 * @param cost slots that it takes in its worker, 1 to 1000; a limit on concurrency counts it as one
 * @param concurrencyKey at most the queue's perKeyConcurrency of the jobs with the same key run at
 *     once; null: not limited by key
 */
public record JobOptions(
    @Nullable Duration timeout,
    @Nullable Instant startBy,
    int cost,
    @Nullable String concurrencyKey) {
  /** What a job gets that asks for nothing. */
  public static final JobOptions NONE = new JobOptions(null, null, 1, null);

  private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(1);
  private static final Duration LONGEST_TIMEOUT = Duration.ofDays(30);
  private static final int HIGHEST_COST = 1_000;
  private static final int LONGEST_KEY = 255;

  /** These with the value of {@code field}, if it is one of them; else null and nothing is read. */
  static @Nullable JobOptions take(JsonReader in, String field, JobOptions before) {
    return switch (field) {
      case "timeout" -> before.withTimeout(Fields.duration(in, SHORTEST_TIMEOUT, LONGEST_TIMEOUT));
      case "startBy" -> before.withStartBy(Fields.instant(in));
      case "cost" -> before.withCost(in.integer(1, HIGHEST_COST));
      case "concurrencyKey" -> before.withKey(Fields.text(in, 1, LONGEST_KEY));
      default -> null;
    };
  }

  private JobOptions withTimeout(@Nullable Duration given) {
    // As it is stored, so that it is answered alike each time.
    Duration whole = given == null ? null : Duration.ofMillis(given.toMillis());
    return new JobOptions(whole, startBy, cost, concurrencyKey);
  }

  private JobOptions withStartBy(@Nullable Instant given) {
    return new JobOptions(timeout, given, cost, concurrencyKey);
  }

  private JobOptions withCost(@Nullable Integer given) {
    return new JobOptions(timeout, startBy, given == null ? cost : given, concurrencyKey);
  }

  private JobOptions withKey(@Nullable String given) {
    return new JobOptions(timeout, startBy, cost, given);
  }

  /** These with another timeout if they have none. */
  JobOptions orTimeoutMillis(@Nullable Long otherwise) {
    return timeout == null && otherwise != null ? withTimeout(Duration.ofMillis(otherwise)) : this;
  }

  /** {@link #timeout} as it is stored; whole milliseconds. */
  public @Nullable Long timeoutMillis() {
    return timeout == null ? null : timeout.toMillis();
  }
}
