package io.jobscheduler.api.jobs;

import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.database.Patience;
import io.jobscheduler.api.problem.FieldError;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.problem.Violations;
import io.jobscheduler.api.signal.Signals;
import io.jobscheduler.api.signal.Topic;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Stores jobs and, after the commit, tells who waits for them. */
@ApplicationScoped
class Enqueuer {
  // The leader looks so far ahead by itself; only what is due sooner needs a word.
  private static final Duration LEADER_LOOKS_AHEAD = Duration.ofMinutes(10);

  private final Jdbi jdbi;
  private final EnqueueStore store;
  private final Admission admission;
  private final BoundedQueues bounded;
  private final Signals signals;

  Enqueuer(
      Jdbi jdbi, EnqueueStore store, Admission admission, BoundedQueues bounded, Signals signals) {
    this.jdbi = jdbi;
    this.store = store;
    this.admission = admission;
    this.bounded = bounded;
    this.signals = signals;
  }

  /**
   * Stores all jobs or none, but for those whose unique key another job holds that stands for them.
   * One statement when no job asks for a key or waits for another, no queue is of bounded depth and
   * the caller has no transaction; else the caller's transaction or one of its own.
   *
   * @param single whether the request was one job, not a list: decides the pointers of errors
   * @return {@link Verdict.Created} or {@link Verdict.Duplicate} for each, in order
   * @throws ProblemException 422 naming each unknown queue, 403 naming one that a key is not for,
   *     409 naming each unique key that is held, 429 naming a full queue
   */
  List<Verdict> enqueue(Grant grant, List<JobRequest> jobs, boolean single) {
    requireReach(grant, jobs);
    int project = grant.projectId();
    if (!signals.isHeld()
        && jobs.stream().allMatch(j -> j.unique() == null && j.needs().isEmpty())
        && !bounded.any(project, jobs)) {
      Optional<List<EnqueueStore.Enqueued>> plain = store.enqueueJobs(project, jobs);
      if (plain.isPresent()) {
        tell(grant, plain.get());
        return plain.get().stream().<Verdict>map(Verdict.Created::new).toList();
      }
    }
    requireRoom(project, jobs);
    // Only the locks on parents may have to be waited for.
    List<Verdict> verdicts =
        jobs.stream().allMatch(j -> j.needs().isEmpty())
            ? jdbi.inTransaction(h -> admit(h, grant, jobs, single))
            : Patience.in(jdbi, h -> admit(h, grant, jobs, single));
    told(grant, verdicts);
    return verdicts;
  }

  private List<Verdict> admit(Handle h, Grant grant, List<JobRequest> jobs, boolean single) {
    List<Verdict> all = admission.enqueue(h, grant, jobs);
    refuse(all, single);
    return all;
  }

  /** A unique key is one of the whole project: what it replaces may be in any queue. */
  static void requireReach(Grant grant, List<JobRequest> jobs) {
    grant.requireQueues(jobs.stream().map(JobRequest::queue).collect(Collectors.toSet()));
    if (grant.queues() != null && jobs.stream().anyMatch(Enqueuer::replaces)) {
      throw ProblemException.of(
          ProblemType.FORBIDDEN,
          "This API key is for some queues only, and may not replace what might be in others.");
    }
  }

  /**
   * Requires that the caller reaches the queues of {@code jobs} and what they depend on: of a
   * request whose answer may be another caller's, given again.
   *
   * @throws ProblemException 403, 422
   */
  void requireReach(Grant grant, List<JobRequest> jobs, boolean single) {
    requireReach(grant, jobs);
    if (grant.queues() != null) {
      Verdict[] verdicts = new Verdict[jobs.size()];
      jdbi.useHandle(h -> Dependents.refuseUnknown(h, grant, jobs, verdicts));
      refuse(Arrays.asList(verdicts), single);
    }
  }

  private static boolean replaces(JobRequest job) {
    return job.unique() != null && job.unique().onConflict() == Unique.OnConflict.REPLACE;
  }

  private void requireRoom(int project, List<JobRequest> jobs) {
    bounded
        .full(project, jobs)
        .ifPresent(
            q -> {
              throw full(q);
            });
  }

  private static void refuse(List<Verdict> verdicts, boolean single) {
    Violations unknown = new Violations();
    List<FieldError> held = new ArrayList<>();
    for (int i = 0; i < verdicts.size(); i++) {
      String at = single ? "" : "/" + i;
      if (verdicts.get(i) instanceof Verdict.Full full) {
        throw full(full.queue());
      } else if (verdicts.get(i) instanceof Verdict.UnknownQueue queue) {
        unknown.add(at + "/queue", unknownQueue(queue));
      } else if (verdicts.get(i) instanceof Verdict.UnknownJobs none) {
        none.pointers().forEach(pointer -> unknown.add(pointer, Need.UNKNOWN));
      } else if (verdicts.get(i) instanceof Verdict.Rejected rejected) {
        held.add(new FieldError(at + "/unique", held(rejected)));
      }
    }
    unknown.throwIfAny();
    if (!held.isEmpty()) {
      throw ProblemException.in(ProblemType.CONFLICT, held.get(0).detail(), held);
    }
  }

  static String unknownQueue(Verdict.UnknownQueue queue) {
    return "The project has no queue \"" + queue.queue() + "\".";
  }

  static String held(Verdict.Rejected rejected) {
    return rejected.state() == null
        ? "Another job holds this unique key."
        : "The job "
            + rejected.holder()
            + " holds this unique key; it is "
            + rejected.state()
            + ".";
  }

  static ProblemException full(String queue) {
    return ProblemException.retryAfter(
        ProblemType.QUEUE_FULL,
        "The queue \"" + queue + "\" has as many jobs waiting as it may.",
        Duration.ofSeconds(BoundedQueues.FULL_SECONDS));
  }

  /** Remembers what a transaction has learnt, and tells of what it has stored. */
  void told(Grant grant, List<Verdict> verdicts) {
    tell(
        grant,
        verdicts.stream()
            .filter(Verdict.Created.class::isInstance)
            .map(v -> ((Verdict.Created) v).job())
            .toList());
  }

  private void tell(Grant grant, List<EnqueueStore.Enqueued> stored) {
    if (stored.isEmpty()) {
      return;
    }
    Map<List<Integer>, EnqueueStore.Enqueued> first = new HashMap<>();
    Instant due = Instant.MAX;
    for (EnqueueStore.Enqueued job : stored) {
      if (job.state().equals("ready")) {
        // The smallest place of each lane; ids grow, so among equal keys the first one is it.
        first.merge(
            List.of(job.queueId(), job.lane()),
            job,
            (a, b) -> a.dispatchKey() <= b.dispatchKey() ? a : b);
      } else if (job.runAt() != null) {
        due = job.runAt().isBefore(due) ? job.runAt() : due;
      }
    }
    first.values().forEach(j -> signals.ready(j.queueId(), j.lane(), j.dispatchKey(), j.id()));
    if (due.isBefore(Instant.now().plus(LEADER_LOOKS_AHEAD))) {
      signals.due(due);
    }
    signals.changed(grant.project(), Topic.JOBS);
  }
}
