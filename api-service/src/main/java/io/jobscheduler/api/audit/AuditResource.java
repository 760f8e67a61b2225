package io.jobscheduler.api.audit;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.paging.Page;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.jspecify.annotations.Nullable;

/** Who changed what in a project. */
@Path("/api/v1/projects/{project}/audit")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class AuditResource {
  private final AuditStore store;
  private final Authorizer authorizer;

  AuditResource(AuditStore store, Authorizer authorizer) {
    this.store = store;
    this.authorizer = authorizer;
  }

  @GET
  @Operation(
      operationId = "listAudit",
      summary = "List what people and keys changed in a project, newest first",
      description =
          "Enqueuing and leases are not recorded. Of payloads only hashes are shown, of secrets only"
              + " that they changed. Entries are kept for ever.",
      extensions = @Extension(name = "x-role", value = "admin"))
  public Page<AuditEntry> list(
      @PathParam("project") String project,
      @Parameter(description = "address of the user or name of the key") @QueryParam("actor")
          @Nullable String actor,
      @Parameter(description = "operation id, such as pauseQueue") @QueryParam("action")
          @Nullable String action,
      @Parameter(description = "kind, or kind and id: queue, queue/default") @QueryParam("object")
          @Nullable String object,
      @Parameter(description = "first instant") @QueryParam("from") @Nullable String from,
      @Parameter(description = "instant after the last") @QueryParam("to") @Nullable String to,
      @QueryParam("limit") @Nullable String limitText,
      @QueryParam("cursor") @Nullable String cursor) {
    Grant grant = authorizer.require(project, Action.AUDIT_READ);
    return store.page(
        grant.projectId(), AuditFilter.of(actor, action, object, from, to), limitText, cursor);
  }

  @GET
  @Path("/verify")
  @Operation(
      operationId = "verifyAudit",
      summary = "Check a project's audit log against its chain of hashes",
      description =
          "Reckons one hash for each entry, of the oldest 100,000; next leads to those behind them.",
      extensions = @Extension(name = "x-role", value = "admin"))
  public Verdict verify(
      @PathParam("project") String project,
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
    return store.verifyChain(
        authorizer.require(project, Action.AUDIT_READ).projectId(), after, limit);
  }
}
