package io.jobscheduler.api.audit;

import com.fasterxml.jackson.annotation.JsonRawValue;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * One change.
 *
 * @param actor who made it
 * @param action the operation, as this description names it
 * @param object what was changed
 * @param changes of each field that changed, what it was and what it is; null where nothing of the
 *     object was edited
 * @param address from which the request came
 * @param requestId the request's id
 */
public record AuditEntry(
    String id,
    Instant at,
    ActorRef actor,
    String action,
    ObjectRef object,
    @Schema(ref = "AnyJson", nullable = true) @JsonRawValue @Nullable String changes,
    @Nullable String address,
    @Nullable String requestId) {

  /** Who: the user's address or the key's name, as it was then. */
  @Schema(name = "AuditActor")
  public record ActorRef(
      @Schema(description = "user, api_key or unknown") String kind,
      @Nullable String id,
      String name) {}

  /** What. */
  @Schema(name = "AuditObject")
  public record ObjectRef(
      @Schema(description = "for example queue, schedule, member, job") String kind, String id) {}
}
