package io.jobscheduler.api.access;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.jobscheduler.api.paging.Count;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** SQL over API keys. */
@ApplicationScoped
class KeyStore {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final TypeReference<Map<String, Integer>> QUEUES = new TypeReference<>() {};

  private final Jdbi jdbi;

  KeyStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * What a key opens now.
   *
   * @param queues null: all
   * @param noteUse whether its last use was noted long enough ago
   */
  record Standing(
      long id,
      String name,
      int projectId,
      String project,
      List<Scope> scopes,
      boolean payloadVisible,
      @Nullable Map<String, Integer> queues,
      boolean noteUse) {}

  // Asked at every request and kept nowhere, so that a key that was revoked is refused by every
  // replica from that commit on. By the unique index on the hash: how long that takes tells nothing
  // of
  // another key's text, since what is compared is a hash.
  private static final String FIND_KEY =
      """
      SELECT k.id, k.name, k.project_id, p.name AS project, k.scopes, k.payload_visible,
             jobs.reached_queues(k.project_id, k.queues)::text AS queues,
             k.last_used_at IS NULL OR k.last_used_at < clock_timestamp() - interval '1 minute' AS note_use
        FROM jobs.api_keys k
        JOIN jobs.projects p ON p.id = k.project_id AND p.deleted_at IS NULL
       WHERE k.key_hash = decode(:hash, 'hex')
         AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
      """;

  Optional<Standing> findKey(String hash) {
    return jdbi.withHandle(
        h ->
            h.createQuery(FIND_KEY)
                .bind("hash", hash)
                .map(
                    (row, c) ->
                        new Standing(
                            row.getLong("id"),
                            row.getString("name"),
                            row.getInt("project_id"),
                            row.getString("project"),
                            texts(row, "scopes").stream().map(Scope::of).toList(),
                            row.getBoolean("payload_visible"),
                            queues(row.getString("queues")),
                            row.getBoolean("note_use")))
                .findOne());
  }

  // The condition again, under the row's lock: of many at once the first writes, and no key's row
  // gets
  // more than one version a minute however often it is used.
  private static final String NOTE_USE =
      """
      UPDATE jobs.api_keys SET last_used_at = clock_timestamp()
       WHERE id = :id AND (last_used_at IS NULL OR last_used_at < clock_timestamp() - interval '1 minute')
      """;

  void noteUse(long id) {
    jdbi.useHandle(h -> h.createUpdate(NOTE_USE).bind("id", id).execute());
  }

  /** A key as the API shows it. */
  record Row(
      long id,
      String name,
      String hint,
      List<String> scopes,
      @Nullable List<String> queues,
      boolean payloadVisible,
      String createdBy,
      Instant createdAt,
      @Nullable Instant expiresAt,
      @Nullable Instant lastUsedAt) {}

  private static final String INSERT_KEY =
      """
      INSERT INTO jobs.api_keys (project_id, name, hint, key_hash, scopes, queues, payload_visible, created_by, expires_at)
      VALUES (:project, :name, :hint, :hash, :scopes, :queues, :payloadVisible, :by, :expiresAt::timestamptz)
      RETURNING id, name, hint, scopes, queues, payload_visible, created_by, created_at, expires_at, last_used_at
      """;

  Row insertKey(Grant grant, KeyRequest request, String hint, byte[] hash) {
    return jdbi.withHandle(
        h ->
            h.createQuery(INSERT_KEY)
                .bind("project", grant.projectId())
                .bind("name", request.name())
                .bind("hint", hint)
                .bind("hash", hash)
                .bindArray("scopes", String.class, request.scopes().toArray())
                .bindByType(
                    "queues",
                    request.queues() == null ? null : request.queues().toArray(new String[0]),
                    String[].class)
                .bind("payloadVisible", request.payloadVisible())
                .bind("by", grant.actor().label())
                .bind(
                    "expiresAt",
                    request.expiresAt() == null ? null : request.expiresAt().toString())
                .map((row, c) -> rowOf(row))
                .one());
  }

  // Keyset by api_keys_project.
  private static final String LIST_KEYS =
      """
      SELECT k.id, k.name, k.hint, k.scopes, k.queues, k.payload_visible, k.created_by, k.created_at, k.expires_at,
             k.last_used_at
        FROM jobs.api_keys k
       WHERE k.project_id = :project AND k.id > :after
       ORDER BY k.id
       LIMIT :limit
      """;

  List<Row> listKeys(int projectId, long after, int limit) {
    return jdbi.withHandle(
        h ->
            h.createQuery(LIST_KEYS)
                .bind("project", projectId)
                .bind("after", after)
                .bind("limit", limit)
                .map((row, c) -> rowOf(row))
                .list());
  }

  private static final String COUNT_KEYS =
      """
      SELECT count(*) FROM (SELECT 1 FROM jobs.api_keys k WHERE k.project_id = :project LIMIT :most) counted
      """;

  Count countKeys(int projectId) {
    return jdbi.withHandle(
        h ->
            Count.of(
                h.createQuery(COUNT_KEYS)
                    .bind("project", projectId)
                    .bind("most", Count.CAP + 1)
                    .mapTo(Long.class)
                    .one()));
  }

  private static final String DELETE_KEY =
      """
      DELETE FROM jobs.api_keys WHERE id = :id AND project_id = :project
      """;

  boolean deleteKey(int projectId, long id) {
    return jdbi.withHandle(
        h -> h.createUpdate(DELETE_KEY).bind("id", id).bind("project", projectId).execute() > 0);
  }

  private static Row rowOf(ResultSet row) throws SQLException {
    return new Row(
        row.getLong("id"),
        row.getString("name"),
        row.getString("hint"),
        texts(row, "scopes"),
        row.getArray("queues") == null ? null : texts(row, "queues"),
        row.getBoolean("payload_visible"),
        row.getString("created_by"),
        row.getObject("created_at", OffsetDateTime.class).toInstant(),
        instant(row, "expires_at"),
        instant(row, "last_used_at"));
  }

  private static List<String> texts(ResultSet row, String column) throws SQLException {
    return Arrays.asList((String[]) row.getArray(column).getArray());
  }

  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    OffsetDateTime at = row.getObject(column, OffsetDateTime.class);
    return at == null ? null : at.toInstant();
  }

  private static @Nullable Map<String, Integer> queues(@Nullable String json) {
    try {
      return json == null ? null : JSON.readValue(json, QUEUES);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
