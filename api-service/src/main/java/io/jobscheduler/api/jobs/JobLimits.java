package io.jobscheduler.api.jobs;

import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.math.BigInteger;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

/** Limits on what is handed in ({@code jobs.limits.*}). */
@ConfigMapping(prefix = "jobs.limits")
public interface JobLimits {
  /** The most that {@link #payloadSize()} may be. */
  BigInteger LARGEST = BigInteger.valueOf(4 * 1024 * 1024);

  /** Largest payload of a job; 1 byte to 4 MiB. */
  @WithDefault("256K")
  MemorySize payloadSize();

  /** How long jobs may come by the line in one request; what comes later is refused. */
  @WithDefault("PT10M")
  @DurationMin(seconds = 1)
  @DurationMax(hours = 24)
  Duration streamTime();

  /** How many such requests this process serves at once, each on a thread of its own. */
  @WithDefault("20")
  @Min(1)
  @Max(1_000)
  int streams();

  /**
   * {@link #payloadSize()} of {@code limits}, in bytes.
   *
   * @throws IllegalStateException when it is out of bounds, which must stop the start
   */
  static int payloadBytes(JobLimits limits) {
    BigInteger bytes = limits.payloadSize().asBigInteger();
    if (bytes.signum() <= 0 || bytes.compareTo(LARGEST) > 0) {
      throw new IllegalStateException("jobs.limits.payload-size must be 1 byte to 4 MiB");
    }
    return bytes.intValue();
  }
}
