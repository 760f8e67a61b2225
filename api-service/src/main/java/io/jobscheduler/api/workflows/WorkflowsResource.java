package io.jobscheduler.api.workflows;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.jobs.JobLimits;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.paging.Cursor;
import io.jobscheduler.api.paging.Ids;
import io.jobscheduler.api.paging.Limit;
import io.jobscheduler.api.paging.Page;
import io.jobscheduler.api.problem.ProblemException;
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
import java.net.URI;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponseSchema;
import org.jspecify.annotations.Nullable;

/** Workflows of a project: submit, read, draw. */
@Path("/api/v1/projects/{project}/workflows")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class WorkflowsResource {
  private final Authorizer authorizer;
  private final Submitter submitter;
  private final WorkflowStore store;
  private final int mostPayloadBytes;

  WorkflowsResource(
      Authorizer authorizer, Submitter submitter, WorkflowStore store, JobLimits limits) {
    this.authorizer = authorizer;
    this.submitter = submitter;
    this.store = store;
    this.mostPayloadBytes = JobLimits.payloadBytes(limits);
  }

  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "submitWorkflow",
      summary = "Submit a workflow, all of it or nothing",
      extensions = @Extension(name = "x-role", value = "operator"))
  @APIResponseSchema(value = Workflow.class, responseCode = "201")
  public Response submit(
      @PathParam("project") String project,
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = WorkflowBody.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value =
                                  "{\"name\":\"import\",\"onFailure\":\"cancel\",\"jobs\":[{\"key\":\"fetch\",\"type\":\"echo\"},{\"key\":\"load\",\"type\":\"echo\",\"dependsOn\":[\"fetch\"]},{\"key\":\"report\",\"type\":\"echo\",\"dependsOn\":[{\"key\":\"load\",\"on\":\"done\"}]}]}")))
          InputStream body) {
    Grant grant = authorizer.require(project, Action.WORKFLOWS_SUBMIT);
    WorkflowRequest request =
        JsonBody.read(body, JsonBody.LARGE, in -> WorkflowRequestReader.read(in, mostPayloadBytes));
    int id = submitter.submit(grant, request);
    return Response.created(URI.create("/api/v1/projects/" + grant.project() + "/workflows/" + id))
        .entity(find(grant, id))
        .build();
  }

  @GET
  @Operation(
      operationId = "listWorkflows",
      summary = "List workflows, newest first",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public Page<Workflow> list(
      @PathParam("project") String project,
      @QueryParam("limit") @Nullable String limitText,
      @QueryParam("cursor") @Nullable String cursor) {
    Grant grant = authorizer.require(project, Action.WORKFLOWS_READ);
    int limit = Limit.of(limitText);
    return Page.of(
        store.listWorkflows(grant.projectId(), Cursor.number(cursor, Long.MAX_VALUE), limit + 1),
        limit,
        Workflow::id,
        store.countWorkflows(grant.projectId()));
  }

  @GET
  @Path("/{workflow}")
  @Operation(
      operationId = "getWorkflow",
      summary = "Read a workflow",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public Workflow get(
      @PathParam("project") String project, @PathParam("workflow") String workflow) {
    Grant grant = authorizer.require(project, Action.WORKFLOWS_READ);
    return find(grant, Ids.smallNumber(workflow, "workflow"));
  }

  @GET
  @Path("/{workflow}/graph")
  @Operation(
      operationId = "getWorkflowGraph",
      summary = "Read the jobs and edges of a workflow",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public WorkflowGraph graph(
      @PathParam("project") String project, @PathParam("workflow") String workflow) {
    Grant grant = authorizer.require(project, Action.WORKFLOWS_READ);
    return store
        .findGraph(grant.projectId(), Ids.smallNumber(workflow, "workflow"))
        .orElseThrow(() -> ProblemException.notFound("workflow"));
  }

  private Workflow find(Grant grant, int id) {
    return store
        .findWorkflow(grant.projectId(), id)
        .orElseThrow(() -> ProblemException.notFound("workflow"));
  }
}
