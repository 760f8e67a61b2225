package io.jobscheduler.worker.claim;

/**
 * A place in the dispatch order of one (queue, lane): by key, then by job id.
 *
 * @param key microseconds since the epoch
 * @param jobId the job's id
 */
public record Position(long key, long jobId) implements Comparable<Position> {
  /** Before every job. */
  public static final Position START = new Position(Long.MIN_VALUE, Long.MIN_VALUE);

  /** To the claim: do not look into this lane. */
  public static final Position NOWHERE = new Position(Long.MAX_VALUE, 0);

  /** The place right behind this one. */
  public Position next() {
    return jobId == Long.MAX_VALUE ? this : new Position(key, jobId + 1);
  }

  boolean isBefore(Position other) {
    return compareTo(other) < 0;
  }

  @Override
  public int compareTo(Position other) {
    int byKey = Long.compare(key, other.key);
    return byKey != 0 ? byKey : Long.compare(jobId, other.jobId);
  }
}
