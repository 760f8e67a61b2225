package io.jobscheduler.api.jobs;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.idempotency.Idempotency;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.paging.Cursor;
import io.jobscheduler.api.paging.Ids;
import io.jobscheduler.api.paging.Limit;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.trail.Unaudited;
import io.quarkus.security.Authenticated;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import jakarta.ws.rs.core.UriInfo;
import java.io.InputStream;
import java.util.List;
import java.util.Locale;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponseSchema;
import org.jboss.resteasy.reactive.RestResponse;
import org.jspecify.annotations.Nullable;

/** Jobs of a project: hand in, read, list. */
@Path("/api/v1/projects/{project}/jobs")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class JobsResource {
  private static final String NDJSON = "application/x-ndjson";
  private static final MediaType NDJSON_TYPE = MediaType.valueOf(NDJSON);

  private final Authorizer authorizer;
  private final Enqueueing enqueueing;
  private final LineStream lines;
  private final Results results;
  private final JobStore store;
  private final JobLists lists;
  private final InputStore inputs;
  private final int mostPayloadBytes;

  JobsResource(
      Authorizer authorizer,
      Enqueueing enqueueing,
      LineStream lines,
      Results results,
      JobStore store,
      JobLists lists,
      InputStore inputs,
      JobLimits limits) {
    this.authorizer = authorizer;
    this.enqueueing = enqueueing;
    this.lines = lines;
    this.results = results;
    this.store = store;
    this.lists = lists;
    this.inputs = inputs;
    this.mostPayloadBytes = JobLimits.payloadBytes(limits);
  }

  @POST
  @Unaudited("enqueuing")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "enqueueJob",
      summary = "Enqueue a job",
      extensions = @Extension(name = "x-role", value = "operator"))
  @APIResponseSchema(value = Job.class, responseCode = "201")
  @APIResponse(
      responseCode = "200",
      description = "Another job holds its unique key and stands for it.",
      content = @Content(schema = @Schema(implementation = Enqueueing.DuplicateJob.class)))
  @Blocking
  public Uni<Response> enqueue(
      @PathParam("project") String project,
      @HeaderParam(Idempotency.KEY) @Nullable String idempotencyKey,
      @Parameter(
              description = "wait=10: answer once the job has ended, or after so many seconds",
              schema = @Schema(example = "wait=10"))
          @HeaderParam("Prefer")
          @Nullable String prefer,
      @HeaderParam("traceparent") @Nullable String traceparent,
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = JobBody.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value =
                                  "{\"type\":\"echo\",\"queue\":\"default\",\"payload\":{\"n\":1.0},\"priority\":7,\"delay\":\"PT30S\",\"maxAttempts\":5,\"retry\":{\"strategy\":\"exponential\",\"base\":\"PT10S\",\"factor\":2,\"cap\":\"PT1H\"}}")))
          InputStream body) {
    Grant grant = authorizer.requireInQueues(project, Action.JOBS_ENQUEUE);
    byte[] bytes = JsonBody.bytes(body, JsonBody.LARGE);
    JobRequest request =
        JsonBody.read(bytes, in -> JobRequestReader.readJob(in, mostPayloadBytes))
            .withTraceparent(Traceparent.of(traceparent));
    Response answer = enqueueing.enqueue(grant, request, idempotencyKey, bytes);
    return prefer == null ? Uni.createFrom().item(answer) : results.await(grant, answer, prefer);
  }

  @POST
  @Unaudited("enqueuing")
  @Path("/bulk")
  @Consumes({MediaType.APPLICATION_JSON, NDJSON})
  @Produces({MediaType.APPLICATION_JSON, NDJSON})
  @Operation(
      operationId = "enqueueJobs",
      summary = "Enqueue up to 10,000 jobs, all or none; or up to 100,000, one a line",
      extensions = @Extension(name = "x-role", value = "operator"))
  @APIResponse(
      responseCode = "201",
      description = "All of them are accepted.",
      content =
          @Content(
              mediaType = "application/json",
              schema = @Schema(implementation = Enqueueing.BulkAnswer.class)))
  @APIResponse(
      responseCode = "200",
      description = "To lines: one line for each, in order, while the others are on their way.",
      content = @Content(mediaType = NDJSON, schema = @Schema(implementation = LineAnswer.class)))
  public Response enqueueBulk(
      @Context HttpHeaders headers,
      @PathParam("project") String project,
      @HeaderParam(Idempotency.KEY) @Nullable String idempotencyKey,
      @HeaderParam("traceparent") @Nullable String traceparent,
      @RequestBody(
              required = true,
              content = {
                @Content(
                    mediaType = "application/json",
                    schema = @Schema(type = SchemaType.ARRAY, implementation = JobBody.class),
                    examples =
                        @ExampleObject(
                            name = "example",
                            value =
                                "[{\"type\":\"echo\",\"payload\":1},{\"type\":\"echo\",\"runAt\":\"2030-01-31T08:00:00Z\"}]")),
                @Content(
                    mediaType = NDJSON,
                    schema = @Schema(implementation = JobBody.class),
                    examples =
                        @ExampleObject(
                            name = "lines",
                            value =
                                "{\"type\":\"echo\",\"idempotencyKey\":\"order-1\"}\n"
                                    + "{\"type\":\"echo\"}"))
              })
          InputStream body) {
    Grant grant = authorizer.requireInQueues(project, Action.JOBS_ENQUEUE);
    String trace = Traceparent.of(traceparent);
    // As text: what is no media type at all came through as JSON, as an absent one does.
    String type = headers.getHeaderString(HttpHeaders.CONTENT_TYPE);
    if (type != null && type.toLowerCase(Locale.ROOT).startsWith(NDJSON)) {
      if (idempotencyKey != null) {
        throw ProblemException.of(
            ProblemType.BAD_REQUEST,
            "With " + NDJSON + " each line has an idempotencyKey of its own.");
      }
      return Response.ok()
          .type(NDJSON_TYPE)
          .entity(
              (StreamingOutput)
                  out ->
                      lines.answer(
                          () -> authorizer.requireInQueues(project, Action.JOBS_ENQUEUE),
                          mostPayloadBytes,
                          trace,
                          body,
                          out))
          .build();
    }
    byte[] bytes = JsonBody.bytes(body, JsonBody.LARGE);
    List<JobRequest> requests =
        JsonBody.read(bytes, in -> JobRequestReader.readJobs(in, mostPayloadBytes)).stream()
            .map(j -> j.withTraceparent(trace))
            .toList();
    return enqueueing.enqueueAll(grant, requests, idempotencyKey, bytes);
  }

  @GET
  @Operation(
      operationId = "listJobs",
      summary = "List jobs, newest first",
      description =
          "By state, workflow, schedule and error through indexes. By queue, type, tag, worker,"
              + " time of creation and payload the newest 100,000 jobs of each kind are looked at:"
              + " where there are older ones the page says partial, and its cursor goes on from"
              + " there.",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public JobLists.JobPage list(
      @PathParam("project") String project,
      @Parameter(
              description = "of these states only; repeated, or with commas between",
              example = "running,retrying")
          @QueryParam("state")
          List<String> states,
      @Parameter(description = "of this queue only", example = "mail") @QueryParam("queue")
          @Nullable String queue,
      @Parameter(description = "of this type only", example = "invoice") @QueryParam("type")
          @Nullable String type,
      @Parameter(description = "of the workflow with this id only", example = "7")
          @QueryParam("workflow")
          @Nullable String workflow,
      @Parameter(description = "made by the schedule of this name only", example = "nightly")
          @QueryParam("schedule")
          @Nullable String schedule,
      @Parameter(
              description = "that died of the error with this fingerprint only",
              example = "9f86d081884c7d65")
          @QueryParam("error")
          @Nullable String error,
      @Parameter(description = "that have this tag only", example = "vip") @QueryParam("tag")
          @Nullable String tag,
      @Parameter(description = "that this worker runs, or ran last, only", example = "42")
          @QueryParam("worker")
          @Nullable String worker,
      @Parameter(description = "handed in then or later only", example = "2026-01-31T00:00:00Z")
          @QueryParam("createdAfter")
          @Nullable String createdAfter,
      @Parameter(description = "handed in before then only", example = "2026-02-01T00:00:00Z")
          @QueryParam("createdBefore")
          @Nullable String createdBefore,
      @Parameter(
              description =
                  "In place of * a path into the payload, such as order.lines.0.id; the value as it"
                      + " was typed, a string without quotes. Up to 5. With queue, a path that the"
                      + " queue declares goes by an index.",
              example = "X-17")
          @QueryParam("payload.*")
          @Nullable String payload,
      @Context UriInfo uri,
      @QueryParam("limit") @Nullable String limitText,
      @QueryParam("cursor") @Nullable String cursor) {
    Grant grant = authorizer.requireInQueues(project, Action.JOBS_READ);
    JobFilter filter =
        JobFilter.of(states, queue, type, workflow).ofSchedule(schedule).ofError(error);
    JobSearch search =
        JobSearch.of(tag, worker, createdAfter, createdBefore, uri.getQueryParameters());
    if (!search.payload().isEmpty() && !grant.payloadVisible()) {
      throw ProblemException.of(
          ProblemType.FORBIDDEN, "A search in payloads tells of them, and you may not see those.");
    }
    filter = filter.matching(search);
    return lists.list(grant, filter, Cursor.number(cursor, Long.MAX_VALUE), Limit.of(limitText));
  }

  @GET
  @Path("/{job}")
  @Operation(
      operationId = "getJob",
      summary = "Read a job",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public RestResponse<Job> get(@PathParam("project") String project, @PathParam("job") String job) {
    Grant grant = authorizer.requireInQueues(project, Action.JOBS_READ);
    return JobEditsResource.withEtag(store.getJob(grant, authorizer.job(grant, job)));
  }

  @GET
  @Path("/{job}/inputs")
  @Operation(
      operationId = "listJobInputs",
      summary = "Read the results of the jobs that a job waits for",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public JobInputs inputs(@PathParam("project") String project, @PathParam("job") String job) {
    // Not for a key of some queues: parents may be of others.
    Grant grant = authorizer.require(project, Action.JOBS_READ);
    long id = Ids.number(job, "job");
    // Another project's job has none to show.
    store.getJob(grant, id);
    return inputs.inputs(id, grant.payloadVisible());
  }

  /** The attempts of a job, oldest first. */
  public record Attempts(List<Attempt> items) {}

  @GET
  @Path("/{job}/attempts")
  @Operation(
      operationId = "listAttempts",
      summary = "List the attempts of a job, oldest first",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public Attempts attempts(@PathParam("project") String project, @PathParam("job") String job) {
    Grant grant = authorizer.requireInQueues(project, Action.JOBS_READ);
    return new Attempts(
        store
            .listAttempts(grant.projectId(), authorizer.job(grant, job))
            .orElseThrow(() -> ProblemException.notFound("job")));
  }
}
