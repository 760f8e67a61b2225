package io.jobscheduler.api.jobs;

import io.jobscheduler.api.access.Grant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** Which jobs a caller may know of: a key of some queues learns nothing of jobs in others. */
final class Reach {
  private static final Object[] NONE = {};

  private Reach() {}

  private static final String KNOWN_JOBS =
      """
      SELECT j.id FROM jobs.all_jobs j
       WHERE j.id = ANY (:ids) AND j.project_id = :project AND (:everywhere OR j.queue_id = ANY (:queues::int[]))
      """;

  /** Those of {@code ids} that are jobs of the project, in queues that the caller reaches. */
  static Set<Long> known(Handle h, Grant grant, Collection<Long> ids) {
    if (ids.isEmpty()) {
      return Set.of();
    }
    Collection<Integer> queues = grant.queueIds();
    return new HashSet<>(
        h.createQuery(KNOWN_JOBS)
            .bindArray("ids", Long.class, ids.toArray())
            .bind("project", grant.projectId())
            .bind("everywhere", queues == null)
            .bindArray("queues", Integer.class, queues == null ? NONE : queues.toArray())
            .mapTo(Long.class)
            .list());
  }

  /** Says no more of holders that the caller does not reach than that there are some. */
  static void hideHolders(Handle h, Grant grant, Verdict[] verdicts) {
    if (grant.queues() == null) {
      return;
    }
    Set<Long> holders = new HashSet<>();
    for (Verdict verdict : verdicts) {
      if (verdict instanceof Verdict.Rejected rejected) {
        holders.add(rejected.holder());
      }
    }
    Set<Long> known = known(h, grant, holders);
    for (int i = 0; i < verdicts.length; i++) {
      if (verdicts[i] instanceof Verdict.Rejected rejected && !known.contains(rejected.holder())) {
        verdicts[i] = new Verdict.Rejected(rejected.holder(), null);
      }
    }
  }

  /** The same of answers to lines. */
  static List<LineAnswer> hideHolders(Handle h, Grant grant, List<LineAnswer> answers) {
    if (grant.queues() == null) {
      return answers;
    }
    Set<Long> known =
        known(
            h,
            grant,
            answers.stream()
                .filter(a -> a.duplicate() != null)
                .map(LineAnswer::id)
                .filter(Objects::nonNull)
                .map(Long::valueOf)
                .toList());
    return answers.stream()
        .map(
            a ->
                a.duplicate() == null || a.id() == null || known.contains(Long.valueOf(a.id()))
                    ? a
                    : a.withoutHolder())
        .toList();
  }
}
