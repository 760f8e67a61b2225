package io.jobscheduler.worker.handlers;

import jakarta.inject.Singleton;
import java.math.BigDecimal;
import java.util.concurrent.TimeUnit;

/**
 * {@code simulate {runtimeSeconds, scale}}: takes run time × scale, a day at most, and reports its
 * progress when that is long.
 */
@Singleton
public final class SimulateHandler implements JobHandler {
  private static final long LARGEST = 1_000_000_000;
  // What takes so long says how far it has come.
  private static final long LONG_MICROS = 2_000_000;
  private static final int STEPS = 20;

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
    long micros = seconds.min(day).movePointRight(6).longValue();
    if (micros < LONG_MICROS) {
      TimeUnit.MICROSECONDS.sleep(micros);
    } else {
      takeLong(job, micros);
    }
    return JobOutcome.done();
  }

  private static void takeLong(JobContext job, long micros) throws InterruptedException {
    for (int step = 0; step < STEPS; step++) {
      job.progress((double) step / STEPS, "step " + (step + 1) + " of " + STEPS);
      TimeUnit.MICROSECONDS.sleep(micros / STEPS);
    }
  }
}
