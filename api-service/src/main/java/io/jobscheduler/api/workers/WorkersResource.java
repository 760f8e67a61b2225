package io.jobscheduler.api.workers;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.paging.Ids;
import io.jobscheduler.api.paging.Limit;
import io.jobscheduler.api.paging.Page;
import io.jobscheduler.api.paging.Place;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.signal.Signals;
import io.jobscheduler.api.trail.Audited;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.util.function.LongConsumer;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponseSchema;
import org.jspecify.annotations.Nullable;

/** The workers that serve a project. */
@Path("/api/v1/projects/{project}/workers")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class WorkersResource {
  private final Authorizer authorizer;
  private final WorkerStore store;
  private final Signals signals;

  WorkersResource(Authorizer authorizer, WorkerStore store, Signals signals) {
    this.authorizer = authorizer;
    this.store = store;
    this.signals = signals;
  }

  @GET
  @Operation(
      operationId = "listWorkers",
      summary = "List the workers that serve the project, the latest start first",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public Page<Worker> list(
      @PathParam("project") String project,
      @QueryParam("limit") @Nullable String limitText,
      @QueryParam("cursor") @Nullable String cursor) {
    Grant grant = authorizer.require(project, Action.WORKERS_READ);
    int limit = Limit.of(limitText);
    return Page.of(
        store.listWorkers(grant.projectId(), Place.of(cursor), limit + 1),
        limit,
        worker -> new Place(Place.micros(worker.startedAt()), Long.parseLong(worker.id())).key(),
        store.countWorkers(grant.projectId()));
  }

  @POST
  @Audited("worker")
  @Path("/{worker}/drain")
  @Operation(
      operationId = "drainWorker",
      summary =
          "Have a worker claim nothing more and finish what it runs; it stays until it is ended",
      extensions = @Extension(name = "x-role", value = "platform-admin"))
  @APIResponseSchema(value = Worker.class, responseCode = "200")
  public Worker drain(@PathParam("project") String project, @PathParam("worker") String worker) {
    return ask(project, worker, store::askToDrain);
  }

  @POST
  @Audited("worker")
  @Path("/{worker}/resume")
  @Operation(
      operationId = "resumeWorker",
      summary = "Have a worker that was asked to drain claim again",
      extensions = @Extension(name = "x-role", value = "platform-admin"))
  @APIResponseSchema(value = Worker.class, responseCode = "200")
  public Worker resume(@PathParam("project") String project, @PathParam("worker") String worker) {
    return ask(project, worker, store::askToResume);
  }

  /** Workers serve the whole fleet, so a project's admin may not. */
  private Worker ask(String project, String text, LongConsumer wish) {
    authorizer.requirePlatformAdmin();
    Grant grant = authorizer.require(project, Action.WORKERS_READ);
    long id = Ids.number(text, "worker");
    Worker worker = find(grant, id);
    if (worker.state().equals("lost") || worker.state().equals("stopped")) {
      throw ProblemException.of(ProblemType.CONFLICT, "This worker has ended.");
    }
    wish.accept(id);
    signals.control(id);
    return find(grant, id);
  }

  private Worker find(Grant grant, long id) {
    return store
        .findWorker(grant.projectId(), id)
        .orElseThrow(() -> ProblemException.notFound("worker"));
  }
}
