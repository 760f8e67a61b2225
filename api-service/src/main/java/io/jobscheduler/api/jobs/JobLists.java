package io.jobscheduler.api.jobs;

import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.database.IndexReads;
import io.jobscheduler.api.paging.Count;
import io.jobscheduler.api.paging.Cursor;
import io.jobscheduler.api.problem.SqlFailures;
import io.jobscheduler.schema.state.JobState;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * Lists jobs of both tables as one, newest id first.
 *
 * <p>A page is of one snapshot, so a job that moves between the tables meanwhile is met once. Where
 * no index serves a filter only the newest {@value JobListStore#SCANNED} rows of a kind are looked
 * at; the page then says {@code partial} and its cursor goes on from there. A search whose rows are
 * too large for its time looks at fewer.
 */
@ApplicationScoped
class JobLists {
  private static final long LIVE_STATES =
      Arrays.stream(JobState.values()).filter(s -> !s.isTerminal()).count();

  /** Of one statement of a search; a page has two that may take it. */
  private static final Duration SEARCH_TIME = Duration.ofSeconds(3);

  private static final String OUT_OF_TIME = "57014";
  private static final int NARROWER = 10;

  private final Jdbi jdbi;
  private final JobListStore store;
  private final MemberListStore members;
  private final JobSearches searches;
  private final JobStore jobs;
  private final EnqueueStore queues;

  JobLists(
      Jdbi jdbi,
      JobListStore store,
      MemberListStore members,
      JobSearches searches,
      JobStore jobs,
      EnqueueStore queues) {
    this.jdbi = jdbi;
    this.store = store;
    this.members = members;
    this.searches = searches;
    this.jobs = jobs;
    this.queues = queues;
  }

  /** A page of jobs; {@code partial}: older rows were not looked at. */
  public record JobPage(
      List<JobSummary> items, @Nullable String nextCursor, Count count, boolean partial) {}

  /** Ids, how many fit (capped), and the first id that was not looked at; 0: all were. */
  record Found(Collection<Long> ids, long count, long beyond) {
    static final Found NOTHING = new Found(List.of(), 0, 0);
  }

  JobPage list(int projectId, JobFilter filter, long before, int limit) {
    return list(projectId, filter, before, limit, JobListStore.SCANNED);
  }

  JobPage list(int projectId, JobFilter filter, long before, int limit, int scanned) {
    return list(projectId, filter, before, limit, scanned, SEARCH_TIME);
  }

  JobPage list(
      int projectId, JobFilter filter, long before, int limit, int scanned, Duration time) {
    return inTime(
        filter,
        limit,
        scanned,
        time,
        (h, rows) -> list(h, projectId, null, filter, before, limit, rows));
  }

  /** Only of the queues that the grant reaches. */
  JobPage list(Grant grant, JobFilter filter, long before, int limit) {
    JobPage page =
        inTime(
            filter,
            limit,
            JobListStore.SCANNED,
            SEARCH_TIME,
            (h, rows) -> list(h, grant.projectId(), grant.queueIds(), filter, before, limit, rows));
    return grant.queueIds() == null
        ? page
        : new JobPage(
            page.items().stream().map(JobSummary::withoutParents).toList(),
            page.nextCursor(),
            page.count(),
            page.partial());
  }

  /** Reads a page within a bound of rows. */
  private interface Read {
    JobPage within(Handle h, int scanned);
  }

  /** Rows are bounded by number, their payloads by the time that it takes to look into them. */
  private JobPage inTime(JobFilter filter, int limit, int scanned, Duration time, Read read) {
    if (filter.search().isEmpty()) {
      return IndexReads.ofOneSnapshot(jdbi, h -> read.within(h, scanned));
    }
    for (int rows = scanned; ; rows /= NARROWER) {
      int bound = rows;
      try {
        return IndexReads.ofOneSnapshotWithin(jdbi, time, h -> read.within(h, bound));
      } catch (JdbiException e) {
        if (bound <= limit || !OUT_OF_TIME.equals(SqlFailures.stateOf(e))) {
          throw e;
        }
      }
    }
  }

  private JobPage list(
      Handle h,
      int projectId,
      @Nullable Collection<Integer> reached,
      JobFilter filter,
      long before,
      int limit,
      int scanned) {
    List<Integer> queueIds = reached == null ? null : List.copyOf(reached);
    if (filter.queue() != null) {
      Integer queueId = queues.findQueueId(h, projectId, filter.queue()).orElse(null);
      if (queueId == null || (reached != null && !reached.contains(queueId))) {
        return new JobPage(List.of(), null, new Count(0, false), false);
      }
      queueIds = List.of(queueId);
    }
    // A scan shorter than its page would pass for one that has come to the end.
    Scope scope = new Scope(projectId, queueIds, filter.type(), Math.max(scanned, limit + 1));
    Found live;
    Found ended = Found.NOTHING;
    if (!filter.search().isEmpty()) {
      return found(h, scope, filter, before, limit);
    }
    if (filter.error() != null) {
      live = dead(h, scope, filter, before, limit + 1);
    } else if (filter.schedule() != null) {
      live = scheduled(h, scope, filter, before, limit + 1);
    } else if (filter.workflow() != null) {
      List<String> states = new ArrayList<>(filter.liveStates());
      states.addAll(filter.terminalStates());
      JobListStore.Slice slice =
          members.workflowIds(h, scope, filter.workflow(), states, before, limit + 1);
      live = new Found(slice.ids(), slice.fitting(), 0);
    } else {
      live = live(h, scope, filter, before, limit + 1);
      ended = ended(h, scope, filter.terminalStates(), before, limit + 1);
    }
    return page(h, projectId, limit, live, ended);
  }

  private JobPage page(Handle h, int projectId, int limit, Found live, Found ended) {
    long beyond = Math.max(live.beyond(), ended.beyond());
    TreeSet<Long> ids = new TreeSet<>(Comparator.reverseOrder());
    ids.addAll(live.ids());
    ids.addAll(ended.ids());
    // Below the bound of one kind the others would show rows out of turn.
    ids.removeIf(id -> id <= beyond);
    boolean more = ids.size() > limit;
    List<Long> page = ids.stream().limit(limit).toList();
    String next = null;
    if (more) {
      next = Cursor.after(Long.toString(page.get(limit - 1)));
    } else if (beyond > 0) {
      next = Cursor.after(Long.toString(beyond + 1));
    }
    List<JobSummary> items = page.isEmpty() ? List.of() : jobs.listSummaries(h, projectId, page);
    return new JobPage(items, next, Count.of(live.count() + ended.count()), !more && beyond > 0);
  }

  /**
   * Looks into the rows. How many there are is not counted: the count is of this page, and says
   * whether it is all.
   */
  private JobPage found(Handle h, Scope scope, JobFilter filter, long before, int limit) {
    JobSearches.Both both = searches.find(h, scope, filter, before, limit + 1);
    JobPage page = page(h, scope.projectId(), limit, both.live(), both.ended());
    boolean all = page.nextCursor() == null && before == Long.MAX_VALUE;
    return new JobPage(
        page.items(), page.nextCursor(), new Count(page.items().size(), !all), page.partial());
  }

  /** Only dead jobs have a fingerprint. */
  private Found dead(Handle h, Scope scope, JobFilter filter, long before, int limit) {
    String error = String.valueOf(filter.error());
    Integer schedule = null;
    if (filter.schedule() != null) {
      schedule = members.findScheduleId(h, scope, filter.schedule()).orElse(null);
    }
    if (!filter.states().contains(JobState.DEAD)
        || (schedule == null && filter.schedule() != null)) {
      return Found.NOTHING;
    }
    MemberListStore.Members of = new MemberListStore.Members(filter.workflow(), schedule);
    List<Long> ids = members.deadIds(h, scope, of, error, before, limit);
    boolean filtered = scope.looksInside() || !of.any();
    long beyond = filtered && ids.size() < limit ? members.deadBeyond(h, scope, error, before) : 0;
    long count =
        isAll(before, ids.size(), limit) ? ids.size() : members.countDead(h, scope, of, error);
    return new Found(ids, count, beyond);
  }

  private Found scheduled(Handle h, Scope scope, JobFilter filter, long before, int limit) {
    Integer schedule =
        members.findScheduleId(h, scope, String.valueOf(filter.schedule())).orElse(null);
    if (schedule == null) {
      return Found.NOTHING;
    }
    List<String> states = filter.states().stream().map(JobState::label).toList();
    List<Long> ids =
        members.scheduleIds(h, scope, schedule, filter.workflow(), states, before, limit);
    boolean filtered =
        scope.looksInside()
            || filter.workflow() != null
            || states.size() < JobState.values().length;
    long beyond =
        filtered && ids.size() < limit ? members.scheduleBeyond(h, scope, schedule, before) : 0;
    long count =
        isAll(before, ids.size(), limit)
            ? ids.size()
            : members.countSchedule(h, scope, schedule, filter.workflow(), states);
    return new Found(ids, count, beyond);
  }

  private Found live(Handle h, Scope scope, JobFilter filter, long before, int limit) {
    List<String> states = filter.liveStates();
    if (states.isEmpty()) {
      return Found.NOTHING;
    }
    if (!filter.states().contains(JobState.READY)) {
      JobListStore.Slice slice = store.rareIds(h, scope, states, before, limit);
      if (slice.found() <= Count.CAP) {
        return new Found(slice.ids(), slice.fitting(), 0);
      }
    }
    List<Long> ids = store.liveIds(h, scope, states, before, limit);
    boolean filtered = scope.looksInside() || states.size() < LIVE_STATES;
    long beyond = filtered && ids.size() < limit ? store.liveBeyond(h, scope, before) : 0;
    long count = isAll(before, ids.size(), limit) ? ids.size() : store.countLive(h, scope, states);
    return new Found(ids, count, beyond);
  }

  private Found ended(Handle h, Scope scope, List<String> states, long before, int limit) {
    if (states.isEmpty()) {
      return Found.NOTHING;
    }
    List<JobListStore.Ended> rows = store.endedIds(h, scope, states, before, limit);
    List<String> notFull = JobSearches.notFull(states, rows, limit);
    long beyond =
        scope.looksInside() && !notFull.isEmpty()
            ? store.endedBeyond(h, scope, notFull, before)
            : 0;
    long count =
        notFull.size() == states.size() && isAll(before, 0, limit)
            ? rows.size()
            : store.countEnded(h, scope, states);
    return new Found(rows.stream().map(JobListStore.Ended::id).toList(), count, beyond);
  }

  /**
   * Whether a first page that was not filled has shown all there is, so that it need not be
   * counted.
   */
  private static boolean isAll(long before, int rows, int limit) {
    return before == Long.MAX_VALUE && rows < limit;
  }
}
