package io.jobscheduler.worker.handlers;

import jakarta.inject.Singleton;

/** {@code echo}: the result is the payload, as it was typed. */
@Singleton
public final class EchoHandler implements JobHandler {
  @Override
  public String type() {
    return "echo";
  }

  @Override
  public JobOutcome run(JobContext job) {
    return JobOutcome.done(job.payload());
  }
}
