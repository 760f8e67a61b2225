package io.jobscheduler.api.schedules;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.idempotency.Idempotency;
import io.jobscheduler.api.idempotency.Scope;
import io.jobscheduler.api.jobs.Job;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.paging.Cursor;
import io.jobscheduler.api.paging.Ids;
import io.jobscheduler.api.paging.Limit;
import io.jobscheduler.api.paging.Page;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.trail.Audited;
import io.jobscheduler.api.workflows.Workflow;
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

/** Runs of a schedule that its rule does not plan: by hand, and of the past. */
@Path("/api/v1/projects/{project}/schedules")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class RunsResource {
  private final Authorizer authorizer;
  private final ScheduleStore schedules;
  private final Trigger trigger;
  private final Backfills backfills;
  private final BackfillStore backfillStore;
  private final Made made;
  private final Idempotency idempotency;

  RunsResource(
      Authorizer authorizer,
      ScheduleStore schedules,
      Trigger trigger,
      Backfills backfills,
      BackfillStore backfillStore,
      Made made,
      Idempotency idempotency) {
    this.authorizer = authorizer;
    this.schedules = schedules;
    this.trigger = trigger;
    this.backfills = backfills;
    this.backfillStore = backfillStore;
    this.made = made;
    this.idempotency = idempotency;
  }

  /** A trigger whose run waits for the one before it. */
  @Schema(name = "QueuedTrigger")
  public record Queued(@Schema(enumeration = {"queued", "skipped"}) String outcome) {}

  @POST
  // A trigger that the overlap policy refuses stands in the history as skipped.
  @Audited(value = "schedule", keepsRefusals = true)
  @Path("/{name}/trigger")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "triggerSchedule",
      summary = "Run a schedule now; when it runs next does not change",
      extensions = @Extension(name = "x-role", value = "operator"))
  @APIResponse(
      responseCode = "201",
      description = "The job that was made, or the workflow.",
      content =
          @Content(
              mediaType = "application/json",
              schema = @Schema(oneOf = {Job.class, Workflow.class})))
  @APIResponse(
      responseCode = "202",
      description = "It waits until no other run of the schedule lives.",
      content =
          @Content(mediaType = "application/json", schema = @Schema(implementation = Queued.class)))
  public Response trigger(
      @PathParam("project") String project,
      @PathParam("name") String name,
      @HeaderParam(Idempotency.KEY) @Nullable String idempotencyKey,
      @RequestBody(
              required = false,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = TriggerRequest.class),
                      examples =
                          @ExampleObject(name = "example", value = "{\"overlap\":\"allow\"}")))
          InputStream body) {
    Grant grant = authorizer.require(project, Action.SCHEDULES_ACT);
    byte[] bytes = JsonBody.bytes(body, JsonBody.SMALL);
    TriggerRequest request =
        bytes.length == 0 ? new TriggerRequest(null) : JsonBody.read(bytes, TriggerRequest::read);
    return idempotency.once(
        Scope.ofProject(grant.projectId()),
        idempotencyKey,
        bytes,
        () -> made.first(grant, trigger.now(grant, name, grant.actor().label(), request.policy())),
        Made::kept,
        recorded -> made.again(grant, recorded));
  }

  @POST
  @Audited("schedule")
  @Path("/{name}/backfill")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "backfillSchedule",
      summary = "Run planned times of the past; with dryRun only say which",
      extensions = @Extension(name = "x-role", value = "operator"))
  @APIResponseSchema(value = Backfill.DryRun.class, responseCode = "200")
  @APIResponse(
      responseCode = "202",
      description = "It is being worked.",
      content =
          @Content(
              mediaType = "application/json",
              schema = @Schema(implementation = Backfill.class)))
  public Response backfill(
      @PathParam("project") String project,
      @PathParam("name") String name,
      @HeaderParam(Idempotency.KEY) @Nullable String idempotencyKey,
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = BackfillBody.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value =
                                  "{\"from\":\"2030-01-01T00:00:00Z\",\"to\":\"2030-01-08T00:00:00Z\",\"reprocess\":\"failed\",\"dryRun\":true}")))
          InputStream body) {
    Grant grant = authorizer.require(project, Action.SCHEDULES_ACT);
    byte[] bytes = JsonBody.bytes(body, JsonBody.SMALL);
    BackfillRequest request = JsonBody.read(bytes, BackfillRequest::read);
    int schedule = schedules.requireId(grant, name);
    if (request.dryRun()) {
      return Response.ok(backfills.tryOut(grant, name, request)).build();
    }
    return idempotency.once(
        Scope.ofProject(grant.projectId()),
        idempotencyKey,
        bytes,
        () -> {
          int id = backfills.start(grant, name, request, grant.actor().label());
          return Response.accepted(find(grant, schedule, id))
              .location(
                  URI.create(
                      "/api/v1/projects/"
                          + grant.project()
                          + "/schedules/"
                          + name
                          + "/backfills/"
                          + id))
              .build();
        },
        Made::kept,
        recorded ->
            Response.fromResponse(recorded)
                .entity(
                    backfillStore
                        .findBackfill(
                            grant.projectId(), schedule, (int) Made.idOf(recorded.getLocation()))
                        .orElseThrow(Made::gone))
                .build());
  }

  @GET
  @Path("/{name}/backfills")
  @Operation(
      operationId = "listBackfills",
      summary = "List the backfills of a schedule, newest first",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public Page<Backfill> list(
      @PathParam("project") String project,
      @PathParam("name") String name,
      @QueryParam("limit") @Nullable String limitText,
      @QueryParam("cursor") @Nullable String cursor) {
    Grant grant = authorizer.require(project, Action.SCHEDULES_READ);
    int schedule = schedules.requireId(grant, name);
    int limit = Limit.of(limitText);
    return Page.of(
        backfillStore.listBackfills(
            grant.projectId(), schedule, Cursor.number(cursor, Long.MAX_VALUE), limit + 1),
        limit,
        Backfill::id,
        backfillStore.countBackfills(schedule));
  }

  @GET
  @Path("/{name}/backfills/{backfill}")
  @Operation(
      operationId = "getBackfill",
      summary = "Read how far a backfill is",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public Backfill get(
      @PathParam("project") String project,
      @PathParam("name") String name,
      @PathParam("backfill") String backfill) {
    Grant grant = authorizer.require(project, Action.SCHEDULES_READ);
    return find(grant, schedules.requireId(grant, name), Ids.smallNumber(backfill, "backfill"));
  }

  @POST
  @Audited("backfill")
  @Path("/{name}/backfills/{backfill}/abort")
  @Operation(
      operationId = "abortBackfill",
      summary = "End a backfill; runs that it made go on",
      extensions = @Extension(name = "x-role", value = "operator"))
  public Backfill abort(
      @PathParam("project") String project,
      @PathParam("name") String name,
      @PathParam("backfill") String backfill) {
    Grant grant = authorizer.require(project, Action.SCHEDULES_ACT);
    int schedule = schedules.requireId(grant, name);
    int id = Ids.smallNumber(backfill, "backfill");
    backfills.abort(grant, schedule, id, grant.actor().label());
    return find(grant, schedule, id);
  }

  private Backfill find(Grant grant, int schedule, int id) {
    return backfillStore
        .findBackfill(grant.projectId(), schedule, id)
        .orElseThrow(() -> ProblemException.notFound("backfill"));
  }
}
