package io.jobscheduler.api.audit;

import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.paging.Page;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.jspecify.annotations.Nullable;

/** Who changed what outside of any project. */
@Path("/api/v1/audit")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class PlatformAuditResource {
  /** The project of what belongs to none. */
  private static final int PLATFORM = 0;

  private final AuditStore store;
  private final Authorizer authorizer;

  PlatformAuditResource(AuditStore store, Authorizer authorizer) {
    this.store = store;
    this.authorizer = authorizer;
  }

  @GET
  @Operation(
      operationId = "listPlatformAudit",
      summary = "List what was changed outside of any project: users",
      extensions = @Extension(name = "x-role", value = "platform-admin"))
  public Page<AuditEntry> listPlatform(
      @Parameter(description = "address of the user") @QueryParam("actor") @Nullable String actor,
      @Parameter(description = "operation id, such as createUser") @QueryParam("action")
          @Nullable String action,
      @Parameter(description = "kind, or kind and id: user/7") @QueryParam("object")
          @Nullable String object,
      @Parameter(description = "first instant") @QueryParam("from") @Nullable String from,
      @Parameter(description = "instant after the last") @QueryParam("to") @Nullable String to,
      @QueryParam("limit") @Nullable String limitText,
      @QueryParam("cursor") @Nullable String cursor) {
    authorizer.requirePlatformAdmin();
    return store.page(PLATFORM, AuditFilter.of(actor, action, object, from, to), limitText, cursor);
  }

  @GET
  @Path("/verify")
  @Operation(
      operationId = "verifyPlatformAudit",
      summary = "Check the audit log of the platform against its chain of hashes",
      extensions = @Extension(name = "x-role", value = "platform-admin"))
  public Verdict verifyPlatform(
      @Parameter(
              description =
                  "go on behind so many entries, which were checked before: next of that answer")
          @QueryParam("after")
          @Nullable String after,
      @Parameter(
              description = "entries to check at most",
              schema =
                  @Schema(
                      type = SchemaType.INTEGER,
                      minimum = "1",
                      maximum = "100000",
                      defaultValue = "100000"),
              example = "1000")
          @QueryParam("limit")
          @Nullable String limit) {
    authorizer.requirePlatformAdmin();
    return store.verifyChain(PLATFORM, after, limit);
  }
}
