package io.jobscheduler.scheduler.snapshots;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

/** From when on somebody's old snapshot is worth a word. */
@ConfigMapping(prefix = "jobs.scheduler.snapshots")
public interface SnapshotsConfig {

  /** Age from which the probe and the log warn of it. */
  @WithDefault("PT5M")
  @DurationMin(seconds = 30)
  @DurationMax(days = 7)
  Duration warnAfter();
}
