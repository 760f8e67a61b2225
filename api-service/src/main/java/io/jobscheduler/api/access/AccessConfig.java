package io.jobscheduler.api.access;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Login and tokens ({@code jobs.access.*}). */
@ConfigMapping(prefix = "jobs.access")
public interface AccessConfig {
  /** A file with 32 random bytes in base64, under which the private signing keys are encrypted. */
  Optional<Path> masterKeyFile();

  /** How long an access token is good. */
  @WithDefault("PT15M")
  Duration tokenLifetime();

  /** How long a session lasts that nobody refreshes. */
  @WithDefault("PT12H")
  Duration sessionIdle();

  /** How long a session lasts at most, however often it is refreshed. */
  @WithDefault("P30D")
  Duration sessionLifetime();

  /** How old the newest signing key becomes before another one takes its place. */
  @WithDefault("P90D")
  Duration keyRotation();

  /** Most passwords hashed at once; each takes 19 MiB and a core for a moment. */
  @WithDefault("2")
  @Min(1)
  @Max(64)
  int concurrentHashes();
}
