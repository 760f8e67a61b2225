package io.jobscheduler.api.jobs;

import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.http.Etag;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.signal.Signals;
import io.jobscheduler.api.signal.Topic;
import jakarta.enterprise.context.ApplicationScoped;
import org.jspecify.annotations.Nullable;

/** Changes and deletes jobs, and tells who waits for them. A refusal is a 409 that says why. */
@ApplicationScoped
class JobEdits {
  private static final int TRIES = 3;

  private final JobEditStore store;
  private final Signals signals;

  JobEdits(JobEditStore store, Signals signals) {
    this.store = store;
    this.signals = signals;
  }

  /**
   * Deletes a job that has ended or waits.
   *
   * @throws ProblemException 404, 409
   */
  void delete(Grant grant, long id) {
    JobEditStore.Deleted answer = store.deleteJob(grant.projectId(), id);
    switch (answer.verdict()) {
      case "deleted" -> changed(grant);
      case "gone" -> throw ProblemException.notFound("job");
      case "needed" ->
          throw conflict(
              "It is part of a workflow, or other jobs depend on it; cancel it instead.");
      default -> throw conflict("The job runs; cancel it first.");
    }
  }

  /**
   * Changes a job that waits.
   *
   * @param ifMatch the If-Match header
   * @throws ProblemException 404, 409, 412
   */
  void edit(Grant grant, long id, @Nullable String ifMatch, JobEdit edit) {
    JobEditStore.Edited answer = null;
    // A claim that has its row locked is over in a moment: then it runs.
    for (int tries = 0; tries < TRIES && (answer == null || is(answer, "locked")); tries++) {
      answer = store.editJob(grant.projectId(), id, JobEtag.versions(ifMatch, id), edit);
    }
    if (answer == null || is(answer, "locked")) {
      throw conflict("The job is just being started.");
    }
    switch (answer.verdict()) {
      case "edited" -> tell(grant, id, answer);
      case "gone" -> throw ProblemException.notFound("job");
      case "stale" -> throw Etag.stale();
      case "gate" -> throw conflict("It is a gate; what it waits for is not changed.");
      case "member" ->
          throw conflict(
              "It is part of a workflow; change its payload at"
                  + " /workflows/{workflow}/jobs/{key}.");
      default ->
          throw conflict(
              edit.runAt() != null
                  ? "Only of a job that is scheduled or ready the time can be changed; it is "
                      + answer.state()
                      + "."
                  : "Only a job that waits can be changed; it is " + answer.state() + ".");
    }
  }

  private static boolean is(JobEditStore.Edited answer, String verdict) {
    return answer.verdict().equals(verdict);
  }

  private static ProblemException conflict(String detail) {
    return ProblemException.of(ProblemType.CONFLICT, detail);
  }

  private void tell(Grant grant, long id, JobEditStore.Edited job) {
    if ("ready".equals(job.state())) {
      signals.ready(job.queueId(), job.lane(), job.dispatchKey(), id);
    } else if (job.runAt() != null) {
      signals.due(job.runAt());
    }
    changed(grant);
  }

  private void changed(Grant grant) {
    signals.changed(grant.project(), Topic.JOBS);
    signals.changed(grant.project(), Topic.QUEUES);
  }
}
