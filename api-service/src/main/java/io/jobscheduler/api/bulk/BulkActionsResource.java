package io.jobscheduler.api.bulk;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.idempotency.Idempotency;
import io.jobscheduler.api.idempotency.Scope;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.paging.Cursor;
import io.jobscheduler.api.paging.Ids;
import io.jobscheduler.api.paging.Limit;
import io.jobscheduler.api.paging.Page;
import io.jobscheduler.api.trail.Audited;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.net.URI;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponseSchema;
import org.jspecify.annotations.Nullable;

/** One action on many jobs, with a count beforehand and a way back. */
@Path("/api/v1/projects/{project}/bulk-actions")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class BulkActionsResource {
  private final Authorizer authorizer;
  private final BulkActions actions;
  private final BulkStore store;
  private final Idempotency idempotency;

  BulkActionsResource(
      Authorizer authorizer, BulkActions actions, BulkStore store, Idempotency idempotency) {
    this.authorizer = authorizer;
    this.actions = actions;
    this.store = store;
    this.idempotency = idempotency;
  }

  @POST
  @Audited("bulk-action")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "createBulkAction",
      summary = "Retry, cancel or delete all jobs that fit a filter; with dryRun only count them",
      description =
          "It is carried out after this has been answered, by the rules that hold for a single job."
              + " Only jobs that fit now and still fit when their turn comes are touched, each"
              + " once. A filter that names nothing is refused, unless it says all: true.",
      extensions = @Extension(name = "x-role", value = "operator"))
  @APIResponseSchema(value = BulkAction.DryRun.class, responseCode = "200")
  @APIResponse(
      responseCode = "202",
      description = "It is being worked.",
      content =
          @Content(
              mediaType = "application/json",
              schema = @Schema(implementation = BulkAction.class)))
  public Response create(
      @PathParam("project") String project,
      @HeaderParam(Idempotency.KEY) @Nullable String idempotencyKey,
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = BulkActionBody.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value =
                                  "{\"action\":\"retry\",\"filter\":{\"state\":[\"dead\"],\"type\":\"mail\"},"
                                      + "\"canary\":10,\"stopWhenFailureRatioOver\":0.2,"
                                      + "\"ratePerSecond\":50}")))
          InputStream body) {
    Grant grant = authorizer.requireInQueues(project, Action.BULK_ACT);
    byte[] bytes = JsonBody.bytes(body, JsonBody.SMALL);
    BulkRequest request = JsonBody.read(bytes, BulkRequest::read);
    if (request.dryRun()) {
      return Response.ok(actions.tryOut(grant, request)).build();
    }
    Response answer =
        idempotency.once(
            Scope.ofProject(grant.projectId()),
            idempotencyKey,
            bytes,
            () -> {
              BulkAction action = actions.get(grant, actions.submit(grant, request));
              return Response.accepted(action)
                  .location(
                      URI.create(
                          "/api/v1/projects/" + grant.project() + "/bulk-actions/" + action.id()))
                  .build();
            });
    if (grant.queues() != null) {
      // Another caller's answer, given again, may tell of more than this key reaches.
      String location = answer.getLocation().toString();
      actions.get(grant, Long.parseLong(location.substring(location.lastIndexOf('/') + 1)));
    }
    return answer;
  }

  @GET
  @Operation(
      operationId = "listBulkActions",
      summary = "List bulk actions, newest first",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public Page<BulkAction> list(
      @PathParam("project") String project,
      @QueryParam("limit") @Nullable String limitText,
      @QueryParam("cursor") @Nullable String cursor) {
    Grant grant = authorizer.requireInQueues(project, Action.JOBS_READ);
    int limit = Limit.of(limitText);
    return Page.of(
        store.list(grant, Cursor.number(cursor, Long.MAX_VALUE), limit + 1),
        limit,
        BulkAction::id,
        store.count(grant));
  }

  @GET
  @Path("/{bulkAction}")
  @Operation(
      operationId = "getBulkAction",
      summary = "Read how far a bulk action is",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public BulkAction get(
      @PathParam("project") String project, @PathParam("bulkAction") String bulkAction) {
    Grant grant = authorizer.requireInQueues(project, Action.JOBS_READ);
    return actions.get(grant, Ids.number(bulkAction, "bulk action"));
  }

  @POST
  @Audited("bulk-action")
  @Path("/{bulkAction}/abort")
  @Operation(
      operationId = "abortBulkAction",
      summary = "End a bulk action at once; what it has done stays done",
      extensions = @Extension(name = "x-role", value = "operator"))
  public BulkAction abort(
      @PathParam("project") String project, @PathParam("bulkAction") String bulkAction) {
    Grant grant = authorizer.requireInQueues(project, Action.BULK_ACT);
    return actions.abort(grant, Ids.number(bulkAction, "bulk action"));
  }

  @POST
  @Audited("bulk-action")
  @Path("/{bulkAction}/undo")
  @Operation(
      operationId = "undoBulkAction",
      summary = "Take back what a bulk action has done and has not gone on since",
      description =
          "It is aborted first if it has not ended. Retried jobs that nobody has claimed are what"
              + " they were; cancelled ones that were ready or scheduled wait again. The others"
              + " stay and are counted by reason; what was deleted cannot be brought back (409).",
      extensions = @Extension(name = "x-role", value = "operator"))
  public BulkAction undo(
      @PathParam("project") String project, @PathParam("bulkAction") String bulkAction) {
    Grant grant = authorizer.requireInQueues(project, Action.BULK_ACT);
    return actions.undo(grant, Ids.number(bulkAction, "bulk action"));
  }
}
