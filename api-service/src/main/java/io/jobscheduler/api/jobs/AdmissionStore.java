package io.jobscheduler.api.jobs;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** What stands between a job and its INSERT, inside the transaction of that. Stateless. */
@ApplicationScoped
class AdmissionStore {
  private static final String NEXT_IDS =
      """
      SELECT nextval('jobs.job_id_seq') AS id FROM generate_series(1, :count)
      """;

  List<Long> nextIds(Handle h, int count) {
    return h.createQuery(NEXT_IDS).bind("count", count).mapTo(Long.class).list();
  }

  /**
   * What became of a key.
   *
   * @param n which one, from 0
   * @param verdict taken, duplicate or rejected
   * @param holder the job that holds it
   * @param state the holder's; null when it is one of the same request or its row is gone
   */
  record Key(int n, String verdict, long holder, @Nullable String state) {}

  // Keys one by one in their order, so that two requests never wait in a circle
  // (R__40_enqueue.sql).
  private static final String TAKE_UNIQUE_KEYS =
      """
      SELECT t.n, t.verdict, t.job_id, t.state
        FROM jobs.take_unique_keys(:project, :keys::text[], :untils::text[], :windows::bigint[],
                                   :onConflicts::text[], :ids::bigint[]) t
      """;

  /** Takes the keys of jobs that all ask for one and will be inserted under {@code ids}. */
  List<Key> takeUniqueKeys(Handle h, int projectId, List<Unique> keys, List<Long> ids) {
    return h.createQuery(TAKE_UNIQUE_KEYS)
        .bind("project", projectId)
        .bindArray("keys", String.class, keys.stream().map(Unique::key).toArray())
        .bindArray("untils", String.class, keys.stream().map(k -> k.until().label()).toArray())
        .bindArray("windows", Long.class, keys.stream().map(Unique::windowMillis).toArray())
        .bindArray(
            "onConflicts", String.class, keys.stream().map(k -> k.onConflict().label()).toArray())
        .bindArray("ids", Long.class, ids.toArray())
        .map(
            (row, c) ->
                new Key(
                    row.getInt("n") - 1,
                    row.getString("verdict"),
                    row.getLong("job_id"),
                    row.getString("state")))
        .list();
  }

  // Locks the rows of bounded queues in id order until the end of the transaction.
  private static final String ADMIT_JOBS =
      """
      SELECT jobs.admit_jobs(:project, :queues::text[], :counts::int[]) AS full_queue
      """;

  /** The first queue without room for so many more jobs; empty when there is room in all. */
  Optional<String> admitJobs(Handle h, int projectId, Map<String, Integer> counts) {
    return h.createQuery(ADMIT_JOBS)
        .bind("project", projectId)
        .bindArray("queues", String.class, counts.keySet().toArray())
        .bindArray("counts", Integer.class, counts.values().toArray())
        .map((row, c) -> Optional.ofNullable(row.getString("full_queue")))
        .one();
  }
}
