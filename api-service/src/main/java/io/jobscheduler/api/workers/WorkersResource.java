package io.jobscheduler.api.workers;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.access.Grant;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;

/** The workers that serve a project. */
@Path("/api/v1/projects/{project}/workers")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class WorkersResource {
  private final Authorizer authorizer;
  private final WorkerStore store;

  WorkersResource(Authorizer authorizer, WorkerStore store) {
    this.authorizer = authorizer;
    this.store = store;
  }

  /** Workers, those that live first. */
  public record Workers(List<Worker> items) {}

  @GET
  @Operation(
      operationId = "listWorkers",
      summary = "List the workers that serve the project",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public Workers list(@PathParam("project") String project) {
    Grant grant = authorizer.require(project, Action.WORKERS_READ);
    return new Workers(store.listWorkers(grant.projectId()));
  }
}
