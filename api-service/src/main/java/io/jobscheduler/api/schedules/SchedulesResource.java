package io.jobscheduler.api.schedules;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.idempotency.Idempotency;
import io.jobscheduler.api.idempotency.Scope;
import io.jobscheduler.api.jobs.JobLimits;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.paging.Cursor;
import io.jobscheduler.api.paging.Limit;
import io.jobscheduler.api.paging.Page;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.trail.Audited;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponseSchema;
import org.jspecify.annotations.Nullable;

/** Schedules of a project: make, read, replace, change, delete. */
@Path("/api/v1/projects/{project}/schedules")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class SchedulesResource {
  private static final String EXAMPLE =
      "{\"name\":\"nightly-report\",\"cron\":\"30 2 * * mon-fri\",\"timeZone\":\"Europe/Berlin\","
          + "\"misfire\":{\"policy\":\"fire_once\",\"window\":\"PT6H\"},\"overlap\":{\"policy\":\"skip\"},"
          + "\"job\":{\"type\":\"echo\",\"payload\":{\"day\":\"{{plannedLocal}}\",\"run\":\"{{sequence}}\"}}}";

  private final Authorizer authorizer;
  private final ScheduleStore store;
  private final Editor editor;
  private final Patcher patcher;
  private final Idempotency idempotency;
  private final int mostPayloadBytes;

  SchedulesResource(
      Authorizer authorizer,
      ScheduleStore store,
      Editor editor,
      Patcher patcher,
      Idempotency idempotency,
      JobLimits limits) {
    this.authorizer = authorizer;
    this.store = store;
    this.editor = editor;
    this.patcher = patcher;
    this.idempotency = idempotency;
    this.mostPayloadBytes = JobLimits.payloadBytes(limits);
  }

  @POST
  @Audited(value = "schedule", mostBytes = JsonBody.LARGE)
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "createSchedule",
      summary = "Make a schedule",
      extensions = @Extension(name = "x-role", value = "admin"))
  @APIResponseSchema(value = Schedule.class, responseCode = "201")
  public Response create(
      @PathParam("project") String project,
      @HeaderParam(Idempotency.KEY) @Nullable String idempotencyKey,
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = ScheduleBody.class),
                      examples = @ExampleObject(name = "example", value = EXAMPLE)))
          InputStream body) {
    Grant grant = authorizer.require(project, Action.SCHEDULES_EDIT);
    byte[] bytes = JsonBody.bytes(body, JsonBody.LARGE);
    ScheduleRequest request =
        JsonBody.read(
            bytes,
            in -> {
              ScheduleRequest read = ScheduleRequestReader.read(in, mostPayloadBytes);
              in.violations().require("/name", read == null || read.name() != null);
              return read;
            });
    String name = String.valueOf(request.name());
    // The payloads of its template are shown to whoever may see them, not to whoever asks again.
    return idempotency.once(
        Scope.ofProject(grant.projectId()),
        idempotencyKey,
        bytes,
        () -> {
          ScheduleRow row = editor.create(grant, name, request);
          return Answers.of(Response.created(at(grant, row)), row, grant);
        },
        Made::kept,
        recorded ->
            Answers.of(
                Response.fromResponse(recorded),
                store.find(grant, name).orElseThrow(Made::gone),
                grant));
  }

  @GET
  @Operation(
      operationId = "listSchedules",
      summary = "List schedules by name",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public Page<ScheduleSummary> list(
      @PathParam("project") String project,
      @QueryParam("state") List<String> states,
      @QueryParam("type") @Nullable String type,
      @QueryParam("queue") @Nullable String queue,
      @QueryParam("limit") @Nullable String limitText,
      @QueryParam("cursor") @Nullable String cursor) {
    Grant grant = authorizer.require(project, Action.SCHEDULES_READ);
    ScheduleFilter filter = ScheduleFilter.of(states, type, queue);
    int limit = Limit.of(limitText);
    return Page.of(
        store.listSchedules(grant.projectId(), filter, Cursor.name(cursor), limit + 1),
        limit,
        ScheduleSummary::name,
        store.countSchedules(grant.projectId(), filter));
  }

  @GET
  @Path("/{name}")
  @Operation(
      operationId = "getSchedule",
      summary = "Read a schedule",
      extensions = @Extension(name = "x-role", value = "viewer"))
  @APIResponseSchema(value = Schedule.class, responseCode = "200")
  public Response get(@PathParam("project") String project, @PathParam("name") String name) {
    Grant grant = authorizer.require(project, Action.SCHEDULES_READ);
    return Answers.of(Response.ok(), store.require(grant, name), grant);
  }

  @PUT
  @Audited(value = "schedule", mostBytes = JsonBody.LARGE)
  @Path("/{name}")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "putSchedule",
      summary = "Make or replace a schedule; new times count from now on",
      extensions = @Extension(name = "x-role", value = "admin"))
  @APIResponseSchema(value = Schedule.class, responseCode = "200")
  @APIResponse(
      responseCode = "201",
      description = "There was none of this name.",
      content =
          @Content(
              mediaType = "application/json",
              schema = @Schema(implementation = Schedule.class)))
  public Response put(
      @PathParam("project") String project,
      @PathParam("name") String name,
      @HeaderParam("If-Match") @Nullable String ifMatch,
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = ScheduleBody.class),
                      examples = @ExampleObject(name = "example", value = EXAMPLE)))
          InputStream body) {
    Grant grant = authorizer.require(project, Action.SCHEDULES_EDIT);
    if (!ScheduleRequestReader.isName(name)) {
      throw ProblemException.at(
          ProblemType.VALIDATION_FAILED,
          "{name}",
          "The schedule's name in the path is none that it may have.");
    }
    ScheduleRequest request =
        JsonBody.read(
            body,
            JsonBody.LARGE,
            in -> {
              ScheduleRequest read = ScheduleRequestReader.read(in, mostPayloadBytes);
              if (read != null && read.name() != null && !read.name().equals(name)) {
                in.violations().add("/name", "It must be the one in the path, or not be given.");
              }
              return read;
            });
    Editor.Edited edited = editor.put(grant, name, request, ifMatch);
    return Answers.of(
        edited.created() ? Response.created(at(grant, edited.row())) : Response.ok(),
        edited.row(),
        grant);
  }

  @PATCH
  @Audited(value = "schedule", mostBytes = JsonBody.LARGE)
  @Path("/{name}")
  @Consumes({MediaType.APPLICATION_JSON, "application/merge-patch+json"})
  @Operation(
      operationId = "patchSchedule",
      summary = "Change a schedule: members given replace, null takes back to the default",
      extensions = @Extension(name = "x-role", value = "admin"))
  @APIResponseSchema(value = Schedule.class, responseCode = "200")
  public Response patch(
      @PathParam("project") String project,
      @PathParam("name") String name,
      @HeaderParam("If-Match") @Nullable String ifMatch,
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = ScheduleBody.Patch.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value =
                                  "{\"cron\":\"0 3 * *"
                                      + " *\",\"job\":{\"priority\":7},\"endAt\":null}")))
          InputStream body) {
    Grant grant = authorizer.require(project, Action.SCHEDULES_EDIT);
    Map<String, String> patch = JsonBody.read(body, JsonBody.LARGE, MergePatch::members);
    ScheduleRow row =
        editor.patch(
            grant,
            name,
            ifMatch,
            old -> {
              ScheduleRequest changed = patcher.apply(old, patch);
              if (!name.equals(changed.name())) {
                throw ProblemException.at(
                    ProblemType.VALIDATION_FAILED, "/name", "A schedule keeps its name.");
              }
              return changed;
            });
    return Answers.of(Response.ok(), row, grant);
  }

  @DELETE
  @Audited("schedule")
  @Path("/{name}")
  @Operation(
      operationId = "deleteSchedule",
      summary = "Delete a schedule; jobs that it made go on",
      extensions = @Extension(name = "x-role", value = "admin"))
  @APIResponse(responseCode = "204", description = "It is gone.")
  public void delete(
      @PathParam("project") String project,
      @PathParam("name") String name,
      @HeaderParam("If-Match") @Nullable String ifMatch) {
    Grant grant = authorizer.require(project, Action.SCHEDULES_EDIT);
    editor.delete(grant, name, ifMatch);
  }

  private static URI at(Grant grant, ScheduleRow row) {
    return URI.create(
        "/api/v1/projects/" + grant.project() + "/schedules/" + row.shown().summary().name());
  }
}
