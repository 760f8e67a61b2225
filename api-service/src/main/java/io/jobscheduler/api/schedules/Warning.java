package io.jobscheduler.api.schedules;

import io.jobscheduler.schedule.cron.CronWarning;
import io.jobscheduler.schedule.times.Preview;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/**
 * Something that is allowed but often not meant.
 *
 * @param code BOTH_DAYS, UNEVEN_STEP or DST
 */
@Schema(name = "ScheduleWarning")
public record Warning(String code, String message) {
  static List<Warning> of(Preview preview) {
    return preview.warnings().stream().map(Warning::of).toList();
  }

  private static Warning of(CronWarning warning) {
    return new Warning(warning.code().name(), warning.message());
  }
}
