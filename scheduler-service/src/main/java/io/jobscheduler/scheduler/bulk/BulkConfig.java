package io.jobscheduler.scheduler.bulk;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

/** Steps of bulk actions, and how long their record is kept. */
@ConfigMapping(prefix = "jobs.scheduler.bulk")
public interface BulkConfig {

  /** Jobs done in one transaction. */
  @WithDefault("200")
  @Min(1)
  @Max(1_000)
  int batch();

  /** Rows looked at for an action's jobs in one transaction. */
  @WithDefault("5000")
  @Min(1)
  @Max(100_000)
  int scan();

  /**
   * Retried jobs at once of which it is not known how they fare, where an action stops on renewed
   * failure: it can go on for so many before it learns of one, so this many have ended in a second
   * at most.
   */
  @WithDefault("100")
  @Min(1)
  @Max(10_000)
  int window();

  /** How long an action is kept after its end, and so how long it can be taken back. */
  @WithDefault("P30D")
  @DurationMin(days = 1)
  @DurationMax(days = 365)
  Duration keep();
}
