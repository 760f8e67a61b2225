package io.jobscheduler.worker.handlers;

import jakarta.inject.Singleton;
import java.math.BigDecimal;
import java.util.concurrent.TimeUnit;

/** {@code simulate {runtimeSeconds, scale}}: takes run time × scale, a day at most. */
@Singleton
public final class SimulateHandler implements JobHandler {
  private static final long LARGEST = 1_000_000_000;

  @Override
  public String type() {
    return "simulate";
  }

  @Override
  public JobOutcome run(JobContext job) throws InvalidPayloadException, InterruptedException {
    PayloadFields fields = PayloadFields.of(job.payload());
    BigDecimal seconds =
        fields.number("runtimeSeconds", LARGEST).multiply(fields.number("scale", LARGEST));
    BigDecimal day = BigDecimal.valueOf(TimeUnit.DAYS.toSeconds(1));
    TimeUnit.MICROSECONDS.sleep(seconds.min(day).movePointRight(6).longValue());
    return JobOutcome.done();
  }
}
