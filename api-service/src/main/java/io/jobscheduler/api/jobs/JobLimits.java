package io.jobscheduler.api.jobs;

import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.math.BigInteger;

/** Limits on what is handed in ({@code jobs.limits.*}). */
@ConfigMapping(prefix = "jobs.limits")
public interface JobLimits {
  /** The most that {@link #payloadSize()} may be. */
  BigInteger LARGEST = BigInteger.valueOf(4 * 1024 * 1024);

  /** Largest payload of a job; 1 byte to 4 MiB. */
  @WithDefault("256K")
  MemorySize payloadSize();

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
