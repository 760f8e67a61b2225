package io.jobscheduler.dashboard.proxy;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.net.URI;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

/** Where api-service is. */
@ConfigMapping(prefix = "jobs.dashboard")
public interface ApiConfig {
  /** Base address, for example {@code http://api:8080}; a path in it is not used. */
  URI apiUrl();

  /** How long a connection may take to come up. */
  @WithDefault("PT2S")
  @DurationMin(millis = 100)
  @DurationMax(seconds = 60)
  Duration connectTimeout();

  /** Longest silence of an exchange; above the API's longest wait of 60 seconds. */
  @WithDefault("PT75S")
  @DurationMin(millis = 100)
  @DurationMax(minutes = 10)
  Duration idleTimeout();
}
