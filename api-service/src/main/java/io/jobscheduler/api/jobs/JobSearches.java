package io.jobscheduler.api.jobs;

import io.jobscheduler.api.jobs.JobLists.Found;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Finds jobs by what only their rows tell: through the index of a path that their queue declares,
 * as far back as that goes, and by a bounded look into the newest rows below.
 */
@ApplicationScoped
class JobSearches {
  private final JobListStore lists;
  private final MemberListStore members;
  private final JobSearchStore rows;
  private final JobTermStore terms;

  JobSearches(
      JobListStore lists, MemberListStore members, JobSearchStore rows, JobTermStore terms) {
    this.lists = lists;
    this.members = members;
    this.rows = rows;
    this.terms = terms;
  }

  record Both(Found live, Found ended) {}

  /** At most {@code limit} of each kind, in the snapshot of the handle's transaction. */
  Both find(Handle h, Scope scope, JobFilter filter, long before, int limit) {
    Integer schedule = null;
    if (filter.schedule() != null) {
      schedule = members.findScheduleId(h, scope, filter.schedule()).orElse(null);
      if (schedule == null) {
        return new Both(Found.NOTHING, Found.NOTHING);
      }
    }
    Found hits = Found.NOTHING;
    long scanBefore = before;
    JobTermStore.Declared declared = declared(h, scope, filter).orElse(null);
    if (declared != null) {
      if (before > declared.since()) {
        List<String> states = new ArrayList<>(filter.liveStates());
        states.addAll(filter.terminalStates());
        List<Long> ids =
            terms.termMatches(h, scope, sought(filter, states, schedule, before, limit), declared);
        hits =
            new Found(
                ids, 0, ids.size() < limit ? terms.termBeyond(h, scope, before, declared) : 0);
        if (ids.size() == limit || hits.beyond() > 0) {
          return new Both(hits, Found.NOTHING);
        }
      }
      // Older ones may have no terms.
      scanBefore = Math.min(before, declared.since());
    }
    List<Long> live = new ArrayList<>(hits.ids());
    long liveBeyond = 0;
    List<String> states = filter.liveStates();
    // Only dead jobs have a fingerprint.
    if (!states.isEmpty() && filter.error() == null) {
      List<Long> ids =
          rows.liveMatches(h, scope, sought(filter, states, schedule, scanBefore, limit));
      live.addAll(ids);
      liveBeyond = ids.size() < limit ? lists.liveBeyond(h, scope, scanBefore) : 0;
    }
    return new Both(
        new Found(live, 0, liveBeyond), ended(h, scope, filter, schedule, scanBefore, limit));
  }

  /** Only when one queue is asked for: others may not declare the path. */
  private Optional<JobTermStore.Declared> declared(Handle h, Scope scope, JobFilter filter) {
    if (filter.queue() == null || filter.search().payload().isEmpty() || scope.queueIds() == null) {
      return Optional.empty();
    }
    return terms.findDeclared(h, scope.queueIds().get(0), filter.search());
  }

  private Found ended(
      Handle h, Scope scope, JobFilter filter, @Nullable Integer schedule, long before, int limit) {
    List<String> states = filter.terminalStates();
    if (states.isEmpty()) {
      return Found.NOTHING;
    }
    List<JobListStore.Ended> found =
        rows.endedMatches(h, scope, sought(filter, states, schedule, before, limit));
    List<String> notFull = notFull(states, found, limit);
    return new Found(
        found.stream().map(JobListStore.Ended::id).toList(),
        0,
        notFull.isEmpty() ? 0 : lists.endedBeyond(h, scope, notFull, before));
  }

  private static JobSearchStore.Sought sought(
      JobFilter filter, List<String> states, @Nullable Integer schedule, long before, int limit) {
    return new JobSearchStore.Sought(
        filter.search(), states, filter.workflow(), schedule, filter.error(), before, limit);
  }

  /** The states of which all rows that were looked at and fit are there. */
  static List<String> notFull(List<String> states, List<JobListStore.Ended> rows, int limit) {
    Map<String, Long> found =
        rows.stream()
            .collect(Collectors.groupingBy(JobListStore.Ended::state, Collectors.counting()));
    return states.stream().filter(s -> found.getOrDefault(s, 0L) < limit).toList();
  }
}
