package io.jobscheduler.api.workflows;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.http.Etag;
import io.jobscheduler.api.jobs.Job;
import io.jobscheduler.api.jobs.JobLimits;
import io.jobscheduler.api.jobs.JobStore;
import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.paging.Ids;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.signal.Signals;
import io.jobscheduler.api.signal.Topic;
import io.jobscheduler.api.trail.Audited;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponseSchema;
import org.jspecify.annotations.Nullable;

/** One member of a workflow, by its key: read, edit, skip, mark as succeeded. */
@Path("/api/v1/projects/{project}/workflows/{workflow}/jobs/{key}")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class WorkflowJobsResource {
  private final Authorizer authorizer;
  private final Surgery surgery;
  private final MemberStore members;
  private final JobStore jobs;
  private final Signals signals;
  private final int mostPayloadBytes;

  WorkflowJobsResource(
      Authorizer authorizer,
      Surgery surgery,
      MemberStore members,
      JobStore jobs,
      Signals signals,
      JobLimits limits) {
    this.authorizer = authorizer;
    this.surgery = surgery;
    this.members = members;
    this.jobs = jobs;
    this.signals = signals;
    this.mostPayloadBytes = JobLimits.payloadBytes(limits);
  }

  @GET
  @Operation(
      operationId = "getWorkflowJob",
      summary = "Read a job of a workflow by its key",
      extensions = @Extension(name = "x-role", value = "viewer"))
  @APIResponseSchema(value = Job.class, responseCode = "200")
  public Response get(
      @PathParam("project") String project,
      @PathParam("workflow") String workflow,
      @PathParam("key") String key) {
    Grant grant = authorizer.require(project, Action.WORKFLOWS_READ);
    return answer(grant, find(grant, Ids.smallNumber(workflow, "workflow"), key));
  }

  @PATCH
  @Audited(value = "workflow-job", mostBytes = JsonBody.LARGE)
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "editWorkflowJob",
      summary = "Give a job of a workflow another payload while it waits",
      extensions = @Extension(name = "x-role", value = "operator"))
  @APIResponseSchema(value = Job.class, responseCode = "200")
  public Response edit(
      @PathParam("project") String project,
      @PathParam("workflow") String workflow,
      @PathParam("key") String key,
      @HeaderParam("If-Match") @Nullable String ifMatch,
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = ActionBody.Edit.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value = "{\"payload\":{\"source\":\"eu-2\"}}")))
          InputStream body) {
    Grant grant = authorizer.require(project, Action.WORKFLOWS_ACT);
    int flow = Ids.smallNumber(workflow, "workflow");
    ActionBody.Edit request =
        JsonBody.read(body, JsonBody.LARGE, in -> ActionBody.Edit.read(in, mostPayloadBytes));
    long job = find(grant, flow, key);
    String tag = tagOf(ifMatch);
    String verdict =
        members.edit(grant.projectId(), flow, job, String.valueOf(request.payload()), tag);
    switch (verdict) {
      case "edited" -> {
        signals.changed(grant.project(), Topic.JOBS);
        return answer(grant, job);
      }
      case "stale" -> throw Etag.stale();
      case "running" -> throw Surgery.conflict("The job has started.");
      case "ended" -> throw Surgery.conflict("The job has ended.");
      case "gate" -> throw Surgery.conflict("A gate runs nothing; it has no payload to edit.");
      default -> throw ProblemException.notFound("job of the workflow");
    }
  }

  @POST
  @Audited("workflow-job")
  @Path("/skip")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "skipWorkflowJob",
      summary = "Skip a job that waits or has failed; its children go on as if it were not there",
      extensions = @Extension(name = "x-role", value = "operator"))
  public SurgeryAnswer skip(
      @PathParam("project") String project,
      @PathParam("workflow") String workflow,
      @PathParam("key") String key,
      @RequestBody(
              required = false,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = ActionBody.Reason.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value = "{\"reason\":\"done by hand\",\"dryRun\":true}")))
          InputStream body) {
    Grant grant = authorizer.require(project, Action.WORKFLOWS_ACT);
    int flow = Ids.smallNumber(workflow, "workflow");
    ActionBody.Reason request =
        JsonBody.readOr(ActionBody.Reason.NONE, body, JsonBody.SMALL, ActionBody.Reason::read);
    return surgery.end(
        grant,
        flow,
        key,
        "skipped",
        null,
        message(grant, "skipped", request.reason()),
        request.isDryRun());
  }

  @POST
  @Audited(value = "workflow-job", mostBytes = JsonBody.LARGE)
  @Path("/mark-succeeded")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "markWorkflowJobSucceeded",
      summary =
          "Count a job that waits or has failed as succeeded, with a result in place of its own",
      extensions = @Extension(name = "x-role", value = "operator"))
  public SurgeryAnswer markSucceeded(
      @PathParam("project") String project,
      @PathParam("workflow") String workflow,
      @PathParam("key") String key,
      @RequestBody(
              required = false,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = ActionBody.Mark.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value =
                                  "{\"result\":{\"rows\":12},\"reason\":\"loaded by hand\",\"dryRun\":false}")))
          InputStream body) {
    Grant grant = authorizer.require(project, Action.WORKFLOWS_ACT);
    int flow = Ids.smallNumber(workflow, "workflow");
    ActionBody.Mark request =
        JsonBody.readOr(
            ActionBody.Mark.NONE,
            body,
            JsonBody.LARGE,
            in -> ActionBody.Mark.read(in, mostPayloadBytes));
    Object result = request.result();
    return surgery.end(
        grant,
        flow,
        key,
        "succeeded",
        result == null ? null : result.toString(),
        message(grant, "marked as succeeded", request.reason()),
        Boolean.TRUE.equals(request.dryRun()));
  }

  private static String message(Grant grant, String what, @Nullable String reason) {
    String who = what + " by " + grant.actor().label();
    return reason == null ? who : who + ": " + reason;
  }

  private long find(Grant grant, int workflow, String key) {
    // What is no name names nothing, and a NUL never reaches the database.
    return Optional.of(key)
        .filter(Fields::isName)
        .flatMap(name -> members.findMember(grant.projectId(), workflow, name))
        .orElseThrow(() -> ProblemException.notFound("job of the workflow"));
  }

  private Response answer(Grant grant, long job) {
    Job found =
        jobs.findJob(
                grant.projectId(), job, grant.payloadVisible(), grant.permits(Action.LEASES_READ))
            .orElseThrow(() -> ProblemException.notFound("job of the workflow"));
    return Response.ok(found).tag(members.findTag(job).orElse("")).build();
  }

  /** What stands between the quotes of the one tag given; null for none and for any. */
  private static @Nullable String tagOf(@Nullable String ifMatch) {
    if (ifMatch == null || ifMatch.strip().equals("*")) {
      return null;
    }
    return ifMatch.strip().replace("\"", "");
  }
}
