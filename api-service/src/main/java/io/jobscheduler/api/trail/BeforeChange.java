package io.jobscheduler.api.trail;

/**
 * What has to be done, and committed, before the transaction of a recorded request begins, because
 * it is no part of what the request changes.
 */
public interface BeforeChange {
  /** Does it. */
  void beforeChange();
}
