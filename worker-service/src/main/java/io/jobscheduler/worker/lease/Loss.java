package io.jobscheduler.worker.lease;

/** Why a tenure may no longer trust its leases. */
public enum Loss {
  /** The database said so, for good. */
  DECLARED,
  /** The beat's connection broke and no beat could be confirmed in time. */
  BROKEN,
  /** No beat was confirmed in time. */
  SILENT
}
