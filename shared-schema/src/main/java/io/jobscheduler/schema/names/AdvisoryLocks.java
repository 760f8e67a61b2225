package io.jobscheduler.schema.names;

/**
 * The classes of advisory locks in Postgres' two-key space {@code (class, id)}. The one-key space
 * belongs to workers: the key is the incarnation.
 */
public final class AdvisoryLocks {
  /** With the queue's id: a claim from a limited queue, or a change of its limit. */
  public static final int QUEUE = 1;

  /** With the workflow's id: shared by settles, exclusive for operations on many of its jobs. */
  public static final int WORKFLOW = 2;

  /** With id 0: shared by every claim, exclusive while a queue gets its first limit. */
  public static final int CLAIM_GATE = 3;

  /** With id 0: held for as long as its session leads. */
  public static final int LEADERSHIP = 4;

  /** With id 0: held while the schema is migrated. */
  public static final int MIGRATION = 5;

  /** With id 0: shared by transactions that write audit rows, exclusive while these are sealed. */
  public static final int AUDIT = 6;

  /** With the key's hash: a request with that idempotency key is being answered. */
  public static final int IDEMPOTENCY = 7;

  /** With id 0: held while a job that exists already is made to wait for another one. */
  public static final int EDGES = 8;

  private AdvisoryLocks() {}
}
