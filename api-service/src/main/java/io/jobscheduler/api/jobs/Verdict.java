package io.jobscheduler.api.jobs;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What became of a job that was handed in. */
sealed interface Verdict {
  /** It is stored. */
  record Created(EnqueueStore.Enqueued job) implements Verdict {}

  /**
   * Another job holds its unique key and stands for it.
   *
   * @param state null when the other is one of the same request, or its row is gone
   */
  record Duplicate(long holder, @Nullable String state) implements Verdict {}

  /** Another job holds its unique key, and it was to be refused then. */
  record Rejected(long holder, @Nullable String state) implements Verdict {}

  /** The project has no queue of that name. */
  record UnknownQueue(String queue) implements Verdict {}

  /**
   * It waits for jobs that the project does not have.
   *
   * @param pointers where it names them
   */
  record UnknownJobs(List<String> pointers) implements Verdict {}

  /** The queue has no room for it. */
  record Full(String queue) implements Verdict {}
}
