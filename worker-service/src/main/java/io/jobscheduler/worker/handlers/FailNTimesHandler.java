package io.jobscheduler.worker.handlers;

import jakarta.inject.Singleton;

/** {@code fail-n-times {times}}: fails while the attempt's number is not larger than that. */
@Singleton
public final class FailNTimesHandler implements JobHandler {
  @Override
  public String type() {
    return "fail-n-times";
  }

  @Override
  public JobOutcome run(JobContext job) throws InvalidPayloadException {
    int times = PayloadFields.of(job.payload()).number("times", Integer.MAX_VALUE).intValue();
    return job.attempt() <= times
        ? new JobOutcome.Retry(
            "asked-to-fail", "attempt " + job.attempt() + " of " + times + " that fail", null)
        : JobOutcome.done();
  }
}
