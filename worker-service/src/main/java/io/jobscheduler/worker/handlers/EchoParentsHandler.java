package io.jobscheduler.worker.handlers;

import jakarta.inject.Singleton;
import java.util.stream.Collectors;

/**
 * {@code echo-parents}: its result is an object with the results of the jobs that it depends on, by
 * key; parents without a result are left out.
 */
@Singleton
public final class EchoParentsHandler implements JobHandler {
  @Override
  public String type() {
    return "echo-parents";
  }

  @Override
  public JobOutcome run(JobContext job) throws Exception {
    // Keys need no escaping.
    return JobOutcome.done(
        job.parentResults().all().stream()
            .filter(parent -> parent.key() != null && parent.json() != null)
            .map(parent -> '"' + parent.key() + "\":" + parent.json())
            .collect(Collectors.joining(",", "{", "}")));
  }
}
