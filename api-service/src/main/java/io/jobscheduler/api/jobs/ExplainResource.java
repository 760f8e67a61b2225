package io.jobscheduler.api.jobs;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.problem.ProblemException;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;

/** Why a job does not run. */
@Path("/api/v1/projects/{project}/jobs")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class ExplainResource {
  private final Authorizer authorizer;
  private final Explaining explaining;

  ExplainResource(Authorizer authorizer, Explaining explaining) {
    this.authorizer = authorizer;
    this.explaining = explaining;
  }

  @GET
  @Path("/{job}/explain")
  @Operation(
      operationId = "explainJob",
      summary = "Tell all that keeps a job from running now",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public Explanation explain(@PathParam("project") String project, @PathParam("job") String job) {
    Grant grant = authorizer.requireInQueues(project, Action.JOBS_READ);
    return explaining
        .explain(grant, authorizer.job(grant, job))
        .orElseThrow(() -> ProblemException.notFound("job"));
  }
}
