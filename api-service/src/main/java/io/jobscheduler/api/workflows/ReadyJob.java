package io.jobscheduler.api.workflows;

import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.signal.Signals;
import io.jobscheduler.api.signal.Topic;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A member that became ready, and its place in its queue. */
record ReadyJob(long id, int queueId, int lane, long dispatchKey) {
  private static final Comparator<ReadyJob> ORDER =
      Comparator.comparingLong(ReadyJob::dispatchKey).thenComparingLong(ReadyJob::id);

  /** Tells, after the commit, who waits for these jobs, and that the workflow has changed. */
  static void tell(Signals signals, Grant grant, Collection<ReadyJob> ready) {
    Map<List<Integer>, ReadyJob> first = new HashMap<>();
    for (ReadyJob job : ready) {
      first.merge(
          List.of(job.queueId(), job.lane()), job, (a, b) -> ORDER.compare(a, b) <= 0 ? a : b);
    }
    first.values().forEach(j -> signals.ready(j.queueId(), j.lane(), j.dispatchKey(), j.id()));
    signals.changed(grant.project(), Topic.JOBS);
    signals.changed(grant.project(), Topic.QUEUES);
    signals.changed(grant.project(), Topic.WORKFLOWS);
  }
}
