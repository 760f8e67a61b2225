package io.jobscheduler.api.jobs;

import io.jobscheduler.api.paging.Count;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Why a job does not run now.
 *
 * @param claimable whether the next claim of its queue, by a worker with enough free slots, takes
 *     it; whether there is such a worker, {@code blockers} and {@code workers} say
 * @param blockers all that is in its way, at once; none when it runs or has ended
 * @param before ready jobs of its queue that come first; null unless it is ready
 * @param workers those that live and serve its queue; null when it runs or has ended
 * @param estimatedStart by the pace of its queue in the last 15 minutes; null where nobody can say
 */
public record Explanation(
    String job,
    @Schema(ref = "JobState") String state,
    @Nullable String stateReason,
    boolean claimable,
    List<Blocker> blockers,
    @Nullable Count before,
    @Nullable Fleet workers,
    @Nullable Instant estimatedStart) {

  /**
   * One thing in its way; what does not apply to its kind is null.
   *
   * @param code queue_paused, queue_limit, key_limit, rate_limit, dependencies, workflow_paused,
   *     gate, releasing, not_due, retry_wait, no_worker, workers_busy
   * @param detail a sentence for people
   * @param since when it began
   * @param until when it ends by itself
   * @param by who brought it about
   * @param reason what they said
   * @param limit how many may run
   * @param running how many do, 0 or more
   * @param key the concurrency key that is full
   * @param holders some of those that run, at most 10
   * @param dependencies what it waits for, at most 50
   */
  public record Blocker(
      @Schema(
              enumeration = {
                "queue_paused",
                "queue_limit",
                "key_limit",
                "rate_limit",
                "dependencies",
                "workflow_paused",
                "gate",
                "releasing",
                "not_due",
                "retry_wait",
                "no_worker",
                "workers_busy"
              })
          String code,
      String detail,
      @Nullable Instant since,
      @Nullable Instant until,
      @Nullable String by,
      @Nullable String reason,
      @Nullable Integer limit,
      @Nullable Long running,
      @Nullable String key,
      @Nullable List<String> holders,
      @Nullable List<Dependency> dependencies) {

    static Blocker of(String code, String detail) {
      return new Blocker(code, detail, null, null, null, null, null, null, null, null, null);
    }

    static Blocker until(String code, String detail, @Nullable Instant until) {
      return new Blocker(code, detail, null, until, null, null, null, null, null, null, null);
    }

    static Blocker paused(
        String code,
        String detail,
        @Nullable Instant since,
        @Nullable Instant until,
        @Nullable String by,
        @Nullable String reason) {
      return new Blocker(code, detail, since, until, by, reason, null, null, null, null, null);
    }

    static Blocker full(
        String code,
        String detail,
        int limit,
        long running,
        @Nullable String key,
        List<String> holders) {
      return new Blocker(code, detail, null, null, null, null, limit, running, key, holders, null);
    }

    static Blocker waiting(String detail, List<Dependency> dependencies) {
      return new Blocker(
          "dependencies", detail, null, null, null, null, null, null, null, null, dependencies);
    }
  }

  /**
   * A job that must end first.
   *
   * @param job null when its row is gone, or it is in a queue that your key does not reach
   * @param key its key in the workflow
   * @param state null where {@code job} is, unless it is known how it ended
   * @param condition success, done or failure
   */
  public record Dependency(
      @Nullable String job,
      @Nullable String key,
      @Schema(ref = "JobState") @Nullable String state,
      @Schema(enumeration = {"success", "done", "failure"}) String condition) {}

  /**
   * Workers that live and whose patterns fit the queue. Which types of jobs they have handlers for
   * they do not tell.
   *
   * @param serving how many there are, {@code draining} ones left out
   * @param slots of those that serve
   * @param running in those slots at their last beats, of this queue and others
   */
  public record Fleet(int serving, int draining, int slots, int running) {}
}
