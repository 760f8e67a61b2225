package io.jobscheduler.scheduler.signal;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;

/** A job that became claimable, with its place in the order of dispatch. */
public record ReadyJob(long id, int queueId, int lane, long dispatchKey, int projectId) {

  /** The order in which a queue's jobs are claimed: higher lanes first, then the smaller key. */
  static final Comparator<ReadyJob> DISPATCH_ORDER =
      Comparator.comparingInt((ReadyJob job) -> -job.lane)
          .thenComparingLong(ReadyJob::dispatchKey)
          .thenComparingLong(ReadyJob::id);

  /** Reads the columns id, queue_id, dispatch_lane, dispatch_key and project_id. */
  public static ReadyJob read(ResultSet row) throws SQLException {
    return new ReadyJob(
        row.getLong("id"),
        row.getInt("queue_id"),
        row.getInt("dispatch_lane"),
        row.getLong("dispatch_key"),
        row.getInt("project_id"));
  }

  /** The payload of {@code jobs_ready}. */
  String payload() {
    return queueId + ":" + lane + ":" + dispatchKey + ":" + id;
  }

  static ReadyJob parse(String payload) {
    String[] parts = payload.split(":", -1);
    return new ReadyJob(
        Long.parseLong(parts[3]),
        Integer.parseInt(parts[0]),
        Integer.parseInt(parts[1]),
        Long.parseLong(parts[2]),
        0);
  }
}
