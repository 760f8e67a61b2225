package io.jobscheduler.worker;

import io.jobscheduler.worker.claim.ClaimedJob;
import io.jobscheduler.worker.claim.WakeUps;
import io.jobscheduler.worker.dispatch.HeldLeases;
import io.jobscheduler.worker.settle.DependentsReleaser;
import io.jobscheduler.worker.settle.Pending;
import io.jobscheduler.worker.settle.ReadyEvents;
import io.jobscheduler.worker.settle.ReadyJob;
import io.jobscheduler.worker.settle.RetryPromoter;
import io.jobscheduler.worker.settle.SettleEvents;
import io.jobscheduler.worker.signal.WorkerSignals;
import io.jobscheduler.worker.signal.WorkerSignals.Topic;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What follows when attempts have ended: memory forgets the leases, the claimer hears of new work
 * and new room, other workers and dashboards are told, retries wait for their instant. Thread-safe.
 */
final class Aftermath implements ReadyEvents {
  private final WakeUps wakeUps;
  private final WorkerSignals signals;

  Aftermath(WakeUps wakeUps, WorkerSignals signals) {
    this.wakeUps = wakeUps;
    this.signals = signals;
  }

  @Override
  public void ready(List<ReadyJob> jobs) {
    wakeUps.ready(jobs.stream().map(ReadyJob::place).toList());
    signals.ready(jobs.stream().map(ReadyJob::place).toList());
    jobs.stream()
        .map(ReadyJob::projectId)
        .distinct()
        .forEach(project -> signals.changed(project, Topic.JOBS, Topic.QUEUES));
  }

  /** The view of one tenure, whose leases end. */
  SettleEvents of(HeldLeases leases, RetryPromoter retries, DependentsReleaser dependents) {
    return new SettleEvents() {
      @Override
      public void ended(List<Pending> ended) {
        forget(leases, ended);
      }

      @Override
      public void ready(List<ReadyJob> jobs) {
        Aftermath.this.ready(jobs);
      }

      @Override
      public void unknownOutcome() {
        wakeUps.lookEverywhere();
      }

      @Override
      public void retryIn(long jobId, long nanos) {
        retries.promoteIn(jobId, nanos);
      }

      @Override
      public void dependentsMayWait() {
        dependents.ask();
      }
    };
  }

  private void forget(HeldLeases leases, List<Pending> ended) {
    Set<Integer> queues = new HashSet<>();
    Set<Integer> projects = new HashSet<>();
    Set<Integer> flowProjects = new HashSet<>();
    for (Pending pending : ended) {
      if (pending.held() != null) {
        leases.remove(pending.held());
        ClaimedJob job = pending.held().job();
        queues.add(job.queueId());
        (job.workflowId() == null ? projects : flowProjects).add(job.projectId());
      }
    }
    if (!wakeUps.settled(queues)) {
      signals.room(queues);
    }
    projects.forEach(project -> signals.changed(project, Topic.JOBS, Topic.QUEUES));
    flowProjects.forEach(
        project -> signals.changed(project, Topic.JOBS, Topic.QUEUES, Topic.WORKFLOWS));
  }
}
