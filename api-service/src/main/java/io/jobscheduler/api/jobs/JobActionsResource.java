package io.jobscheduler.api.jobs;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.json.JsonReader;
import io.jobscheduler.api.trail.Audited;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.jspecify.annotations.Nullable;

/** What an operator does to one job. The answer is the job as it is then. */
@Path("/api/v1/projects/{project}/jobs")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class JobActionsResource {
  private static final int LONGEST_REASON = 1_000;

  private final Authorizer authorizer;
  private final JobActions actions;
  private final JobStore store;

  JobActionsResource(Authorizer authorizer, JobActions actions, JobStore store) {
    this.authorizer = authorizer;
    this.actions = actions;
    this.store = store;
  }

  /** Why a job is cancelled. */
  @Schema(name = "CancelRequest")
  public record CancelBody(@Schema(maxLength = LONGEST_REASON) @Nullable String reason) {}

  /** That a running job has been asked to end; it ends as cancelled, unless it succeeds first. */
  public record CancelRequested(boolean cancelRequested, Job job) {}

  @POST
  @Audited("job")
  @Path("/{job}/cancel")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "cancelJob",
      summary = "Cancel a job: at once if it waits, else by asking its worker to end it",
      extensions = @Extension(name = "x-role", value = "operator"))
  @APIResponse(
      responseCode = "200",
      description = "It is cancelled, for good.",
      content = @Content(schema = @Schema(implementation = Job.class)))
  @APIResponse(
      responseCode = "202",
      description = "It runs; its worker has been asked to end it.",
      content = @Content(schema = @Schema(implementation = CancelRequested.class)))
  public Response cancel(
      @PathParam("project") String project,
      @PathParam("job") String job,
      @RequestBody(
              required = false,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = CancelBody.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value = "{\"reason\":\"customer has gone\"}")))
          InputStream body) {
    Grant grant = authorizer.requireInQueues(project, Action.JOBS_CANCEL);
    long id = authorizer.job(grant, job);
    CancelBody request =
        JsonBody.readOr(new CancelBody(null), body, JsonBody.SMALL, JobActionsResource::readCancel);
    boolean isFinal = actions.cancel(grant, id, grant.actor().label(), request.reason());
    Job after = store.getJob(grant, id);
    return isFinal
        ? Response.ok(after).build()
        : Response.accepted(new CancelRequested(true, after)).build();
  }

  private static @Nullable CancelBody readCancel(JsonReader in) {
    if (!in.startObject()) {
      return null;
    }
    String reason = null;
    String field;
    while ((field = in.nextField()) != null) {
      if (field.equals("reason")) {
        reason = Fields.text(in, 1, LONGEST_REASON);
      } else {
        in.unknownField();
      }
    }
    return new CancelBody(reason);
  }

  /** Which jobs are retried. */
  @Schema(name = "RetryRequest")
  public record RetryBody(
      @Schema(defaultValue = "false", description = "run it again although it has succeeded")
          @Nullable Boolean evenIfSucceeded) {}

  @POST
  @Audited("job")
  @Path("/{job}/retry")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "retryJob",
      summary = "Run a job again that has ended, or now instead of after its backoff",
      extensions = @Extension(name = "x-role", value = "operator"))
  public Job retry(
      @PathParam("project") String project,
      @PathParam("job") String job,
      @RequestBody(
              required = false,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = RetryBody.class),
                      examples =
                          @ExampleObject(name = "example", value = "{\"evenIfSucceeded\":false}")))
          InputStream body) {
    Grant grant = authorizer.requireInQueues(project, Action.JOBS_RETRY);
    long id = authorizer.job(grant, job);
    RetryBody request =
        JsonBody.readOr(new RetryBody(null), body, JsonBody.SMALL, JobActionsResource::readRetry);
    actions.retry(grant, id, Boolean.TRUE.equals(request.evenIfSucceeded()));
    return store.getJob(grant, id);
  }

  private static @Nullable RetryBody readRetry(JsonReader in) {
    if (!in.startObject()) {
      return null;
    }
    Boolean evenIfSucceeded = null;
    String field;
    while ((field = in.nextField()) != null) {
      if (field.equals("evenIfSucceeded")) {
        evenIfSucceeded = in.bool();
      } else {
        in.unknownField();
      }
    }
    return new RetryBody(evenIfSucceeded);
  }

  @POST
  @Audited("job")
  @Path("/{job}/run-now")
  @Operation(
      operationId = "runJobNow",
      summary = "Make a scheduled or retrying job ready now",
      extensions = @Extension(name = "x-role", value = "operator"))
  public Job runNow(@PathParam("project") String project, @PathParam("job") String job) {
    Grant grant = authorizer.requireInQueues(project, Action.JOBS_RETRY);
    long id = authorizer.job(grant, job);
    actions.runNow(grant, id);
    return store.getJob(grant, id);
  }
}
