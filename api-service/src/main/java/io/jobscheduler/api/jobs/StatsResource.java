package io.jobscheduler.api.jobs;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;

/** How many jobs a project has in each state. */
@Path("/api/v1/projects/{project}/stats")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class StatsResource {
  private final Authorizer authorizer;
  private final StatsStore store;

  StatsResource(Authorizer authorizer, StatsStore store) {
    this.authorizer = authorizer;
    this.store = store;
  }

  @GET
  @Operation(
      operationId = "getStats",
      summary = "Count jobs by state",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public StatsStore.Stats get(@PathParam("project") String project) {
    return store.countByState(authorizer.require(project, Action.STATS_READ).projectId());
  }
}
