package io.jobscheduler.api.trail;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.enterprise.context.ApplicationScoped;
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
    try {
      transaction
          .createQuery(SAY_WHO)
          .bind("by", json.writeValueAsString(by))
          .mapTo(String.class)
          .one();
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  // Writes nothing when a trigger has written in this transaction.
  private static final String NOTE_ACTION = "SELECT jobs.audit_action(:project, :kind, :object)";

  void noteAction(Handle transaction, int projectId, String kind, String object) {
    transaction
        .createQuery(NOTE_ACTION)
        .bind("project", projectId)
        .bind("kind", kind)
        .bind("object", object)
        .map((row, c) -> true)
        .one();
  }
}
