package io.jobscheduler.api.jobs;

import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.database.IndexReads;
import io.jobscheduler.api.jobs.Explanation.Blocker;
import io.jobscheduler.api.paging.Count;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Tells why a job does not run: what keeps the claim from taking it, in the claim's own terms, and
 * whether there is a worker that would. All of one snapshot.
 */
@ApplicationScoped
class Explaining {
  private final Jdbi jdbi;
  private final ExplainStore store;

  Explaining(Jdbi jdbi, ExplainStore store) {
    this.jdbi = jdbi;
    this.store = store;
  }

  /** Empty when the project has no such job. */
  Optional<Explanation> explain(Grant grant, long job) {
    return IndexReads.ofOneSnapshot(
        jdbi,
        h -> store.findStanding(h, grant.projectId(), job).map(s -> explain(h, grant, job, s)));
  }

  private Explanation explain(Handle h, Grant grant, long job, ExplainStore.Standing standing) {
    boolean waits =
        switch (standing.state()) {
          case "scheduled", "blocked", "ready", "retrying" -> true;
          default -> false;
        };
    List<Blocker> blockers = new ArrayList<>();
    for (String code : standing.blockers()) {
      blockers.add(blocker(h, grant, job, standing, code));
    }
    Explanation.Fleet fleet = null;
    if (waits && standing.gate() == null) {
      fleet = store.countWorkers(h, standing.project(), standing.queue());
      if (fleet.serving() == 0) {
        blockers.add(
            Blocker.of(
                "no_worker",
                fleet.draining() > 0
                    ? "The only workers that serve the queue are draining."
                    : "No worker that lives serves the queue."));
      } else if (fleet.running() >= fleet.slots()) {
        blockers.add(
            Blocker.of(
                "workers_busy", "All slots of the workers that serve the queue are in use."));
      }
    }
    return new Explanation(
        Long.toString(job),
        standing.state(),
        standing.stateReason(),
        standing.state().equals("ready") && standing.blockers().isEmpty(),
        blockers,
        standing.before() == null ? null : Count.of(standing.before()),
        fleet,
        fleet == null || fleet.serving() == 0 ? null : standing.estimatedAt());
  }

  private Blocker blocker(
      Handle h, Grant grant, long job, ExplainStore.Standing standing, String code) {
    return switch (code) {
      case "queue_paused" -> paused(code, "The queue is paused.", standing.queuePause());
      case "workflow_paused" -> paused(code, "Its workflow is paused.", standing.workflowPause());
      case "queue_limit" ->
          Blocker.full(
              code,
              "The queue runs as many jobs as it may, or will with those that come first.",
              standing.maxConcurrency() == null ? 0 : standing.maxConcurrency(),
              standing.running(),
              null,
              store.runningInQueue(h, standing.queueId()));
      case "key_limit" -> {
        String key = String.valueOf(standing.concurrencyKey());
        yield Blocker.full(
            code,
            "As many jobs with its concurrency key run as may, or will with those that come first.",
            standing.perKeyConcurrency() == null ? 0 : standing.perKeyConcurrency(),
            standing.keyRunning(),
            key,
            store.runningWithKey(h, standing.queueId(), key));
      }
      case "rate_limit" ->
          Blocker.until(
              code,
              "The queue has started as many jobs as its rate allows, or will have with those that"
                  + " come first.",
              standing.tokenAt());
      case "dependencies" ->
          Blocker.waiting(
              "It waits for other jobs.", store.unmet(h, grant.projectId(), job, grant.queueIds()));
      case "gate" ->
          Blocker.until(
              code,
              "It is a gate, which no worker runs; it opens by "
                  + switch (String.valueOf(standing.gate())) {
                    case "time" -> "time.";
                    case "signal" -> "a signal.";
                    case "approval" -> "somebody's approval.";
                    default -> "its dependencies.";
                  },
              standing.runAt());
      case "not_due" -> Blocker.until(code, "Its time has not come.", standing.runAt());
      case "retry_wait" ->
          Blocker.until(
              code, "It waits for its next attempt after one that failed.", standing.runAt());
      default -> Blocker.of(code, "What it waited for is there; it is about to move on.");
    };
  }

  private static Blocker paused(String code, String detail, ExplainStore.Pause pause) {
    return Blocker.paused(code, detail, pause.since(), pause.until(), pause.by(), pause.reason());
  }
}
