package io.jobscheduler.schedule.cron;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Finds steps that do not divide their field, and so start anew before the last one is whole. */
final class UnevenSteps {
  private static final Pattern STEP = Pattern.compile("\\*/([0-9]+)");
  private static final List<CronField> BEATS =
      List.of(CronField.SECOND, CronField.MINUTE, CronField.HOUR);

  private UnevenSteps() {}

  static Optional<CronWarning> of(CronFields fields) {
    for (CronField field : BEATS) {
      var step = STEP.matcher(fields.get(field).canonical());
      int size = field.largest() + 1;
      if (step.matches() && size % Integer.parseInt(step.group(1)) != 0) {
        int last = fields.get(field).values().length() - 1;
        String message =
            "%s: %s starts anew at 0, so the distance after %d is %d"
                .formatted(field.label(), step.group(), last, size - last);
        return Optional.of(new CronWarning(CronWarning.Code.UNEVEN_STEP, message));
      }
    }
    return Optional.empty();
  }
}
