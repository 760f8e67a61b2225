package io.jobscheduler.api.schedules;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.jobs.JobStore;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.workflows.WorkflowStore;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.Response;
import java.net.URI;

/**
 * What requests have made, in answers that may be given again: only where it is is recorded, as
 * another member may ask again, who sees no payloads. Reads what a trigger has made as the caller
 * may see it. Thread-safe.
 */
@ApplicationScoped
class Made {
  private static final String JOBS = "jobs";
  private static final String WORKFLOWS = "workflows";

  private final JobStore jobs;
  private final WorkflowStore workflows;

  Made(JobStore jobs, WorkflowStore workflows) {
    this.jobs = jobs;
    this.workflows = workflows;
  }

  /** 201 with the job or workflow, or 202: it waits. */
  Response first(Grant grant, TriggerStore.Triggered made) {
    if (made.jobId() != null) {
      return created(grant, JOBS, made.jobId());
    }
    if (made.workflowId() != null) {
      return created(grant, WORKFLOWS, made.workflowId());
    }
    return Response.accepted(new RunsResource.Queued(made.outcome())).build();
  }

  private Response created(Grant grant, String kind, long id) {
    URI location = URI.create("/api/v1/projects/" + grant.project() + "/" + kind + "/" + id);
    return Response.created(location).entity(find(grant, kind, id)).build();
  }

  /** Of an answer that says where something is, only that. */
  static Response kept(Response answer) {
    return answer.getLocation() == null
        ? answer
        : Response.status(answer.getStatus()).location(answer.getLocation()).build();
  }

  /**
   * What was {@link #kept}, with what it names as that is now.
   *
   * @throws ProblemException 409 when it is not kept any more
   */
  Response again(Grant grant, Response recorded) {
    URI location = recorded.getLocation();
    if (location == null) {
      return recorded;
    }
    String[] path = location.getPath().split("/", -1);
    return Response.fromResponse(recorded)
        .entity(find(grant, path[path.length - 2], idOf(location)))
        .build();
  }

  private Object find(Grant grant, String kind, long id) {
    return kind.equals(WORKFLOWS)
        ? workflows.findWorkflow(grant.projectId(), (int) id).orElseThrow(Made::gone)
        : jobs.findJob(
                grant.projectId(), id, grant.payloadVisible(), grant.permits(Action.LEASES_READ))
            .orElseThrow(Made::gone);
  }

  /** The number that a location ends with. */
  static long idOf(URI location) {
    String path = location.getPath();
    return Long.parseLong(path.substring(path.lastIndexOf('/') + 1));
  }

  /** The record of an answer may outlast what was made. */
  static ProblemException gone() {
    return ProblemException.of(
        ProblemType.CONFLICT,
        "This request was carried out before; what it made is not kept any more.");
  }
}
