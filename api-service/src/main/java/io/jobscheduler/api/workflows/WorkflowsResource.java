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
import io.jobscheduler.api.paging.Limit;
import io.jobscheduler.api.paging.Page;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.trail.Unaudited;
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
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
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
  private final Planner planner;
  private final WorkflowStore store;
  private final WorkflowLists lists;
  private final GraphStore graphs;
  private final Idempotency idempotency;
  private final int mostPayloadBytes;

  WorkflowsResource(
      Authorizer authorizer,
      Submitter submitter,
      Planner planner,
      WorkflowStore store,
      WorkflowLists lists,
      GraphStore graphs,
      Idempotency idempotency,
      JobLimits limits) {
    this.authorizer = authorizer;
    this.submitter = submitter;
    this.planner = planner;
    this.store = store;
    this.lists = lists;
    this.graphs = graphs;
    this.idempotency = idempotency;
    this.mostPayloadBytes = JobLimits.payloadBytes(limits);
  }

  @POST
  @Unaudited("enqueuing")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "submitWorkflow",
      summary = "Submit a workflow, all of it or nothing",
      extensions = @Extension(name = "x-role", value = "operator"))
  @APIResponseSchema(value = Workflow.class, responseCode = "201")
  public Response submit(
      @PathParam("project") String project,
      @HeaderParam(Idempotency.KEY) @Nullable String idempotencyKey,
      @HeaderParam("traceparent") @Nullable String traceparent,
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
    byte[] bytes = JsonBody.bytes(body, JsonBody.GRAPH);
    WorkflowRequest request =
        JsonBody.read(bytes, in -> WorkflowRequestReader.read(in, mostPayloadBytes))
            .withTraceparent(Traceparent.of(traceparent));
    return idempotency.once(
        Scope.ofProject(grant.projectId()), idempotencyKey, bytes, () -> submit(grant, request));
  }

  private Response submit(Grant grant, WorkflowRequest request) {
    int id = submitter.submit(grant, request);
    return Response.created(URI.create("/api/v1/projects/" + grant.project() + "/workflows/" + id))
        .entity(find(grant, id))
        .build();
  }

  @POST
  @Unaudited("nothing is stored")
  @Path("/plan")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "planWorkflow",
      summary = "Plan a workflow without storing it",
      description =
          "Checks it as a submission would; jobs that exist already count as ended. Durations are"
              + " the request's, else the mean of the type, else one second.",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public WorkflowPlan plan(
      @PathParam("project") String project,
      @Parameter(description = "for the expected makespan, 1 to 10000, default 8")
          @QueryParam("slots")
          @Nullable String slots,
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
                                  "{\"name\":\"import\",\"jobs\":[{\"key\":\"fetch\",\"type\":\"echo\",\"expectedDuration\":\"PT20S\"},{\"key\":\"load\",\"type\":\"echo\",\"expectedDuration\":\"PT5M\",\"dependsOn\":[\"fetch\"]}]}")))
          InputStream body) {
    Grant grant = authorizer.require(project, Action.WORKFLOWS_READ);
    int count = Planner.slots(slots);
    WorkflowRequest request =
        JsonBody.read(body, JsonBody.GRAPH, in -> WorkflowRequestReader.read(in, mostPayloadBytes));
    return planner.plan(grant, request, count);
  }

  @GET
  @Operation(
      operationId = "listWorkflows",
      summary = "List workflows, newest first",
      description =
          "A state in which a workflow still lives is looked for among the newest 500 that the"
              + " cursor leaves: a page may be short and have a next one.",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public Page<Workflow> list(
      @PathParam("project") String project,
      @Parameter(description = "running, failing, held, succeeded, failed or cancelled")
          @QueryParam("state")
          @Nullable String state,
      @QueryParam("name") @Nullable String name,
      @QueryParam("createdAfter") @Nullable String createdAfter,
      @QueryParam("createdBefore") @Nullable String createdBefore,
      @QueryParam("limit") @Nullable String limitText,
      @QueryParam("cursor") @Nullable String cursor) {
    Grant grant = authorizer.require(project, Action.WORKFLOWS_READ);
    return lists.list(
        grant.projectId(),
        WorkflowFilter.of(state, name, createdAfter, createdBefore),
        cursor,
        Limit.of(limitText));
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
      description =
          "With since, only those nodes and edges that have changed since the version of an earlier"
              + " answer; a job whose retention ends is no change.",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public WorkflowGraph graph(
      @PathParam("project") String project,
      @PathParam("workflow") String workflow,
      @Parameter(description = "the version of an earlier answer") @QueryParam("since")
          @Nullable String since) {
    Grant grant = authorizer.require(project, Action.WORKFLOWS_READ);
    return graphs
        .findGraph(grant.projectId(), Ids.smallNumber(workflow, "workflow"), version(since))
        .orElseThrow(() -> ProblemException.notFound("workflow"));
  }

  private static @Nullable Long version(@Nullable String text) {
    if (text == null) {
      return null;
    }
    try {
      long version = Long.parseLong(text);
      if (version >= 0) {
        return version;
      }
    } catch (NumberFormatException e) {
      // Falls through to the one answer.
    }
    throw ProblemException.at(
        ProblemType.VALIDATION_FAILED, "?since", "Send the version of an earlier answer.");
  }

  private Workflow find(Grant grant, int id) {
    return store
        .findWorkflow(grant.projectId(), id)
        .orElseThrow(() -> ProblemException.notFound("workflow"));
  }
}
