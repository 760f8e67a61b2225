package io.jobscheduler.api.trail;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** SQL that writes the audit log, inside the transaction of the change. */
@ApplicationScoped
class TrailStore {
  private final ObjectMapper json;

  TrailStore(ObjectMapper json) {
    this.json = json;
  }

  /** Who changes something, as the setting {@code jobs.audit} tells the triggers. */
  record By(
      String kind,
      String id,
      String name,
      String action,
      @Nullable String address,
      @Nullable String request) {}

  // Local to the transaction, so it works through a transaction pooler and ends with it.
  private static final String SAY_WHO = "SELECT set_config('jobs.audit', :by, true)";

  void say(Handle transaction, By by) {
    transaction.createQuery(SAY_WHO).bind("by", text(by)).mapTo(String.class).one();
  }

  /** What a field was and is; null: absent. */
  record Change(@Nullable Object before, @Nullable Object after) {}

  private String text(Object value) {
    try {
      return json.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  // Writes nothing when a trigger has written in this transaction.
  private static final String NOTE_ACTION =
      "SELECT jobs.audit_action(:project, :kind, :object, :changes::jsonb)";

  void noteAction(
      Handle transaction, int projectId, String kind, String object, Map<String, Change> changes) {
    transaction
        .createQuery(NOTE_ACTION)
        .bind("project", projectId)
        .bind("kind", kind)
        .bind("object", object)
        .bind("changes", changes.isEmpty() ? null : text(changes))
        .map((row, c) -> true)
        .one();
  }
}
