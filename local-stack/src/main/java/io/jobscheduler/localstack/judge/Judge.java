package io.jobscheduler.localstack.judge;

import java.sql.SQLException;

/** Judges a run. Reads every table once, in one snapshot. */
public final class Judge {
  private Judge() {}

  /**
   * Judges it. Takes about 10 s and 200 MB for 100,000 jobs.
   *
   * @throws SQLException when the records cannot be read
   */
  public static Judgement judge(Evidence evidence) throws SQLException {
    throw new UnsupportedOperationException("comes with the judge of " + evidence);
  }
}
