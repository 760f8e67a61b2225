package io.jobscheduler.localstack.judge;

import io.jobscheduler.localstack.load.Ledger;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** I7: a job, its queue, its workflow and what ran for it are of one project. */
final class TenantCheck {
  static final String LISTED = "jobs seen in a list of a project's own key";

  private final Findings findings;
  private final Names names;
  private final Map<Long, Ledger.Accepted> accepted;
  private final Map<Long, String> listed;
  private final Map<Integer, Integer> workflowProjects;

  TenantCheck(
      Findings findings, Names names, Ledger ledger, Map<Integer, Integer> workflowProjects) {
    this.findings = findings;
    this.names = names;
    this.accepted = ledger.jobs();
    this.listed = ledger.listed();
    this.workflowProjects = workflowProjects;
    long probes = ledger.counts().getOrDefault(Ledger.PROBES, 0L);
    findings.checked(Invariant.I7, probes);
    ledger.crossings().forEach(what -> findings.violated(Invariant.I7, null, what));
  }

  void check(Dossier dossier) {
    JobRow job = dossier.job();
    if (job == null) {
      return;
    }
    findings.checked(Invariant.I7, 1);
    String project = names.project(job.project());
    String seen = listed.get(job.id());
    if (seen != null) {
      findings.checked(Invariant.I7, 1);
      findings.count(LISTED, 1);
      if (!seen.equals(project)) {
        crossed(job, "of project %s was in a list of %s".formatted(project, seen));
      }
    }
    Names.@Nullable Queue queue = names.queue(job.queue());
    if (queue == null || queue.project() != job.project()) {
      crossed(job, "of project %s is in queue %d of another".formatted(project, job.queue()));
      return;
    }
    if (job.workflow() != null
        && !Objects.equals(workflowProjects.get(job.workflow()), job.project())) {
      crossed(job, "of project %s is in workflow %d of another".formatted(project, job.workflow()));
    }
    Ledger.@Nullable Accepted promise = accepted.get(job.id());
    if (promise != null
        && !(promise.project().equals(project)
            && (promise.queue() == null || promise.queue().equals(queue.name())))) {
      crossed(
          job,
          "was accepted for %s/%s and is in %s/%s"
              .formatted(promise.project(), promise.queue(), project, queue.name()));
    }
    for (Effect effect : dossier.effects()) {
      if (!effect.project.equals(project) || !effect.queue.equals(queue.name())) {
        crossed(
            job,
            "of %s/%s ran under lease %d as one of %s/%s"
                .formatted(project, queue.name(), effect.token, effect.project, effect.queue));
      }
    }
  }

  private void crossed(JobRow job, String sentence) {
    findings.violated(Invariant.I7, job.id(), sentence);
  }
}
