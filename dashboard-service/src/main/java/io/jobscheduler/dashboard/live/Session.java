package io.jobscheduler.dashboard.live;

/** An authorised socket until it closes. */
interface Session {
  /** Stops its timers and its subscription. Idempotent. */
  void end();
}
