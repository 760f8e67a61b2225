package io.jobscheduler.api.access;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

/** How often a login may fail ({@code jobs.login.*}). */
@ConfigMapping(prefix = "jobs.login")
public interface LoginConfig {
  /** Failed logins in a row to one account. */
  @WithDefault("10")
  @Min(1)
  @Max(1000)
  int accountTries();

  /** After how long one of them is forgotten. */
  @WithDefault("PT1M")
  @DurationMin(seconds = 1)
  @DurationMax(hours = 24)
  Duration accountEvery();

  /** Failed logins in a row from one address. */
  @WithDefault("50")
  @Min(1)
  @Max(100_000)
  int addressTries();

  /** After how long one of them is forgotten. */
  @WithDefault("PT10S")
  @DurationMin(seconds = 1)
  @DurationMax(hours = 24)
  Duration addressEvery();

  /**
   * Addresses, or networks such as {@code 10.0.0.0/8}, of proxies whose {@code X-Forwarded-For} is
   * believed.
   */
  Optional<List<String>> trustedProxies();
}
