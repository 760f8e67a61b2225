package io.jobscheduler.api.jobs;

import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.signal.Signals;
import io.jobscheduler.api.signal.Topic;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What people do to jobs: cancel, retry, run now. Tells, after the commit, who waits for it.
 *
 * <p>A refusal is a 409 that says in which state the job is.
 */
@ApplicationScoped
class JobActions {
  private static final String MOVED = "moved";

  private final JobActionStore store;
  private final Signals signals;

  JobActions(JobActionStore store, Signals signals) {
    this.store = store;
    this.signals = signals;
  }

  /**
   * Cancels a job.
   *
   * @return whether that is final; else its worker has been asked to end it
   * @throws ProblemException 404; 409 when it has ended otherwise
   */
  boolean cancel(Grant grant, long id, String by, @Nullable String reason) {
    JobActionStore.Cancelled answer =
        store.cancelJobs(grant.projectId(), List.of(id), by, reason).stream()
            .findFirst()
            .orElseThrow(() -> ProblemException.notFound("job"));
    if (answer.verdict().equals("ended") && !answer.state().equals("cancelled")) {
      throw conflict("The job has ended already; it is " + answer.state() + ".");
    }
    if (answer.worker() != null) {
      signals.control(answer.worker());
    }
    changed(grant);
    return answer.worker() == null;
  }

  /**
   * Brings an ended job back, or makes one that waits for its next attempt ready now.
   *
   * @param evenIfSucceeded whether a job that succeeded is run again too
   * @throws ProblemException 404, 409
   */
  void retry(Grant grant, long id, boolean evenIfSucceeded) {
    List<String> states = new ArrayList<>(List.of("dead", "cancelled", "skipped"));
    if (evenIfSucceeded) {
      states.add("succeeded");
    }
    JobActionStore.Moved answer = only(store.redriveJobs(grant.projectId(), List.of(id), states));
    if (answer.state().equals("retrying")) {
      answer = only(store.runJobsNow(grant.projectId(), List.of(id)));
    }
    switch (answer.verdict()) {
      case MOVED -> tell(grant, List.of(answer));
      case "kept" ->
          throw conflict("The job has succeeded; it is run again only with evenIfSucceeded: true.");
      case "taken" -> throw conflict("Another job holds its unique key meanwhile.");
      case "unmet" ->
          throw conflict(
              "A job that it depends on has ended in a way that forbids it to run;"
                  + " retry that one first.");
      default -> throw conflict("The job has not ended; it is " + answer.state() + ".");
    }
  }

  /**
   * Makes a job ready that waits for its time.
   *
   * @throws ProblemException 404; 409 when it does not wait for a time
   */
  void runNow(Grant grant, long id) {
    JobActionStore.Moved answer = only(store.runJobsNow(grant.projectId(), List.of(id)));
    if (!answer.moved()) {
      throw conflict(
          "Only a scheduled or retrying job can be run now; it is " + answer.state() + ".");
    }
    tell(grant, List.of(answer));
  }

  /**
   * Brings dead jobs back, those of {@code ids} that are dead still.
   *
   * @return how many
   */
  int redrive(Grant grant, Collection<Long> ids) {
    List<JobActionStore.Moved> moved =
        store.redriveJobs(grant.projectId(), ids, List.of("dead")).stream()
            .filter(JobActionStore.Moved::moved)
            .toList();
    tell(grant, moved);
    return moved.size();
  }

  private static JobActionStore.Moved only(List<JobActionStore.Moved> answers) {
    return answers.stream().findFirst().orElseThrow(() -> ProblemException.notFound("job"));
  }

  private static ProblemException conflict(String detail) {
    return ProblemException.of(ProblemType.CONFLICT, detail);
  }

  private void tell(Grant grant, List<JobActionStore.Moved> moved) {
    Map<List<Integer>, JobActionStore.Moved> first = new HashMap<>();
    Comparator<JobActionStore.Moved> order =
        Comparator.comparingLong(JobActionStore.Moved::dispatchKey)
            .thenComparingLong(JobActionStore.Moved::id);
    moved.stream()
        .filter(job -> job.state().equals("ready"))
        .forEach(
            job ->
                first.merge(
                    List.of(job.queueId(), job.lane()),
                    job,
                    (a, b) -> order.compare(a, b) <= 0 ? a : b));
    first.values().forEach(j -> signals.ready(j.queueId(), j.lane(), j.dispatchKey(), j.id()));
    changed(grant);
  }

  private void changed(Grant grant) {
    signals.changed(grant.project(), Topic.JOBS);
    signals.changed(grant.project(), Topic.QUEUES);
    signals.changed(grant.project(), Topic.WORKFLOWS);
  }
}
