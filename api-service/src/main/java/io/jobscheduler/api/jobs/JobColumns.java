package io.jobscheduler.api.jobs;

import java.util.List;
import java.util.function.Function;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * Jobs to insert, column by column: the arrays that an INSERT takes apart with unnest. A column of
 * options that no job asks for travels as an empty array, which unnest fills up with nulls.
 */
public final class JobColumns {
  private static final Object[] NONE = {};

  private JobColumns() {}

  /**
   * Binds types, queues, payloads, priorities, maxAttempts, retryPolicies, timeouts, startBys,
   * costs, concurrencyKeys.
   */
  public static Query bindTo(Query query, List<JobRequest> jobs) {
    return query
        .bindArray("types", String.class, column(jobs, JobRequest::type))
        .bindArray("queues", String.class, column(jobs, JobRequest::queue))
        .bindArray("payloads", String.class, column(jobs, JobRequest::payload))
        .bindArray("priorities", Integer.class, column(jobs, JobRequest::priority))
        .bindArray("maxAttempts", Integer.class, column(jobs, JobRequest::maxAttempts))
        .bindArray("retryPolicies", String.class, column(jobs, JobRequest::retryPolicy))
        .bindArray("timeouts", Long.class, option(jobs, JobOptions::timeoutMillis))
        .bindArray("startBys", String.class, option(jobs, o -> text(o.startBy())))
        .bindArray("costs", Integer.class, option(jobs, o -> o.cost() == 1 ? null : o.cost()))
        .bindArray("concurrencyKeys", String.class, option(jobs, JobOptions::concurrencyKey));
  }

  /** Binds tags (each as an array's text) and metadata. */
  public static Query bindLabelsTo(Query query, List<JobRequest> jobs) {
    return query
        .bindArray("tags", String.class, rare(jobs, j -> tagsText(j.extras().tags())))
        .bindArray("metadata", String.class, rare(jobs, j -> j.extras().metadata()));
  }

  /** Binds what {@link #bindLabelsTo} does, and traceparents. */
  static Query bindExtrasTo(Query query, List<JobRequest> jobs) {
    return bindLabelsTo(query, jobs)
        .bindArray("traceparents", String.class, rare(jobs, j -> j.extras().traceparent()));
  }

  /** As Postgres writes an array of names, which need no quotes; null when there is none. */
  public static @Nullable String tagsText(List<String> tags) {
    return tags.isEmpty() ? null : "{" + String.join(",", tags) + "}";
  }

  /** One value of each job. */
  static Object[] column(List<JobRequest> jobs, Function<JobRequest, @Nullable Object> value) {
    return jobs.stream().map(value).toArray();
  }

  private static Object[] option(
      List<JobRequest> jobs, Function<JobOptions, @Nullable Object> value) {
    return rare(jobs, j -> value.apply(j.options()));
  }

  static Object[] rare(List<JobRequest> jobs, Function<JobRequest, @Nullable Object> value) {
    return jobs.stream().allMatch(j -> value.apply(j) == null) ? NONE : column(jobs, value);
  }

  static @Nullable String text(@Nullable Object value) {
    return value == null ? null : value.toString();
  }
}
