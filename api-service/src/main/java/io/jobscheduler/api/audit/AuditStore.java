package io.jobscheduler.api.audit;

import io.jobscheduler.api.paging.Count;
import io.jobscheduler.api.paging.Cursor;
import io.jobscheduler.api.paging.Limit;
import io.jobscheduler.api.paging.Page;
import io.jobscheduler.api.problem.Violations;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** SQL that reads the audit log. */
@ApplicationScoped
class AuditStore {
  private final Jdbi jdbi;

  AuditStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** One page, newest first. */
  Page<AuditEntry> page(
      int projectId, AuditFilter filter, @Nullable String limitText, @Nullable String cursor) {
    int limit = Limit.of(limitText);
    return Page.of(
        listEntries(projectId, filter, Cursor.number(cursor, Long.MAX_VALUE), limit + 1),
        limit,
        AuditEntry::id,
        countEntries(projectId, filter));
  }

  // Each filter has an index that ends in the id; a plan for the given ones takes the right one,
  // which a plan for all combinations cannot.
  private static final String PLAN_FOR_THE_VALUES =
      "SELECT set_config('plan_cache_mode', 'force_custom_plan', true)";

  private static final String LIST_ENTRIES =
      """
      SELECT a.id, a.at, a.actor_kind, a.actor_id, a.actor, a.action, a.object_kind, a.object_id,
             a.changes::text AS changes, a.address, a.request_id
        FROM jobs.audit_log a
       WHERE a.project_id = :project AND a.id < :before
         AND (:actor::text IS NULL OR a.actor = :actor)
         AND (:action::text IS NULL OR a.action = :action)
         AND (:kind::text IS NULL OR a.object_kind = :kind)
         AND (:object::text IS NULL OR a.object_id = :object)
         AND (:from::timestamptz IS NULL OR a.at >= :from)
         AND (:to::timestamptz IS NULL OR a.at < :to)
       ORDER BY a.id DESC
       LIMIT :limit
      """;

  private List<AuditEntry> listEntries(int projectId, AuditFilter filter, long before, int limit) {
    return jdbi.inTransaction(
        h -> {
          planForTheValues(h);
          return filter
              .bindTo(h.createQuery(LIST_ENTRIES))
              .bind("project", projectId)
              .bind("before", before)
              .bind("limit", limit)
              .map((row, c) -> entryOf(row))
              .list();
        });
  }

  private static final String COUNT_ENTRIES =
      """
      SELECT count(*) FROM (
        SELECT 1
          FROM jobs.audit_log a
         WHERE a.project_id = :project
           AND (:actor::text IS NULL OR a.actor = :actor)
           AND (:action::text IS NULL OR a.action = :action)
           AND (:kind::text IS NULL OR a.object_kind = :kind)
           AND (:object::text IS NULL OR a.object_id = :object)
           AND (:from::timestamptz IS NULL OR a.at >= :from)
           AND (:to::timestamptz IS NULL OR a.at < :to)
         LIMIT :most) counted
      """;

  private Count countEntries(int projectId, AuditFilter filter) {
    return jdbi.inTransaction(
        h -> {
          planForTheValues(h);
          return Count.of(
              filter
                  .bindTo(h.createQuery(COUNT_ENTRIES))
                  .bind("project", projectId)
                  .bind("most", Count.CAP + 1)
                  .mapTo(Long.class)
                  .one());
        });
  }

  private static void planForTheValues(Handle h) {
    h.createQuery(PLAN_FOR_THE_VALUES).mapTo(String.class).one();
  }

  private static final int MOST_CHECKED = 100_000;

  // One hash for each link of the part, in one snapshot (R__42_audit.sql).
  private static final String VERIFY_CHAIN =
      """
      SELECT v.sealed, v.head, v.sealed_at, v.checked, v.checked_head, v.more, v.broken_id, v.broken_why,
             v.unsealed, v.unsealed_since
        FROM jobs.verify_audit(:project, :after, :limit) v
      """;

  /**
   * Checks a part of a chain.
   *
   * @param after how many links lie before it; null: none
   * @param limit how many links it has at most, 1 to 100,000; null: so many
   * @throws io.jobscheduler.api.problem.ProblemException 422
   */
  Verdict verifyChain(int projectId, @Nullable String after, @Nullable String limit) {
    Violations violations = new Violations();
    long first = number(violations, "after", after, 0, Long.MAX_VALUE - MOST_CHECKED, 0);
    long most = number(violations, "limit", limit, 1, MOST_CHECKED, MOST_CHECKED);
    violations.throwIfAny();
    return jdbi.withHandle(
        h ->
            h.createQuery(VERIFY_CHAIN)
                .bind("project", projectId)
                .bind("after", first)
                .bind("limit", (int) most)
                .map((row, c) -> verdictOf(row, first))
                .one());
  }

  private static long number(
      Violations violations,
      String name,
      @Nullable String text,
      long least,
      long most,
      long otherwise) {
    if (text == null) {
      return otherwise;
    }
    try {
      long number = Long.parseLong(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Falls through to the one answer.
    }
    violations.add("?" + name, "Expected a whole number from " + least + " to " + most + ".");
    return otherwise;
  }

  private static Verdict verdictOf(ResultSet row, long after) throws SQLException {
    String broken = row.getString("broken_id");
    return new Verdict(
        broken == null,
        new Verdict.Sealed(
            row.getLong("sealed"), row.getString("head"), instantOf(row, "sealed_at")),
        new Verdict.Checked(after, row.getLong("checked"), row.getString("checked_head")),
        row.getBoolean("more") ? Long.valueOf(after + row.getLong("checked")) : null,
        broken == null ? null : new Verdict.Broken(broken, row.getString("broken_why")),
        new Verdict.Tail(row.getLong("unsealed"), instantOf(row, "unsealed_since")));
  }

  private static AuditEntry entryOf(ResultSet row) throws SQLException {
    return new AuditEntry(
        row.getString("id"),
        row.getObject("at", OffsetDateTime.class).toInstant(),
        new AuditEntry.ActorRef(
            row.getString("actor_kind"), row.getString("actor_id"), row.getString("actor")),
        row.getString("action"),
        new AuditEntry.ObjectRef(row.getString("object_kind"), row.getString("object_id")),
        row.getString("changes"),
        row.getString("address"),
        row.getString("request_id"));
  }

  private static @Nullable Instant instantOf(ResultSet row, String column) throws SQLException {
    OffsetDateTime at = row.getObject(column, OffsetDateTime.class);
    return at == null ? null : at.toInstant();
  }
}
