package io.jobscheduler.api.workflows;

import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.jobs.EnqueueStore;
import io.jobscheduler.api.jobs.Need;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.problem.Violations;
import io.jobscheduler.api.signal.Signals;
import io.jobscheduler.api.signal.Topic;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Checks a workflow's graph, stores it and, after the commit, tells who waits for its roots. */
@ApplicationScoped
class Submitter {
  // The leader looks so far ahead by itself; only what is due sooner needs a word.
  private static final Duration LEADER_LOOKS_AHEAD = Duration.ofMinutes(10);

  private final SubmitStore store;
  private final EnqueueStore queues;
  private final Signals signals;

  Submitter(SubmitStore store, EnqueueStore queues, Signals signals) {
    this.store = store;
    this.queues = queues;
    this.signals = signals;
  }

  /**
   * Stores a workflow, all of it or nothing; returns its id.
   *
   * @throws io.jobscheduler.api.problem.ProblemException 422 with a cycle, or naming each unknown
   *     queue, or each unknown job
   */
  int submit(Grant grant, WorkflowRequest request) {
    Cycles.refuse(request);
    SubmitStore.Outcome outcome = store.submit(grant.projectId(), request);
    if (outcome instanceof SubmitStore.UnknownQueue) {
      nameUnknownQueues(grant, request).throwIfAny();
      // The queue has come into being meanwhile: once more.
      outcome = store.submit(grant.projectId(), request);
    }
    if (outcome instanceof SubmitStore.UnknownJobs unknown) {
      throw nameUnknownJobs(request, unknown.ids());
    }
    if (!(outcome instanceof SubmitStore.Accepted accepted)) {
      throw ProblemException.of(ProblemType.CONFLICT, "A queue was deleted meanwhile.");
    }
    tell(grant, accepted.workflow(), request);
    return accepted.workflow().id();
  }

  /** What is wrong with the queues that a request names. */
  Violations nameUnknownQueues(Grant grant, WorkflowRequest request) {
    Set<String> named = new HashSet<>();
    request.jobs().forEach(m -> named.add(m.job().queue()));
    request.extras().callbacks().forEach(c -> named.add(c.job().queue()));
    Set<String> known = queues.knownQueues(grant.projectId(), named);
    Violations violations = new Violations();
    request
        .jobs()
        .forEach(m -> requireQueue(violations, known, m.job().queue(), m.node().pointer()));
    request
        .extras()
        .callbacks()
        .forEach(c -> requireQueue(violations, known, c.job().queue(), c.pointer()));
    return violations;
  }

  private static void requireQueue(
      Violations violations, Set<String> known, String queue, String pointer) {
    if (!known.contains(queue)) {
      violations.add(pointer + "/queue", "The project has no queue \"" + queue + "\".");
    }
  }

  // Another project's job is as absent as one that never was.
  private static ProblemException nameUnknownJobs(WorkflowRequest request, Set<Long> unknown) {
    Violations violations = new Violations();
    for (WorkflowRequest.Outside edge : request.outside()) {
      if (edge.job() != null && unknown.contains(edge.job())) {
        violations.add(edge.pointer(), Need.UNKNOWN);
      }
    }
    return violations.problem();
  }

  private void tell(Grant grant, SubmitStore.Submitted stored, WorkflowRequest request) {
    // The smallest place of each lane. Ids grow, so among equal keys the first one is the smallest.
    Map<List<Integer>, SubmitStore.Stored> first = new HashMap<>();
    stored.jobs().stream()
        .filter(SubmitStore.Stored::ready)
        .forEach(
            j ->
                first.merge(
                    List.of(j.queueId(), j.lane()),
                    j,
                    (a, b) -> a.dispatchKey() <= b.dispatchKey() ? a : b));
    first.values().forEach(j -> signals.ready(j.queueId(), j.lane(), j.dispatchKey(), j.id()));
    tellDue(request);
    signals.changed(grant.project(), Topic.JOBS);
    signals.changed(grant.project(), Topic.WORKFLOWS);
  }

  /** A gate that opens soon: the leader looks ahead by itself, but not at once. */
  void tellDue(WorkflowRequest request) {
    Instant now = Instant.now();
    request.jobs().stream()
        .map(m -> m.node().gate())
        .filter(g -> g != null && g.kind().equals(Gate.TIME))
        .map(g -> g.until() != null ? g.until() : now.plus(Objects.requireNonNull(g.delay())))
        .min(Comparator.naturalOrder())
        .filter(first -> first.isBefore(now.plus(LEADER_LOOKS_AHEAD)))
        .ifPresent(signals::due);
  }
}
