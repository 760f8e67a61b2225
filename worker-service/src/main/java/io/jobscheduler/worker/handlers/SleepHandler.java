package io.jobscheduler.worker.handlers;

import jakarta.inject.Singleton;
import java.util.concurrent.TimeUnit;

/** {@code sleep {millis}}: takes that long, a day at most. */
@Singleton
public final class SleepHandler implements JobHandler {
  @Override
  public String type() {
    return "sleep";
  }

  @Override
  public JobOutcome run(JobContext job) throws InvalidPayloadException, InterruptedException {
    long most = TimeUnit.DAYS.toMillis(1);
    TimeUnit.MILLISECONDS.sleep(PayloadFields.of(job.payload()).number("millis", most).longValue());
    return JobOutcome.done();
  }
}
