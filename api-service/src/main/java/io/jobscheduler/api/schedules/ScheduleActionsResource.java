package io.jobscheduler.api.schedules;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.paging.Cursor;
import io.jobscheduler.api.paging.Limit;
import io.jobscheduler.api.paging.Page;
import io.jobscheduler.api.problem.Violations;
import io.jobscheduler.api.trail.Audited;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponseSchema;
import org.jspecify.annotations.Nullable;

/** What is done to a schedule, and what it has done. */
@Path("/api/v1/projects/{project}/schedules")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class ScheduleActionsResource {
  private static final Set<String> OUTCOMES = Set.of("fired", "queued", "skipped", "missed");

  private final Authorizer authorizer;
  private final ScheduleStore schedules;
  private final FireStore fires;
  private final Editor editor;

  ScheduleActionsResource(
      Authorizer authorizer, ScheduleStore schedules, FireStore fires, Editor editor) {
    this.authorizer = authorizer;
    this.schedules = schedules;
    this.fires = fires;
    this.editor = editor;
  }

  @POST
  @Audited("schedule")
  @Path("/{name}/pause")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "pauseSchedule",
      summary = "Pause a schedule; what is planned meanwhile is not run",
      extensions = @Extension(name = "x-role", value = "operator"))
  @APIResponseSchema(value = Schedule.class, responseCode = "200")
  public Response pause(
      @PathParam("project") String project,
      @PathParam("name") String name,
      @RequestBody(
              required = false,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = PauseRequest.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value =
                                  "{\"reason\":\"the source is being moved\",\"until\":\"2030-01-31T08:00:00Z\"}")))
          InputStream body) {
    Grant grant = authorizer.require(project, Action.SCHEDULES_ACT);
    PauseRequest request =
        JsonBody.readOr(new PauseRequest(null, null), body, JsonBody.SMALL, PauseRequest::read);
    ScheduleRow row =
        editor.pause(grant, name, grant.actor().label(), request.reason(), request.until());
    return Answers.of(Response.ok(), row, grant);
  }

  @POST
  @Audited("schedule")
  @Path("/{name}/resume")
  @Operation(
      operationId = "resumeSchedule",
      summary = "Let a schedule fire again, from now on",
      extensions = @Extension(name = "x-role", value = "operator"))
  @APIResponseSchema(value = Schedule.class, responseCode = "200")
  public Response resume(@PathParam("project") String project, @PathParam("name") String name) {
    Grant grant = authorizer.require(project, Action.SCHEDULES_ACT);
    return Answers.of(Response.ok(), editor.resume(grant, name), grant);
  }

  @GET
  @Path("/{name}/fires")
  @Operation(
      operationId = "listScheduleFires",
      summary = "List what became of planned times and triggers, newest first",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public Page<Fire> fires(
      @PathParam("project") String project,
      @PathParam("name") String name,
      @QueryParam("outcome") List<String> outcomes,
      @QueryParam("limit") @Nullable String limitText,
      @QueryParam("cursor") @Nullable String cursor) {
    Grant grant = authorizer.require(project, Action.SCHEDULES_READ);
    List<String> wanted =
        outcomes.stream().flatMap(o -> Arrays.stream(o.split(",", -1))).distinct().toList();
    Violations violations = new Violations();
    wanted.stream()
        .filter(o -> !OUTCOMES.contains(o))
        .forEach(o -> violations.add("?outcome", "There is no outcome \"" + o + "\"."));
    violations.throwIfAny();
    return fires.listFires(
        schedules.requireId(grant, name),
        wanted,
        Cursor.number(cursor, Long.MAX_VALUE),
        Limit.of(limitText),
        FireStore.SCANNED);
  }
}
