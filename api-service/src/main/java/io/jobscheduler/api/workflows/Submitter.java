package io.jobscheduler.api.workflows;

import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.jobs.EnqueueStore;
import io.jobscheduler.api.problem.Violations;
import io.jobscheduler.api.signal.Signals;
import io.jobscheduler.api.signal.Topic;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Checks a workflow's graph, stores it and, after the commit, tells who waits for its roots. */
@ApplicationScoped
class Submitter {
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
   *     queue
   */
  int submit(Grant grant, WorkflowRequest request) {
    Cycles.refuse(request);
    SubmitStore.Submitted stored =
        store
            .submit(grant.projectId(), request)
            .orElseGet(
                () -> {
                  nameUnknownQueues(grant, request).throwIfAny();
                  // The queue has come into being meanwhile: once more.
                  return store.submit(grant.projectId(), request).orElseThrow();
                });
    tell(grant, stored);
    return stored.id();
  }

  private Violations nameUnknownQueues(Grant grant, WorkflowRequest request) {
    List<String> named = request.jobs().stream().map(m -> m.job().queue()).toList();
    Set<String> known =
        queues.knownQueues(
            grant.projectId(), named.stream().collect(Collectors.toUnmodifiableSet()));
    Violations violations = new Violations();
    for (int i = 0; i < named.size(); i++) {
      if (!known.contains(named.get(i))) {
        violations.add(
            "/jobs/" + i + "/queue", "The project has no queue \"" + named.get(i) + "\".");
      }
    }
    return violations;
  }

  private void tell(Grant grant, SubmitStore.Submitted stored) {
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
    signals.changed(grant.project(), Topic.JOBS);
    signals.changed(grant.project(), Topic.WORKFLOWS);
  }
}
