package io.jobscheduler.worker.dispatch;

import io.jobscheduler.worker.claim.ClaimedJob;

/** A lease in hand and how far its job has come. Thread-safe; identity counts. */
public final class Held {
  /** How far it has come. */
  public enum Phase {
    /** In the heap. */
    WAITING,
    /** A handler has it. */
    RUNNING,
    /** Its end is decided and not yet confirmed by the database. */
    SETTLING
  }

  private final ClaimedJob job;
  private Phase phase = Phase.WAITING;
  private volatile long claim;
  private boolean revoked;
  private boolean cancelled;

  /** A lease just claimed. */
  public Held(ClaimedJob job) {
    this.job = job;
  }

  /** The job. */
  public ClaimedJob job() {
    return job;
  }

  /** The number of the claim that it came with, counted by the dispatcher. */
  long claim() {
    return claim;
  }

  /** Set once, before it enters the heap. */
  void cameWith(long number) {
    claim = number;
  }

  /** How far it has come. */
  public synchronized Phase phase() {
    return phase;
  }

  /** A handler takes it. */
  synchronized void start() {
    if (phase == Phase.WAITING) {
      phase = Phase.RUNNING;
    }
  }

  /** The lease is no longer ours: its handler must not start, or end soon. */
  public synchronized void revoke() {
    revoked = true;
  }

  /** Whether the lease was revoked. */
  public synchronized boolean isRevoked() {
    return revoked;
  }

  /** Somebody wants the job to end; true for the first to say so. */
  public synchronized boolean cancel() {
    boolean first = !cancelled;
    cancelled = true;
    return first;
  }

  /** Whether the job was cancelled. */
  public synchronized boolean isCancelled() {
    return cancelled;
  }

  /**
   * Decides its end. Only whoever gets true may settle it, so that a job whose handler ends at the
   * very moment at which it is given back is settled once.
   */
  public synchronized boolean decide() {
    boolean first = phase != Phase.SETTLING;
    phase = Phase.SETTLING;
    return first;
  }
}
