package io.jobscheduler.api.jobs;

import io.jobscheduler.api.access.Grant;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;

/**
 * Hands in jobs of which some may ask for a unique key or go into a queue of bounded depth. Keys
 * first, then room, then rows: in the same order by everybody, so that nobody waits in a circle.
 * Thread-safe.
 */
@ApplicationScoped
class Admission {
  private final EnqueueStore store;
  private final AdmissionStore admission;
  private final BoundedQueues bounded;

  Admission(EnqueueStore store, AdmissionStore admission, BoundedQueues bounded) {
    this.store = store;
    this.admission = admission;
    this.bounded = bounded;
  }

  /**
   * Stores what can be stored, inside the caller's transaction; a verdict for each job, in order.
   * When one is {@link Verdict.Full} nothing is stored, but keys may have been taken: the caller
   * must roll back, and a job without a verdict of its own is null.
   */
  List<Verdict> enqueue(Handle h, Grant grant, List<JobRequest> jobs) {
    int projectId = grant.projectId();
    Verdict[] verdicts = new Verdict[jobs.size()];
    Set<String> named = jobs.stream().map(JobRequest::queue).collect(Collectors.toSet());
    Map<String, Boolean> queues = store.boundedOf(h, projectId, named);
    for (int i = 0; i < verdicts.length; i++) {
      if (!queues.containsKey(jobs.get(i).queue())) {
        verdicts[i] = new Verdict.UnknownQueue(jobs.get(i).queue());
      }
    }
    Dependents.refuseUnknown(h, grant, jobs, verdicts);
    List<Long> ids = admission.nextIds(h, verdicts.length);
    takeKeys(h, projectId, jobs, ids, verdicts);
    Reach.hideHolders(h, grant, verdicts);
    Optional<String> full = fullQueue(h, projectId, jobs, queues, verdicts);
    List<Integer> open = open(verdicts);
    if (full.isPresent()) {
      open.stream()
          .filter(i -> jobs.get(i).queue().equals(full.get()))
          .forEach(i -> verdicts[i] = new Verdict.Full(full.get()));
    } else if (!open.isEmpty()) {
      List<EnqueueStore.Enqueued> stored =
          store.insert(
              h,
              projectId,
              open.stream().map(jobs::get).toList(),
              open.stream().map(ids::get).toArray(),
              true);
      if (stored.size() < open.size()) {
        throw new IllegalStateException("a queue was deleted between two statements");
      }
      for (int i = 0; i < stored.size(); i++) {
        verdicts[open.get(i)] = new Verdict.Created(stored.get(i));
      }
    }
    // Last: it holds locks on the parents.
    Dependents.connect(h, projectId, jobs, verdicts);
    return Arrays.asList(verdicts);
  }

  private static List<Integer> open(Verdict[] verdicts) {
    return IntStream.range(0, verdicts.length).filter(i -> verdicts[i] == null).boxed().toList();
  }

  private void takeKeys(
      Handle h, int projectId, List<JobRequest> jobs, List<Long> ids, Verdict[] verdicts) {
    List<Integer> keyed =
        open(verdicts).stream().filter(i -> jobs.get(i).unique() != null).toList();
    if (keyed.isEmpty()) {
      return;
    }
    List<Unique> keys =
        keyed.stream().map(i -> Objects.requireNonNull(jobs.get(i).unique())).toList();
    for (AdmissionStore.Key key :
        admission.takeUniqueKeys(h, projectId, keys, keyed.stream().map(ids::get).toList())) {
      int i = keyed.get(key.n());
      if (key.verdict().equals("duplicate")) {
        verdicts[i] = new Verdict.Duplicate(key.holder(), key.state());
      } else if (key.verdict().equals("rejected")) {
        verdicts[i] = new Verdict.Rejected(key.holder(), key.state());
      }
    }
  }

  private Optional<String> fullQueue(
      Handle h,
      int projectId,
      List<JobRequest> jobs,
      Map<String, Boolean> queues,
      Verdict[] verdicts) {
    Map<String, Integer> counts = new TreeMap<>();
    for (int i : open(verdicts)) {
      String queue = jobs.get(i).queue();
      if (Boolean.TRUE.equals(queues.get(queue))) {
        counts.merge(queue, 1, Integer::sum);
      }
    }
    if (counts.isEmpty()) {
      return Optional.empty();
    }
    bounded.bounded(projectId, counts.keySet());
    Optional<String> full = admission.admitJobs(h, projectId, counts);
    // One that has no room for many may have some for one.
    full.filter(queue -> Integer.valueOf(1).equals(counts.get(queue)))
        .ifPresent(queue -> bounded.foundFull(projectId, queue));
    return full;
  }
}
