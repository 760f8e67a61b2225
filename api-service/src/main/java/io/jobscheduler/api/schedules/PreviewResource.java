package io.jobscheduler.api.schedules;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.trail.Unaudited;
import io.jobscheduler.schedule.cron.CronSyntaxException;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;

/** What schedules will do, before they do it. */
@Path("/api/v1/projects/{project}/schedules")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class PreviewResource {
  private final Authorizer authorizer;
  private final HeatMapStore heatMaps;

  PreviewResource(Authorizer authorizer, HeatMapStore heatMaps) {
    this.authorizer = authorizer;
    this.heatMaps = heatMaps;
  }

  @POST
  @Unaudited("nothing is stored")
  @Path("/preview")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "previewSchedule",
      summary = "Say what a rule will do: next fires, clock changes, and after an outage",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public Foreseen preview(
      @PathParam("project") String project,
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = PreviewBody.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value =
                                  "{\"cron\":\"30 2 * * *\",\"timeZone\":\"Europe/Berlin\",\"count\":10,\"outage\":{\"length\":\"P3D\"}}")))
          InputStream body) {
    authorizer.require(project, Action.SCHEDULES_READ);
    PreviewRequest request = JsonBody.read(body, JsonBody.SMALL, PreviewRequest::read);
    Instant now = Instant.now();
    Instant from = request.from() == null ? now : request.from();
    try {
      return Foreseen.of(request, request.rule().times(from), now);
    } catch (CronSyntaxException e) {
      throw ProblemException.at(ProblemType.VALIDATION_FAILED, RuleReader.fault("/cron", e));
    }
  }

  @GET
  @Path("/heat-map")
  @Operation(
      operationId = "getScheduleHeatMap",
      summary = "Count the fires of all active schedules in each minute of the coming day",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public DayAhead heatMap(@PathParam("project") String project) {
    Grant grant = authorizer.require(project, Action.SCHEDULES_READ);
    return DayAhead.of(heatMaps.listRules(grant.projectId(), DayAhead.MOST_SCHEDULES + 1));
  }
}
