package io.jobscheduler.api.queues;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.jobs.RetryPolicy;
import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.paging.Cursor;
import io.jobscheduler.api.paging.Limit;
import io.jobscheduler.api.paging.Page;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.signal.Signals;
import io.jobscheduler.api.signal.Topic;
import io.jobscheduler.api.trail.Audited;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponseSchema;
import org.jspecify.annotations.Nullable;

/** Queues of a project. */
@Path("/api/v1/projects/{project}/queues")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class QueuesResource {
  private static final String EXAMPLE =
      """
      {"weight":2,"maxConcurrency":10,"perKeyConcurrency":1,
       "rateLimit":{"limit":100,"period":"PT1M","burst":20},"maxDepth":100000,"aging":"PT1M",
       "retry":{"strategy":"exponential","base":"PT5S"},"timeout":"PT10M",
       "retention":{"finished":"P7D","dead":"P30D"},"searchablePaths":["order.id"]}
      """;

  private final QueueStore store;
  private final QueueEditStore edits;
  private final Authorizer authorizer;
  private final Signals signals;

  QueuesResource(QueueStore store, QueueEditStore edits, Authorizer authorizer, Signals signals) {
    this.store = store;
    this.edits = edits;
    this.authorizer = authorizer;
    this.signals = signals;
  }

  /** Body of a queue; a member that is null or absent has its default, in a PATCH its old value. */
  @Schema(name = "QueueRequest")
  public record QueueRequest(
      @Schema(minimum = "1", maximum = "1000", defaultValue = "1") @Nullable Integer weight,
      @Schema(minimum = "0", maximum = "1000000", description = "null: no limit; 0: nothing starts")
          @Nullable Integer maxConcurrency,
      @Schema(minimum = "1", maximum = "1000000") @Nullable Integer perKeyConcurrency,
      @Nullable RateLimitRequest rateLimit,
      @Schema(minimum = "1", description = "what would make more wait is refused with 429")
          @Nullable Integer maxDepth,
      @Schema(description = "the wait that outweighs one step of priority, PT0.001S to PT24H")
          @Nullable Duration aging,
      @Nullable RetryPolicy retry,
      @Schema(description = "PT0.001S to PT720H") @Nullable Duration timeout,
      QueueSettings.@Nullable Retention retention,
      @Schema(
              description =
                  "up to 5 paths of payloads, such as order.customer.id: a list of this queue's"
                      + " jobs by one of them goes by an index, of the jobs handed in since")
          @Nullable List<String> searchablePaths) {}

  /** A rate: up to burst jobs at once, then limit in each period. */
  @Schema(name = "QueueRateLimitRequest")
  public record RateLimitRequest(
      @Schema(minimum = "1", maximum = "1000000") int limit,
      @Schema(description = "PT0.001S to PT24H") Duration period,
      @Schema(minimum = "1", maximum = "1000000", description = "limit if not given")
          @Nullable Integer burst) {}

  @GET
  @Operation(
      operationId = "listQueues",
      summary = "List queues by name, with their depth",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public Page<Queue> list(
      @PathParam("project") String project,
      @QueryParam("limit") @Nullable String limitText,
      @QueryParam("cursor") @Nullable String cursor) {
    Grant grant = authorizer.requireInQueues(project, Action.QUEUES_READ);
    int limit = Limit.of(limitText);
    return Page.of(
        store.listQueues(grant.projectId(), grant.queueIds(), Cursor.name(cursor), limit + 1),
        limit,
        Queue::name,
        store.countQueues(grant.projectId(), grant.queueIds()));
  }

  @GET
  @Path("/{queue}")
  @Operation(
      operationId = "getQueue",
      summary = "Read a queue",
      extensions = @Extension(name = "x-role", value = "viewer"))
  @APIResponseSchema(value = Queue.class, responseCode = "200")
  public Response get(@PathParam("project") String project, @PathParam("queue") String name) {
    Grant grant = authorizer.requireInQueues(project, Action.QUEUES_READ);
    return answer(Response.Status.OK, grant, name);
  }

  @PUT
  @Audited("queue")
  @Path("/{queue}")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "putQueue",
      summary = "Create or replace a queue",
      extensions = @Extension(name = "x-role", value = "admin"))
  @APIResponseSchema(value = Queue.class, responseCode = "200")
  @APIResponse(
      responseCode = "201",
      description = "There was none of this name.",
      content =
          @Content(mediaType = "application/json", schema = @Schema(implementation = Queue.class)))
  public Response put(
      @PathParam("project") String project,
      @PathParam("queue") String name,
      @HeaderParam(HttpHeaders.IF_MATCH) @Nullable String ifMatch,
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = QueueRequest.class),
                      examples = @ExampleObject(name = "example", value = EXAMPLE)))
          InputStream body) {
    Grant grant = authorizer.require(project, Action.QUEUES_EDIT);
    if (!Fields.isName(name)) {
      throw ProblemException.at(
          ProblemType.VALIDATION_FAILED, "{queue}", "The queue's name in the path is not a name.");
    }
    QueueBody request = JsonBody.read(body, JsonBody.SMALL, QueueBody::read);
    boolean created = edits.putQueue(grant.projectId(), name, request.settings(), ifMatch);
    signals.changed(grant.project(), Topic.QUEUES);
    return answer(created ? Response.Status.CREATED : Response.Status.OK, grant, name);
  }

  @PATCH
  @Audited("queue")
  @Path("/{queue}")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "patchQueue",
      summary = "Change what is given of a queue; null sets the default",
      extensions = @Extension(name = "x-role", value = "admin"))
  @APIResponseSchema(value = Queue.class, responseCode = "200")
  public Response patch(
      @PathParam("project") String project,
      @PathParam("queue") String name,
      @HeaderParam(HttpHeaders.IF_MATCH) @Nullable String ifMatch,
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = QueueRequest.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value = "{\"maxConcurrency\":20,\"rateLimit\":null}")))
          InputStream body) {
    Grant grant = authorizer.require(project, Action.QUEUES_EDIT);
    QueueBody request = JsonBody.read(body, JsonBody.SMALL, QueueBody::read);
    if (!Fields.isName(name)
        || !edits.patchQueue(
            grant.projectId(), name, request.settings(), request.given(), ifMatch)) {
      throw ProblemException.notFound("queue");
    }
    signals.changed(grant.project(), Topic.QUEUES);
    return answer(Response.Status.OK, grant, name);
  }

  @DELETE
  @Audited("queue")
  @Path("/{queue}")
  @Operation(
      operationId = "deleteQueue",
      summary = "Delete a queue that holds no live job; its ended jobs stay",
      extensions = @Extension(name = "x-role", value = "admin"))
  public void delete(
      @PathParam("project") String project,
      @PathParam("queue") String name,
      @HeaderParam(HttpHeaders.IF_MATCH) @Nullable String ifMatch) {
    Grant grant = authorizer.require(project, Action.QUEUES_EDIT);
    if (name.equals("default")) {
      throw ProblemException.of(ProblemType.CONFLICT, "Every project keeps its queue \"default\".");
    }
    switch (Fields.isName(name)
        ? edits.deleteQueue(grant.projectId(), name, ifMatch)
        : QueueEditStore.Deletion.NOT_FOUND) {
      case DELETED -> signals.changed(grant.project(), Topic.QUEUES);
      case NOT_FOUND -> throw ProblemException.notFound("queue");
      case HOLDS_JOBS ->
          throw ProblemException.of(
              ProblemType.CONFLICT, "The queue holds jobs that have not ended.");
      case HAS_SCHEDULES ->
          throw ProblemException.of(ProblemType.CONFLICT, "A schedule makes jobs in this queue.");
    }
  }

  @POST
  @Audited("queue")
  @Path("/{queue}/pause")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "pauseQueue",
      summary = "Start no more jobs of a queue; running ones go on",
      extensions = @Extension(name = "x-role", value = "operator"))
  @APIResponseSchema(value = Queue.class, responseCode = "200")
  public Queue pause(
      @PathParam("project") String project,
      @PathParam("queue") String name,
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = PauseQueueRequest.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value =
                                  "{\"reason\":\"the provider is"
                                      + " down\",\"until\":\"2030-01-31T08:00:00Z\"}")))
          InputStream body) {
    Grant grant = authorizer.requireInQueues(project, Action.QUEUES_PAUSE);
    PauseQueueRequest request = JsonBody.read(body, JsonBody.SMALL, PauseQueueRequest::read);
    if (!reaches(grant, name)
        || !edits.pauseQueue(
            grant.projectId(), name, request.reason(), grant.actor().label(), request.until())) {
      throw ProblemException.notFound("queue");
    }
    signals.changed(grant.project(), Topic.QUEUES);
    return find(grant, name);
  }

  @POST
  @Audited("queue")
  @Path("/{queue}/resume")
  @Operation(
      operationId = "resumeQueue",
      summary = "End a queue's pause",
      extensions = @Extension(name = "x-role", value = "operator"))
  @APIResponseSchema(value = Queue.class, responseCode = "200")
  public Queue resume(@PathParam("project") String project, @PathParam("queue") String name) {
    Grant grant = authorizer.requireInQueues(project, Action.QUEUES_PAUSE);
    if (!reaches(grant, name) || !edits.resumeQueue(grant.projectId(), name)) {
      throw ProblemException.notFound("queue");
    }
    signals.changed(grant.project(), Topic.QUEUES);
    return find(grant, name);
  }

  private static boolean reaches(Grant grant, String name) {
    return Fields.isName(name) && (grant.queues() == null || grant.queues().containsKey(name));
  }

  // An edit is still in its transaction and holds the row, so the tag is that of what it made.
  private Response answer(Response.Status status, Grant grant, String name) {
    Queue queue = find(grant, name);
    return Response.status(status).header(HttpHeaders.ETAG, queue.etag()).entity(queue).build();
  }

  private Queue find(Grant grant, String name) {
    if (!reaches(grant, name)) {
      throw ProblemException.notFound("queue");
    }
    return store
        .findQueue(grant.projectId(), name)
        .orElseThrow(() -> ProblemException.notFound("queue"));
  }
}
