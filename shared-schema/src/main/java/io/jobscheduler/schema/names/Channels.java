package io.jobscheduler.schema.names;

/** The NOTIFY channels. Everything works without them, by polling. */
public final class Channels {
  /**
   * A job became claimable. Payload: {@code queueId:lane:dispatchKey:jobId}, the smallest new key
   * of that queue.
   */
  public static final String JOBS_READY = "jobs_ready";

  /**
   * A job was scheduled for an instant that nobody may be waiting for yet. Payload: microseconds
   * since the epoch.
   */
  public static final String JOBS_DUE = "jobs_due";

  /**
   * A schedule was made, edited, resumed or given a backfill: the leader reads anew what is due.
   * Payload: microseconds since the epoch of its next planned time, for people only.
   */
  public static final String SCHEDULES_DUE = "schedules_due";

  /** Something that the dashboard shows has changed. Payload: {@code projectName topic,topic}. */
  public static final String JOBS_CHANGED = "jobs_changed";

  /**
   * A worker has something to do at once, such as a cancel request on one of its jobs. Payload: the
   * worker's id. Its beat learns of the same a little later.
   */
  public static final String CONTROL = "jobs_control";

  private Channels() {}
}
