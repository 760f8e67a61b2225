package io.jobscheduler.api.queues;

import io.jobscheduler.api.jobs.RetryPolicy;
import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A PUT's or PATCH's body.
 *
 * @param settings what is given, and the default of what is not; a null is a default given
 * @param given the members that are there, those of retention by their own names
 */
record QueueBody(QueueSettings settings, Set<String> given) {
  private static final int HEAVIEST = 1_000;
  private static final int WIDEST = 1_000_000;
  private static final int DEEPEST = Integer.MAX_VALUE;
  private static final int MOST_DAYS = 730;
  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration LONGEST_RUN = Duration.ofDays(30);

  static @Nullable QueueBody read(JsonReader in) {
    if (!in.startObject()) {
      return null;
    }
    Set<String> given = new HashSet<>();
    QueueSettings s = QueueSettings.DEFAULT;
    Integer weight = null;
    Integer maxConcurrency = null;
    Integer perKey = null;
    QueueSettings.RateLimit rate = null;
    Integer maxDepth = null;
    Duration aging = null;
    String retry = null;
    Duration timeout = null;
    List<String> paths = List.of();
    Days days = new Days(s.finishedDays(), s.deadDays());
    String field;
    while ((field = in.nextField()) != null) {
      given.add(field);
      switch (field) {
        case "weight" -> weight = in.integer(1, HEAVIEST);
        case "maxConcurrency" -> maxConcurrency = in.integer(0, WIDEST);
        case "perKeyConcurrency" -> perKey = in.integer(1, WIDEST);
        case "rateLimit" -> rate = readRate(in);
        case "maxDepth" -> maxDepth = in.integer(1, DEEPEST);
        case "aging" -> aging = Fields.duration(in, SHORTEST, DAY);
        case "retry" -> retry = RetryPolicy.read(in);
        case "timeout" -> timeout = Fields.duration(in, SHORTEST, LONGEST_RUN);
        case "retention" -> days = readRetention(in, days, given);
        case "searchablePaths" -> paths = SearchablePaths.read(in);
        default -> in.unknownField();
      }
    }
    return new QueueBody(
        new QueueSettings(
            weight == null ? s.weight() : weight,
            maxConcurrency,
            perKey,
            rate,
            maxDepth,
            aging,
            retry,
            timeout,
            days.finished(),
            days.dead(),
            paths),
        given);
  }

  private static QueueSettings.@Nullable RateLimit readRate(JsonReader in) {
    if (!in.startObject()) {
      return null;
    }
    Integer limit = null;
    Duration period = null;
    Integer burst = null;
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "limit" -> limit = in.integer(1, WIDEST);
        case "period" -> period = Fields.duration(in, SHORTEST, DAY);
        case "burst" -> burst = in.integer(1, WIDEST);
        default -> in.unknownField();
      }
    }
    String pointer = in.pointer();
    in.violations().require(pointer + "/limit", limit != null);
    in.violations().require(pointer + "/period", period != null);
    return limit == null || period == null
        ? null
        : new QueueSettings.RateLimit(limit, period, burst == null ? limit : burst);
  }

  private record Days(@Nullable Integer finished, @Nullable Integer dead) {}

  private static Days readRetention(JsonReader in, Days defaults, Set<String> given) {
    if (!in.startObject()) {
      // A null gives both their defaults.
      given.add("finished");
      given.add("dead");
      return defaults;
    }
    Days days = defaults;
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "finished" -> days = new Days(readDays(in), days.dead());
        case "dead" -> days = new Days(days.finished(), readDays(in));
        default -> in.unknownField();
      }
      given.add(field);
    }
    return days;
  }

  private static @Nullable Integer readDays(JsonReader in) {
    Duration duration = Fields.duration(in, Duration.ofDays(MOST_DAYS));
    if (duration == null) {
      return null;
    }
    if (!duration.equals(Duration.ofDays(duration.toDays()))) {
      in.reject("Expected whole days, such as P7D.");
    }
    return (int) duration.toDays();
  }
}
