package io.jobscheduler.api.workflows;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.idempotency.Idempotency;
import io.jobscheduler.api.idempotency.Scope;
import io.jobscheduler.api.jobs.JobLimits;
import io.jobscheduler.api.jobs.Traceparent;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.paging.Ids;
import io.jobscheduler.api.trail.AuditTrail;
import io.jobscheduler.api.trail.Audited;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.HeaderParam;
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
import org.eclipse.microprofile.openapi.annotations.responses.APIResponseSchema;
import org.jspecify.annotations.Nullable;

/** More jobs for a workflow that runs. */
@Path("/api/v1/projects/{project}/workflows/{workflow}/jobs")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class GrowthResource {
  private final Authorizer authorizer;
  private final Growth growth;
  private final WorkflowStore workflows;
  private final Idempotency idempotency;
  private final AuditTrail trail;
  private final int mostPayloadBytes;

  GrowthResource(
      Authorizer authorizer,
      Growth growth,
      WorkflowStore workflows,
      Idempotency idempotency,
      AuditTrail trail,
      JobLimits limits) {
    this.trail = trail;
    this.authorizer = authorizer;
    this.growth = growth;
    this.workflows = workflows;
    this.idempotency = idempotency;
    this.mostPayloadBytes = JobLimits.payloadBytes(limits);
  }

  @POST
  @Audited(value = "workflow", opensItself = true)
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "addWorkflowJobs",
      summary = "Add jobs and dependencies to a workflow that runs, all of them or nothing",
      extensions = @Extension(name = "x-role", value = "operator"))
  @APIResponseSchema(value = Workflow.class, responseCode = "201")
  public Response add(
      @PathParam("project") String project,
      @PathParam("workflow") String workflow,
      @HeaderParam(Idempotency.KEY) @Nullable String idempotencyKey,
      @HeaderParam("traceparent") @Nullable String traceparent,
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = GrowthRequest.Body.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value =
                                  "{\"jobs\":[{\"key\":\"check\",\"type\":\"echo\",\"dependsOn\":[\"load\"]}],\"dependencies\":[{\"from\":\"check\",\"to\":\"report\"}]}")))
          InputStream body) {
    Grant grant = authorizer.require(project, Action.WORKFLOWS_SUBMIT);
    int id = Ids.smallNumber(workflow, "workflow");
    byte[] bytes = JsonBody.bytes(body, JsonBody.GRAPH);
    GrowthRequest request =
        JsonBody.read(bytes, in -> GrowthRequest.read(in, mostPayloadBytes))
            .withTraceparent(Traceparent.of(traceparent));
    return idempotency.once(
        Scope.ofProject(grant.projectId()),
        idempotencyKey,
        bytes,
        () -> trail.change("workflow", workflow, () -> added(grant, id, request)));
  }

  private Response added(Grant grant, int id, GrowthRequest request) {
    growth.add(grant, id, request);
    return Response.status(Response.Status.CREATED)
        .entity(workflows.findWorkflow(grant.projectId(), id).orElseThrow(Surgery::absent))
        .build();
  }
}
