package io.jobscheduler.worker.handlers;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a handler gets to see of its job. A job runs at least once: to be idempotent, key effects by
 * {@code jobId}, or let the storage refuse a {@code leaseToken} smaller than one it has seen.
 *
 * @param attempt number of this attempt, from 1
 * @param maxAttempts runs in all
 * @param leaseToken grows with every lease of the job
 * @param workflow id of the workflow, or null
 * @param payload JSON as it was typed, or null
 * @param traceparent the trace context under which it was handed in (W3C Trace Context, version
 *     00), or null: the same in each attempt. Name it to what the job calls, or link to it
 * @param running what may be asked while it runs
 */
public record JobContext(
    long jobId,
    int attempt,
    int maxAttempts,
    long leaseToken,
    String type,
    String project,
    String queue,
    @Nullable Integer workflow,
    @Nullable String payload,
    @Nullable String traceparent,
    RunningAttempt running) {

  /**
   * Whether the attempt should end soon; see {@link RunningAttempt#isCancelled()}. A handler that
   * takes longer than the worker's grace to end loses its lease.
   */
  public boolean isCancelled() {
    return running.isCancelled();
  }

  /** Adds a line to the log of this attempt; see {@link AttemptNotes#log}. */
  public void log(AttemptNotes.Level level, @Nullable String message) {
    running.notes().log(level, message);
  }

  /** Says how far this attempt has come; see {@link AttemptNotes#progress}. */
  public void progress(double fraction, @Nullable String message) {
    running.notes().progress(fraction, message);
  }

  /**
   * The results of the jobs that this one depends on; read at the first call, by one statement.
   *
   * <p>A result larger than the worker's {@code jobs.worker.largest-result} is left out, as are
   * those for which {@code jobs.worker.largest-parent-results} leaves no room: the parents with
   * smaller ids come first.
   *
   * @throws LeaseLostException when the attempt has lost its lease
   * @throws SQLException when the database cannot be asked now
   */
  public ParentResults parentResults()
      throws LeaseLostException, SQLException, InterruptedException {
    return running.workflow().parentResults();
  }

  /**
   * Adds jobs to this job's workflow, downstream of it: all of them or none. They start once this
   * job, or what each says that it waits for, has ended as it should.
   *
   * <p>At least once, like everything an attempt does: an attempt after this one may add the same
   * jobs again, and gets them once. The same are those of the same key, type, queue, payload and
   * dependencies.
   *
   * @throws GrowthException when they cannot be added, whose message names the keys
   * @throws LeaseLostException when the attempt has lost its lease; nothing was added
   * @throws SQLException when the database cannot be asked now; they may have been added
   */
  public void addJobs(List<AddedJob> jobs)
      throws GrowthException, LeaseLostException, SQLException, InterruptedException {
    running.workflow().addJobs(jobs);
  }
}
