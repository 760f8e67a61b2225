package io.jobscheduler.dashboard.live;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

/** Refresh signals over WebSocket. */
@ConfigMapping(prefix = "jobs.live")
public interface LiveConfig {
  /** Origins allowed beside the service's own, such as {@code https://ops.example.org}. */
  Optional<List<String>> allowedOrigins();

  /** At most one signal per project and topic in this time. */
  @WithDefault("PT1S")
  @DurationMin(millis = 100)
  @DurationMax(seconds = 60)
  Duration window();

  /** How often each socket hears that it is alive; browsers give up after 45 seconds. */
  @WithDefault("PT20S")
  @DurationMin(seconds = 1)
  @DurationMax(seconds = 40)
  Duration heartbeat();

  /** How often an open socket's access is checked again. */
  @WithDefault("PT1M")
  @DurationMin(seconds = 1)
  @DurationMax(minutes = 60)
  Duration recheck();

  /** Sockets that one process keeps open; more are refused with 503. */
  @WithDefault("10000")
  @Min(1)
  int maxSockets();
}
