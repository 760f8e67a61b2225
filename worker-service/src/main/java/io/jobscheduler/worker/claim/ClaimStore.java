package io.jobscheduler.worker.claim;

import io.jobscheduler.worker.database.Connections;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The statements of the claimer; each in a transaction of its own. Thread-safe. */
final class ClaimStore {
  private static final long FAR_MICROS = TimeUnit.DAYS.toMicros(365);

  private final Connections pool;

  ClaimStore(Connections pool) {
    this.pool = pool;
  }

  // The function takes the gate and the limited queues' locks first and claims in a later
  // statement,
  // by the partial index jobs_ready from each lane's head (R__21_claim.sql).
  private static final String CLAIM_READY_JOBS =
      """
      SELECT id, lease_token, dispatch_key, dispatch_lane, queue_id, project_id, workflow_id,
             attempt, max_attempts, priority, type, payload, cost, timeout_ms, traceparent,
             (extract(epoch FROM start_by - clock_timestamp()) * 1000000)::bigint AS start_left_micros
        FROM jobs.claim(?, ?, ?, ?, ?, ?)
      """;

  /**
   * Claims for a worker.
   *
   * @param queues what is known of the queues asked, by id
   */
  List<ClaimedJob> claimReadyJobs(
      long worker, long claimNumber, ClaimRequest request, IntFunction<QueueInfo> queues)
      throws SQLException {
    // Before it is sent: what is left of a time to start only shrinks on the way.
    long sentNanos = System.nanoTime();
    try (Connection connection = pool.open();
        PreparedStatement statement = connection.prepareStatement(CLAIM_READY_JOBS)) {
      statement.setLong(1, worker);
      statement.setLong(2, claimNumber);
      statement.setObject(3, request.queueIds());
      statement.setObject(4, request.wanted());
      statement.setObject(5, request.headKeys());
      statement.setObject(6, request.headIds());
      try (ResultSet row = statement.executeQuery()) {
        List<ClaimedJob> jobs = new ArrayList<>();
        while (row.next()) {
          int queueId = row.getInt("queue_id");
          QueueInfo queue = queues.apply(queueId);
          Long timeoutMillis = nullableLong(row, "timeout_ms");
          Long startLeftMicros = nullableLong(row, "start_left_micros");
          jobs.add(
              new ClaimedJob(
                  row.getLong("id"),
                  row.getLong("lease_token"),
                  row.getLong("dispatch_key"),
                  row.getInt("dispatch_lane"),
                  queueId,
                  row.getInt("project_id"),
                  queue.name(),
                  nullableInt(row, "workflow_id"),
                  row.getInt("attempt"),
                  row.getInt("max_attempts"),
                  row.getInt("priority"),
                  row.getString("type"),
                  row.getString("payload"),
                  row.getInt("cost"),
                  timeoutMillis == null ? queue.timeout() : Duration.ofMillis(timeoutMillis),
                  startLeftMicros == null ? null : startBy(sentNanos, startLeftMicros),
                  row.getString("traceparent")));
        }
        return jobs;
      }
    }
  }

  /** Years ahead are no instant of the monotonic clock; a job is not held in memory so long. */
  private static long startBy(long sentNanos, long leftMicros) {
    return sentNanos + TimeUnit.MICROSECONDS.toNanos(Math.min(leftMicros, FAR_MICROS));
  }

  // One cheap statement a second does for an idle worker: the queues (hundreds at most), the
  // leader's
  // notes, and one probe of jobs_ready per lane believed empty.
  private static final String POLL_QUEUES =
      """
      SELECT q.id, q.project_id, p.name AS project, q.name AS queue, q.weight, q.max_concurrency,
             q.per_key_concurrency, q.rate_limit, q.rate_period_ms, q.rate_burst, q.timeout_ms,
             q.paused_at IS NOT NULL AS paused, w.dispatch_lane, w.dispatch_key, w.job_id, w.found
        FROM jobs.queues q
        JOIN jobs.projects p ON p.id = q.project_id
        LEFT JOIN (
          SELECT queue_id, dispatch_lane, dispatch_key, job_id, false AS found FROM jobs.queue_heads
          UNION ALL
          SELECT queue_id, dispatch_lane, dispatch_key, job_id, true FROM jobs.first_ready(?, ?, ?)) w
          ON w.queue_id = q.id
       ORDER BY q.id
      """;

