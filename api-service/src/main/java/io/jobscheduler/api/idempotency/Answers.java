package io.jobscheduler.api.idempotency;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/** Records of many answers at once, inside the caller's transaction. Stateless. */
@ApplicationScoped
public class Answers {
  private static final String FIND_ANSWERS =
      """
      SELECT i.key, i.request_hash, i.status, i.location, i.answer
        FROM jobs.idempotency_keys i
       WHERE i.project_id = :project AND i.user_id = :user AND i.key = ANY (:keys::text[])
         AND i.expires_at > clock_timestamp()
      """;

  /** What was answered under those of {@code keys} that were used, by key. */
  public Map<String, StoredAnswer> find(Handle h, Scope scope, Collection<String> keys) {
    if (keys.isEmpty()) {
      return Map.of();
    }
    return h.createQuery(FIND_ANSWERS)
        .bind("project", scope.projectId())
        .bind("user", scope.userId())
        .bindArray("keys", String.class, keys.toArray())
        .map(
            (row, c) ->
                Map.entry(
                    row.getString("key"),
                    new StoredAnswer(
                        row.getBytes("request_hash"),
                        row.getInt("status"),
                        row.getString("location"),
                        row.getString("answer"))))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private static final String DELETE_EXPIRED_OF =
      """
      DELETE FROM jobs.idempotency_keys
       WHERE project_id = :project AND user_id = :user AND key = ANY (:keys::text[])
         AND expires_at <= clock_timestamp()
      """;

  // In the order given. A key that is there meanwhile inserts nothing; the caller counts.
  private static final String INSERT_ANSWERS =
      """
      INSERT INTO jobs.idempotency_keys (project_id, user_id, key, expires_at, request_hash, status, answer)
      SELECT :project, :user, u.key, clock_timestamp() + interval '24 hours', decode(u.hash, 'hex'), u.status, u.answer
        FROM unnest(:keys::text[], :hashes::text[], :statuses::int[], :answers::text[])
               WITH ORDINALITY AS u (key, hash, status, answer, n)
       ORDER BY u.n
      ON CONFLICT (project_id, user_id, key) DO NOTHING
      """;

  /** Records answers in key order; false when one of the keys was used meanwhile. */
  public boolean insert(Handle h, Scope scope, SortedMap<String, StoredAnswer> answers) {
    if (answers.isEmpty()) {
      return true;
    }
    Object[] keys = answers.keySet().toArray();
    h.createUpdate(DELETE_EXPIRED_OF)
        .bind("project", scope.projectId())
        .bind("user", scope.userId())
        .bindArray("keys", String.class, keys)
        .execute();
    Collection<StoredAnswer> values = answers.values();
    return h.createUpdate(INSERT_ANSWERS)
            .bind("project", scope.projectId())
            .bind("user", scope.userId())
            .bindArray("keys", String.class, keys)
            .bindArray(
                "hashes",
                String.class,
                values.stream().map(a -> HexFormat.of().formatHex(a.requestHash())).toArray())
            .bindArray(
                "statuses", Integer.class, values.stream().map(StoredAnswer::status).toArray())
            .bindArray("answers", String.class, values.stream().map(StoredAnswer::body).toArray())
            .execute()
        == answers.size();
  }
}
