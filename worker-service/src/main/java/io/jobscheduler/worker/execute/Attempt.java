package io.jobscheduler.worker.execute;

import io.jobscheduler.worker.dispatch.Held;
import io.jobscheduler.worker.handlers.AttemptNotes;
import io.jobscheduler.worker.handlers.RunningAttempt;
import io.jobscheduler.worker.handlers.WorkflowAccess;
import io.jobscheduler.worker.settle.Settlement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One run of a handler and why it was asked to end, if it was. Thread-safe; identity counts. */
final class Attempt implements RunningAttempt {
  private final Held held;
  private final AttemptNotes notes;
  private final WorkflowAccess workflow;
  private volatile boolean askedToEnd;
  private volatile @Nullable Duration timedOutAfter;

  Attempt(Held held, AttemptNotes notes, WorkflowAccess workflow) {
    this.held = held;
    this.notes = notes;
    this.workflow = workflow;
  }

  Held held() {
    return held;
  }

  /** The handler is to end soon. */
  void askToEnd() {
    askedToEnd = true;
  }

  /** Its time is up. */
  void timeIsUp(Duration timeout) {
    timedOutAfter = timeout;
    askedToEnd = true;
  }

  @Override
  public AttemptNotes notes() {
    return notes;
  }

  @Override
  public WorkflowAccess workflow() {
    return workflow;
  }

  @Override
  public boolean isCancelled() {
    return askedToEnd || held.isRevoked();
  }

  /**
   * How it ends in the record, given what the handler made of it. What it says in so many words
   * stands, also after its time was up; that it failed then says no more than that.
   */
  Settlement judge(Settlement settlement) {
    Duration timeout = timedOutAfter;
    return timeout == null || !settlement.isUnfinished()
        ? settlement
        : Settlement.timedOut(
            "interrupted after running for longer than " + timeout,
            settlement.stack(),
            ErrorFingerprint.of("timeout", null));
  }

  /** How it ends in the record when its handler goes on regardless. */
  Settlement givenUp(Duration grace, StackTraceElement[] where) {
    Duration timeout = timedOutAfter;
    if (timeout == null) {
      return Settlement.revoked(
          "cancelled, and still running " + grace + " later", ErrorText.stackOf(where));
    }
    return Settlement.timedOut(
        "still running " + grace + " after its timeout of " + timeout,
        ErrorText.stackOf(where),
        ErrorFingerprint.of("timeout", null));
  }
}
