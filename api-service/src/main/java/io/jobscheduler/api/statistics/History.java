package io.jobscheduler.api.statistics;

import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * What ended in a time, by span and by queue and type.
 *
 * @param points spans in which something ended, waited or ran, ascending
 * @param groups queues and types of which something ended, the busiest first, at most 200
 * @param countedTo what ended later is not counted yet
 * @param partial whether there was too much to read: the oldest spans are left out
 */
public record History(
    Instant from,
    Instant to,
    @Schema(enumeration = {"minute", "hour", "day"}) String bucket,
    List<Point> points,
    List<Group> groups,
    Instant countedTo,
    boolean partial) {

  /** Groups that an answer holds at most. */
  static final int MOST_GROUPS = 200;

  /**
   * One span.
   *
   * @param ready the most that waited among the span's samples, one a minute; a sum over the queues
   * @param running the same of what ran
   */
  public record Point(Instant start, Ended ended, long ready, long running) {}

  /** One queue and type over the whole time. */
  public record Group(String queue, String type, Ended ended) {}

  /**
   * What ended.
   *
   * @param expired of the cancelled, those that had not started in time
   * @param failedAttempts attempts that failed or timed out, the last ones of dead jobs included
   * @param lostAttempts attempts that went with their worker
   * @param waitSeconds from ready to the start of the attempt that ended the job
   * @param runSeconds of each attempt that ended
   */
  public record Ended(
      long succeeded,
      long dead,
      long cancelled,
      long skipped,
      long expired,
      long failedAttempts,
      long lostAttempts,
      @Nullable Percentiles waitSeconds,
      @Nullable Percentiles runSeconds) {

    long jobs() {
      return succeeded + dead + cancelled + skipped;
    }
  }
}
