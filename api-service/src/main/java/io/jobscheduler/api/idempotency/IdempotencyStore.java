package io.jobscheduler.api.idempotency;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** SQL of the records, inside the transaction of what they record. Stateless. */
@ApplicationScoped
class IdempotencyStore {
  // Class 7 is AdvisoryLocks.IDEMPOTENCY. Never waited for: whoever holds it is answering the same
  // request. Another key with the same hash is told to come again too, which does no harm.
  private static final String TRY_LOCK =
      """
      SELECT pg_try_advisory_xact_lock(7, hashtext(concat_ws(' ', :project::int, :user::bigint, :key::text)))
      """;

  boolean tryLock(Handle h, Scope scope, String key) {
    return h.createQuery(TRY_LOCK)
        .bind("project", scope.projectId())
        .bind("user", scope.userId())
        .bind("key", key)
        .mapTo(Boolean.class)
        .one();
  }

  // In a statement after the lock: it sees what the last holder has committed.
  private static final String FIND_ANSWER =
      """
      SELECT i.request_hash, i.status, i.location, i.answer
        FROM jobs.idempotency_keys i
       WHERE i.project_id = :project AND i.user_id = :user AND i.key = :key AND i.expires_at > clock_timestamp()
      """;

  Optional<StoredAnswer> findAnswer(Handle h, Scope scope, String key) {
    return h.createQuery(FIND_ANSWER)
        .bind("project", scope.projectId())
        .bind("user", scope.userId())
        .bind("key", key)
        .map(
            (row, c) ->
                new StoredAnswer(
                    row.getBytes("request_hash"),
                    row.getInt("status"),
                    row.getString("location"),
                    row.getString("answer")))
        .findOne();
  }

  // One that has had its time makes room; the leader deletes the others.
  private static final String DELETE_EXPIRED =
      """
      DELETE FROM jobs.idempotency_keys
       WHERE project_id = :project AND user_id = :user AND key = :key AND expires_at <= clock_timestamp()
      """;

  private static final String INSERT_ANSWER =
      """
      INSERT INTO jobs.idempotency_keys (project_id, user_id, key, expires_at, request_hash, status, location, answer)
      VALUES (:project, :user, :key, clock_timestamp() + interval '24 hours', :hash, :status, :location, :answer)
      ON CONFLICT (project_id, user_id, key) DO NOTHING
      """;

  /** Whether it was written; not when the key is there meanwhile. */
  boolean insertAnswer(Handle h, Scope scope, String key, StoredAnswer answer) {
    if (insert(h, scope, key, answer)) {
      return true;
    }
    int expired =
        h.createUpdate(DELETE_EXPIRED)
            .bind("project", scope.projectId())
            .bind("user", scope.userId())
            .bind("key", key)
            .execute();
    return expired > 0 && insert(h, scope, key, answer);
  }

  private static boolean insert(Handle h, Scope scope, String key, StoredAnswer answer) {
    return h.createUpdate(INSERT_ANSWER)
            .bind("project", scope.projectId())
            .bind("user", scope.userId())
            .bind("key", key)
            .bind("hash", answer.requestHash())
            .bind("status", answer.status())
            .bind("location", answer.location())
            .bind("answer", answer.body())
            .execute()
        > 0;
  }
}
