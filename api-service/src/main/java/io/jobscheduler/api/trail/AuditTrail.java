package io.jobscheduler.api.trail;

import io.jobscheduler.api.database.AfterCommit;
import io.jobscheduler.api.http.RequestIds;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.RequestScoped;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Who acts in this request, and the transaction that is to be recorded, if it is one. */
@RequestScoped
public class AuditTrail {
  private final Jdbi jdbi;
  private final TrailStore store;
  private final CurrentVertxRequest request;
  private @Nullable Handle handle;
  private TrailStore.@Nullable By who;
  private final Map<String, TrailStore.Change> changes = new TreeMap<>();
  private String action = "";
  private int projectId;

  AuditTrail(Jdbi jdbi, TrailStore store, CurrentVertxRequest request) {
    this.jdbi = jdbi;
    this.store = store;
    this.request = request;
  }

  /** Notes which operation the request asks for. */
  void of(String operation) {
    this.action = operation;
  }

  /** Begins to record, inside the transaction of {@code transaction}. */
  void begin(Handle transaction) {
    this.handle = transaction;
    if (who != null) {
      store.say(transaction, who);
    }
  }

  /**
   * The transaction of an operation that opens it itself, after it has authorised its caller.
   *
   * @param kind the kind of object that is changed
   * @param object its id, where no trigger knows
   * @throws IllegalStateException when nobody has authorised the caller
   */
  public <T> T change(String kind, String object, Supplier<T> work) {
    return AfterCommit.of(
        () ->
            jdbi.inTransaction(
                transaction -> {
                  begin(transaction);
                  T result = work.get();
                  end(kind, object);
                  return result;
                }));
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
    projectId = project;
    who = null;
    by(kind, id, name, address);
  }

  /** The same, where no project is known yet and may never be. */
  public void by(String kind, long id, String name, @Nullable String address) {
    if (who != null) {
      return;
    }
    RoutingContext current = request.getCurrent();
    TrailStore.By by =
        new TrailStore.By(
            kind,
            Long.toString(id),
            name,
            action,
            address,
            current == null ? null : RequestIds.of(current));
    who = by;
    Handle transaction = handle;
    if (transaction != null) {
      store.say(transaction, by);
    }
  }

  /**
   * Notes what a field of the object was and is, for tables that no trigger watches; once more
   * replaces it. Nothing is noted of what stays the same. Never payloads: see {@link #hash}.
   */
  public void changed(String field, @Nullable Object before, @Nullable Object after) {
    if (Objects.equals(before, after)) {
      changes.remove(field);
    } else {
      changes.put(field, new TrailStore.Change(before, after));
    }
  }

  /** What is shown of a payload or a result, as the triggers show it; null of null. */
  public static @Nullable String hash(@Nullable String secret) {
    if (secret == null) {
      return null;
    }
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
      return "sha256:" + HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Ends the record: a row for what no trigger saw.
   *
   * @throws IllegalStateException when nobody has authorised the caller
   */
  void end(String kind, String object) {
    Handle transaction = handle;
    if (transaction == null || who == null) {
      throw new IllegalStateException("nothing says who did " + action);
    }
    store.noteAction(transaction, projectId, kind, object, changes);
    changes.clear();
    handle = null;
  }
}
