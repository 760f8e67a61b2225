package io.jobscheduler.scheduler.cron;

import io.jobscheduler.scheduler.cron.FireStore.Ahead;
import io.jobscheduler.scheduler.cron.FireStore.Broken;
import io.jobscheduler.scheduler.signal.DueSignals;
import io.jobscheduler.scheduler.signal.Signals;
import io.jobscheduler.scheduler.signal.Topic;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/** Tells others what became of schedules: workers, promotion, the dashboard, the log. */
final class FireReport {
  private static final Logger LOG = Logger.getLogger(FireReport.class);

  private final Signals signals;
  private final DueSignals dueSignals;
  private final FireFigures figures;

  FireReport(Signals signals, DueSignals dueSignals, FireFigures figures) {
    this.signals = signals;
    this.dueSignals = dueSignals;
    this.figures = figures;
  }

  /** What a transaction that has committed made. */
  void fired(Fired fired) {
    figures.fired(fired);
    signals.ready(fired.ready());
    fired.dueMicros().forEach(dueSignals::jobDue);
    signals.changed(fired.projects(), Topic.SCHEDULES);
  }

  /** How late the longest due schedule is. */
  void late(Ahead ahead) {
    long first = ahead.dueMicros().isEmpty() ? Long.MAX_VALUE : ahead.dueMicros().get(0);
    long micros = Math.max(0, ahead.nowMicros() - first);
    figures.late(Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(micros)));
  }

  void disabled(List<Broken> schedules) {
    for (Broken broken : schedules) {
      LOG.errorf(
          "A schedule was disabled, correct and resume it: schedule_id=%d reason=%s",
          broken.id(), broken.reason());
    }
  }

  void paused(List<Definition> schedules) {
    for (Definition schedule : schedules) {
      LOG.warnf(
          "A schedule was paused, its newest runs have failed: schedule_id=%d", schedule.id());
      signals.changed(List.of(schedule.projectId()), Topic.SCHEDULES);
    }
  }

  void heldUp(Definition schedule, SQLException cause) {
    LOG.warnf(
        "A schedule is held up by somebody's lock and tried again: schedule_id=%d sqlstate=%s",
        schedule.id(), cause.getSQLState());
  }

  void reckoned(int schedules, String tzdb) {
    LOG.infof(
        "Schedules were reckoned with other time-zone data: schedules=%d tzdb=%s", schedules, tzdb);
  }
}
