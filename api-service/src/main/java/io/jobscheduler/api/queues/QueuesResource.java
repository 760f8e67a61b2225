package io.jobscheduler.api.queues;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.json.JsonReader;
import io.jobscheduler.api.paging.Cursor;
import io.jobscheduler.api.paging.Limit;
import io.jobscheduler.api.paging.Page;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.signal.Signals;
import io.jobscheduler.api.signal.Topic;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
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

/** Queues of a project. */
@Path("/api/v1/projects/{project}/queues")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class QueuesResource {
  private static final int HEAVIEST = 1000;
  private static final int WIDEST = 1_000_000;

  private final QueueStore store;
  private final Authorizer authorizer;
  private final Signals signals;

  QueuesResource(QueueStore store, Authorizer authorizer, Signals signals) {
    this.store = store;
    this.authorizer = authorizer;
    this.signals = signals;
  }

  /** Body of a queue. */
  public record QueueRequest(int weight, @Nullable Integer maxConcurrency) {}

  @GET
  @Operation(
      operationId = "listQueues",
      summary = "List queues by name, with their depth",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public Page<Queue> list(
      @PathParam("project") String project,
      @QueryParam("limit") @Nullable String limitText,
      @QueryParam("cursor") @Nullable String cursor) {
    Grant grant = authorizer.require(project, Action.QUEUES_READ);
    int limit = Limit.of(limitText);
    return Page.of(
        store.listQueues(grant.projectId(), Cursor.name(cursor), limit + 1),
        limit,
        Queue::name,
        store.countQueues(grant.projectId()));
  }

  @GET
  @Path("/{queue}")
  @Operation(
      operationId = "getQueue",
      summary = "Read a queue",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public Queue get(@PathParam("project") String project, @PathParam("queue") String name) {
    Grant grant = authorizer.require(project, Action.QUEUES_READ);
    return find(grant, name);
  }

  @PUT
  @Path("/{queue}")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "putQueue",
      summary = "Create or replace a queue",
      extensions = @Extension(name = "x-role", value = "admin"))
  @APIResponseSchema(value = Queue.class, responseCode = "200")
  public Response put(
      @PathParam("project") String project,
      @PathParam("queue") String name,
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = QueueRequest.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value = "{\"weight\":2,\"maxConcurrency\":10}")))
          InputStream body) {
    Grant grant = authorizer.require(project, Action.QUEUES_EDIT);
    if (!Fields.isName(name)) {
      throw ProblemException.of(
          ProblemType.VALIDATION_FAILED, "The queue's name in the path is not a name.");
    }
    QueueRequest request = JsonBody.read(body, JsonBody.SMALL, QueuesResource::readQueue);
    boolean created =
        store.putQueue(grant.projectId(), name, request.weight(), request.maxConcurrency());
    signals.changed(grant.project(), Topic.QUEUES);
    return Response.status(created ? Response.Status.CREATED : Response.Status.OK)
        .entity(find(grant, name))
        .build();
  }

  private Queue find(Grant grant, String name) {
    if (!Fields.isName(name)) {
      throw ProblemException.notFound("queue");
    }
    return store
        .findQueue(grant.projectId(), name)
        .orElseThrow(() -> ProblemException.notFound("queue"));
  }

  private static @Nullable QueueRequest readQueue(JsonReader in) {
    if (!in.startObject()) {
      return null;
    }
    int weight = 1;
    Integer maxConcurrency = null;
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "weight" -> {
          Integer given = in.integer(1, HEAVIEST);
          weight = given == null ? weight : given;
        }
        case "maxConcurrency" -> maxConcurrency = in.integer(0, WIDEST);
        default -> in.unknownField();
      }
    }
    return new QueueRequest(weight, maxConcurrency);
  }
}
