package io.jobscheduler.api.workflows;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.paging.Ids;
import io.jobscheduler.api.trail.Audited;
import io.jobscheduler.api.trail.Rehearsal;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;

/** What an operator does to a whole workflow that was submitted. */
@Path("/api/v1/projects/{project}/workflows/{workflow}")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class WorkflowActionsResource {
  private final Authorizer authorizer;
  private final Surgery surgery;
  private final WorkflowStore workflows;

  WorkflowActionsResource(Authorizer authorizer, Surgery surgery, WorkflowStore workflows) {
    this.authorizer = authorizer;
    this.surgery = surgery;
    this.workflows = workflows;
  }

  /**
   * What a cancel does, or would do.
   *
   * @param cancelled members that waited: they have ended
   * @param cancelRequested members that run: each ends as cancelled, unless it succeeds first
   */
  @Schema(name = "WorkflowCancelAnswer")
  public record CancelAnswer(boolean dryRun, int cancelled, int cancelRequested)
      implements Rehearsal {}

  @POST
  @Audited("workflow")
  @Path("/retry")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "retryWorkflow",
      summary = "Run failed members again, or whatever depends on them too, or all that has ended",
      extensions = @Extension(name = "x-role", value = "operator"))
  public SurgeryAnswer retry(
      @PathParam("project") String project,
      @PathParam("workflow") String workflow,
      @RequestBody(
              required = false,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = ActionBody.Retry.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value = "{\"mode\":\"failed\",\"dryRun\":true}")))
          InputStream body) {
    Grant grant = authorizer.require(project, Action.WORKFLOWS_ACT);
    int id = Ids.smallNumber(workflow, "workflow");
    ActionBody.Retry request =
        JsonBody.readOr(ActionBody.Retry.DEFAULT, body, JsonBody.SMALL, ActionBody.Retry::read);
    return surgery.retry(grant, id, request.chosen(), Boolean.TRUE.equals(request.dryRun()));
  }

  @POST
  @Audited("workflow")
  @Path("/cancel")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "cancelWorkflow",
      summary = "Cancel all that lives of a workflow; nothing of it starts after the answer",
      extensions = @Extension(name = "x-role", value = "operator"))
  @APIResponse(
      responseCode = "200",
      description = "Nothing of it runs; what waited is cancelled, for good.",
      content = @Content(schema = @Schema(implementation = CancelAnswer.class)))
  @APIResponse(
      responseCode = "202",
      description = "What waited is cancelled; what runs has been asked to end.",
      content = @Content(schema = @Schema(implementation = CancelAnswer.class)))
  public Response cancel(
      @PathParam("project") String project,
      @PathParam("workflow") String workflow,
      @RequestBody(
              required = false,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = ActionBody.Reason.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value = "{\"reason\":\"wrong input\",\"dryRun\":false}")))
          InputStream body) {
    Grant grant = authorizer.require(project, Action.WORKFLOWS_ACT);
    int id = Ids.smallNumber(workflow, "workflow");
    ActionBody.Reason request =
        JsonBody.readOr(ActionBody.Reason.NONE, body, JsonBody.SMALL, ActionBody.Reason::read);
    Surgery.Cancelled done =
        surgery.cancel(grant, id, grant.actor().label(), request.reason(), request.isDryRun());
    boolean isFinal = done.requested() == 0 || request.isDryRun();
    return Response.status(isFinal ? Response.Status.OK : Response.Status.ACCEPTED)
        .entity(new CancelAnswer(request.isDryRun(), done.cancelled(), done.requested()))
        .build();
  }

  @POST
  @Audited("workflow")
  @Path("/pause")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "pauseWorkflow",
      summary = "Pause a workflow; running jobs go on, no other starts",
      extensions = @Extension(name = "x-role", value = "operator"))
  public Workflow pause(
      @PathParam("project") String project,
      @PathParam("workflow") String workflow,
      @RequestBody(
              required = false,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = ActionBody.Pause.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value = "{\"reason\":\"the source is being moved\"}")))
          InputStream body) {
    Grant grant = authorizer.require(project, Action.WORKFLOWS_ACT);
    int id = Ids.smallNumber(workflow, "workflow");
    ActionBody.Pause request =
        JsonBody.readOr(ActionBody.Pause.NONE, body, JsonBody.SMALL, ActionBody.Pause::read);
    surgery.pause(grant, id, grant.actor().label(), request.reason());
    return find(grant, id);
  }

  @POST
  @Audited("workflow")
  @Path("/resume")
  @Operation(
      operationId = "resumeWorkflow",
      summary = "Let a paused workflow go on",
      extensions = @Extension(name = "x-role", value = "operator"))
  public Workflow resume(
      @PathParam("project") String project, @PathParam("workflow") String workflow) {
    Grant grant = authorizer.require(project, Action.WORKFLOWS_ACT);
    int id = Ids.smallNumber(workflow, "workflow");
    surgery.resume(grant, id);
    return find(grant, id);
  }

  private Workflow find(Grant grant, int id) {
    return workflows.findWorkflow(grant.projectId(), id).orElseThrow(Surgery::absent);
  }
}
