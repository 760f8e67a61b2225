package io.jobscheduler.api.workflows;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.jobs.JobLimits;
import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.paging.Ids;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.trail.AuditTrail;
import io.jobscheduler.api.trail.Audited;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;

/** Gates of a workflow: what it waits for, and how that is told. */
@Path("/api/v1/projects/{project}/workflows/{workflow}")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class GatesResource {
  private final Authorizer authorizer;
  private final Surgery surgery;
  private final GateStore store;
  private final MemberStore members;
  private final AuditTrail trail;
  private final int mostPayloadBytes;

  GatesResource(
      Authorizer authorizer,
      Surgery surgery,
      GateStore store,
      MemberStore members,
      AuditTrail trail,
      JobLimits limits) {
    this.authorizer = authorizer;
    this.surgery = surgery;
    this.store = store;
    this.members = members;
    this.trail = trail;
    this.mostPayloadBytes = JobLimits.payloadBytes(limits);
  }

  /** The gates that have not ended. */
  @Schema(name = "WorkflowGates")
  public record Gates(List<GateStore.Gate> items) {}

  /** The decisions on approvals. */
  @Schema(name = "WorkflowApprovals")
  public record Approvals(List<GateStore.Approval> items) {}

  /**
   * What a signal or a decision has done.
   *
   * @param opened how many jobs became ready by it at once
   */
  @Schema(name = "GateAnswer")
  public record Answer(int opened) {}

  @GET
  @Path("/gates")
  @Operation(
      operationId = "listWorkflowGates",
      summary = "List the gates of a workflow that have not ended",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public Gates gates(@PathParam("project") String project, @PathParam("workflow") String workflow) {
    Grant grant = authorizer.require(project, Action.WORKFLOWS_READ);
    return new Gates(
        store
            .listGates(grant.projectId(), Ids.smallNumber(workflow, "workflow"))
            .orElseThrow(Surgery::absent));
  }

  @GET
  @Path("/approvals")
  @Operation(
      operationId = "listWorkflowApprovals",
      summary = "List the decisions on approvals of a workflow, newest first",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public Approvals approvals(
      @PathParam("project") String project, @PathParam("workflow") String workflow) {
    Grant grant = authorizer.require(project, Action.WORKFLOWS_READ);
    return new Approvals(
        store
            .listApprovals(grant.projectId(), Ids.smallNumber(workflow, "workflow"))
            .orElseThrow(Surgery::absent));
  }

  @POST
  @Audited(value = "workflow-signal", mostBytes = JsonBody.LARGE)
  @Path("/signals/{name}")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "signalWorkflow",
      summary = "Send a signal to a workflow; it is kept for gates that open later",
      extensions = @Extension(name = "x-role", value = "operator"))
  public Answer signal(
      @PathParam("project") String project,
      @PathParam("workflow") String workflow,
      @PathParam("name") String name,
      @RequestBody(
              required = false,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = GateBody.Signal.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value = "{\"payload\":{\"file\":\"in/2030-01-31.csv\"}}")))
          InputStream body) {
    Grant grant = authorizer.require(project, Action.WORKFLOWS_ACT);
    int id = Ids.smallNumber(workflow, "workflow");
    if (!Fields.isName(name)) {
      throw ProblemException.notFound("signal");
    }
    GateBody.Signal request =
        JsonBody.readOr(
            GateBody.Signal.NONE,
            body,
            JsonBody.LARGE,
            in -> GateBody.Signal.read(in, mostPayloadBytes));
    Object given = request.payload();
    String payload = given == null ? null : given.toString();
    String by = grant.actor().label();
    return surgery.change(
        grant,
        id,
        h -> {
          SurgeryStore.Done done = store.send(h, grant.projectId(), id, name, payload, by);
          Surgery.check(done.verdict());
          trail.changed("payload", null, AuditTrail.hash(payload));
          return new Surgery.Outcome<>(new Answer(done.ready().size()), done.ready());
        });
  }

  @POST
  @Audited("workflow-approval")
  @Path("/approvals/{key}")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "decideWorkflowApproval",
      summary = "Approve or reject what a gate of a workflow asks for",
      extensions = @Extension(name = "x-role", value = "operator"))
  public Answer decide(
      @PathParam("project") String project,
      @PathParam("workflow") String workflow,
      @PathParam("key") String key,
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = GateBody.Decision.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value =
                                  "{\"decision\":\"approve\",\"comment\":\"figures checked\"}")))
          InputStream body) {
    Grant grant = authorizer.require(project, Action.WORKFLOWS_ACT);
    int id = Ids.smallNumber(workflow, "workflow");
    GateBody.Decision request = JsonBody.read(body, JsonBody.SMALL, GateBody.Decision::read);
    long job =
        Optional.of(key)
            .filter(Fields::isName)
            .flatMap(name -> members.findMember(grant.projectId(), id, name))
            .orElseThrow(GatesResource::noGate);
    String by = grant.actor().label();
    return surgery.change(
        grant,
        id,
        h -> {
          SurgeryStore.Done done =
              store.decide(
                  h, grant.projectId(), id, job, request.decision(), by, request.comment());
          refuse(done.verdict());
          trail.changed("decision", null, request.decision());
          trail.changed("comment", null, request.comment());
          return new Surgery.Outcome<>(new Answer(done.ready().size()), done.ready());
        });
  }

  private static void refuse(String verdict) {
    switch (verdict) {
      case "decided" -> {
        // It was open.
      }
      case "absent", "not-gate" -> throw noGate();
      case "not-open" ->
          throw Surgery.conflict("Nobody is asked yet: jobs that it depends on have not ended.");
      case "expired" -> throw Surgery.conflict("The time to decide has passed.");
      default -> throw Surgery.conflict("The gate has ended already.");
    }
  }

  private static ProblemException noGate() {
    return ProblemException.notFound("approval gate");
  }
}
