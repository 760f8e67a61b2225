package io.jobscheduler.scheduler.cron;

import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.signal.DueSignals;
import io.jobscheduler.scheduler.testing.Configs;
import io.jobscheduler.scheduler.testing.SchedulerRig;
import javax.sql.DataSource;

/** Makes firers over a rig. */
final class Firers {
  private Firers() {}

  static Firer of(SchedulerRig rig, String... config) {
    return of(rig, rig.transactions, rig.dataSource, config);
  }

  static Firer of(
      SchedulerRig rig, LeaderTransactions transactions, DataSource dataSource, String... config) {
    return new Firer(
        rig.leadership,
        transactions,
        dataSource,
        new FireReport(rig.signals, new DueSignals(), new FireFigures()),
        Configs.of(CronConfig.class, config),
        System::nanoTime);
  }
}
