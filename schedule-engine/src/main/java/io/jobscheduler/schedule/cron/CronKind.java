package io.jobscheduler.schedule.cron;

/** How a schedule behaves when clocks are set forward or back. */
public enum CronKind {
  /**
   * Runs by the clock's beat, such as every 5 minutes or each hour: what a gap skips is not caught
   * up, and both passes of a repeated hour run.
   */
  INTERVAL,
  /** Runs at given times of day, each of them exactly once on each of its days. */
  FIXED
}