  /** Reads the queues and looks for waiting work. */
  PollResult pollQueues(ClaimRequest probe) throws SQLException {
    try (Connection connection = pool.open();
        PreparedStatement statement = connection.prepareStatement(POLL_QUEUES)) {
      statement.setObject(1, probe.queueIds());
      statement.setObject(2, probe.headKeys());
      statement.setObject(3, probe.headIds());
      try (ResultSet row = statement.executeQuery()) {
        PollResult result = new PollResult(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        int last = 0;
        while (row.next()) {
          int id = row.getInt("id");
          if (id != last) {
            result.queues().add(queue(row, id));
            last = id;
          }
          Integer lane = nullableInt(row, "dispatch_lane");
          if (lane != null) {
            Position place = new Position(row.getLong("dispatch_key"), row.getLong("job_id"));
            (row.getBoolean("found") ? result.found() : result.notes())
                .add(new ReadyPlace(id, lane, place));
          }
        }
        return result;
      }
    }
  }

  private static QueueInfo queue(ResultSet row, int id) throws SQLException {
    Long timeoutMillis = nullableLong(row, "timeout_ms");
    return new QueueInfo(
        id,
        row.getInt("project_id"),
        new QueueName(row.getString("project"), row.getString("queue")),
        row.getInt("weight"),
        nullableInt(row, "max_concurrency"),
        nullableInt(row, "per_key_concurrency"),
        rate(row),
        timeoutMillis == null ? null : Duration.ofMillis(timeoutMillis),
        row.getBoolean("paused"));
  }

  // One probe of queues and of rate_buckets for each; nothing is locked.
  private static final String NEXT_TOKENS = "SELECT queue_id, wait_ms FROM jobs.next_tokens(?)";

  /** How long, in nanoseconds, until each of these queues with a rate has a token: 0 if it has. */
  Map<Integer, Long> nextTokens(int[] queueIds) throws SQLException {
    try (Connection connection = pool.open();
        PreparedStatement statement = connection.prepareStatement(NEXT_TOKENS)) {
      statement.setObject(1, queueIds);
      try (ResultSet row = statement.executeQuery()) {
        Map<Integer, Long> waits = new HashMap<>();
        while (row.next()) {
          waits.put(row.getInt("queue_id"), (long) Math.ceil(row.getDouble("wait_ms") * 1e6));
        }
        return waits;
      }
    }
  }

  // By the partial index jobs_running over the queues: as many rows as this worker holds.
  private static final String HELD_BY_WORKER =
      "SELECT id, lease_token, claim_number, workflow_id FROM jobs.held_by(?)";

  /** What this worker holds by the record. */
  List<HeldRow> heldByWorker(long worker) throws SQLException {
    try (Connection connection = pool.open();
        PreparedStatement statement = connection.prepareStatement(HELD_BY_WORKER)) {
      statement.setLong(1, worker);
      try (ResultSet row = statement.executeQuery()) {
        List<HeldRow> rows = new ArrayList<>();
        while (row.next()) {
          rows.add(
              new HeldRow(
                  row.getLong("id"),
                  row.getLong("lease_token"),
                  row.getLong("claim_number"),
                  nullableInt(row, "workflow_id")));
        }
        return rows;
      }
    }
  }

  private static @Nullable Long nullableLong(ResultSet row, String column) throws SQLException {
    long value = row.getLong(column);
    return row.wasNull() ? null : value;
  }

  private static QueueInfo.@Nullable Rate rate(ResultSet row) throws SQLException {
    Integer limit = nullableInt(row, "rate_limit");
    Duration period = millis(row, "rate_period_ms");
    Integer burst = nullableInt(row, "rate_burst");
    return limit == null || period == null || burst == null
        ? null
        : new QueueInfo.Rate(limit, period, burst);
  }

  private static @Nullable Duration millis(ResultSet row, String column) throws SQLException {
    long value = row.getLong(column);
    return row.wasNull() ? null : Duration.ofMillis(value);
  }

  private static @Nullable Integer nullableInt(ResultSet row, String column) throws SQLException {
    int value = row.getInt(column);
    return row.wasNull() ? null : value;
  }
}
