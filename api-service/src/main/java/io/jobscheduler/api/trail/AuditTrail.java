package io.jobscheduler.api.trail;

import io.jobscheduler.api.http.RequestIds;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.RequestScoped;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Who acts in this request, and the transaction that is to be recorded, if it is one. */
@RequestScoped
public class AuditTrail {
  private final TrailStore store;
  private final CurrentVertxRequest request;
  private @Nullable Handle handle;
  private String action = "";
  private boolean known;
  private int projectId;

  AuditTrail(TrailStore store, CurrentVertxRequest request) {
    this.store = store;
    this.request = request;
  }

  /** Begins to record, inside the transaction of {@code transaction}. */
  void begin(Handle transaction, String operation) {
    this.handle = transaction;
    this.action = operation;
  }

  /**
   * Notes who acts; told by whoever has authorised the caller, before anything is changed.
   *
   * @param kind user or api_key
   * @param id of the user or the key
   * @param name address of the user, or name of the key
   * @param address from which the request came
   * @param project the project in which
   */
  public void by(String kind, long id, String name, @Nullable String address, int project) {
    known = false;
    projectId = project;
    by(kind, id, name, address);
  }

  /** The same, where no project is known yet and may never be. */
  public void by(String kind, long id, String name, @Nullable String address) {
    Handle transaction = handle;
    if (transaction == null || known) {
      return;
    }
    known = true;
    RoutingContext current = request.getCurrent();
    store.say(
        transaction,
        new TrailStore.By(
            kind,
            Long.toString(id),
            name,
            action,
            address,
            current == null ? null : RequestIds.of(current)));
  }

  /**
   * Ends the record: a row for what no trigger saw.
   *
   * @throws IllegalStateException when nobody has authorised the caller
   */
  void end(String kind, String object) {
    Handle transaction = handle;
    if (transaction == null || !known) {
      throw new IllegalStateException("nothing says who did " + action);
    }
    store.noteAction(transaction, projectId, kind, object);
    handle = null;
  }
}
