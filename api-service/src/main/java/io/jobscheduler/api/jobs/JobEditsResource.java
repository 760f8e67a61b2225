package io.jobscheduler.api.jobs;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.trail.Audited;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.jboss.resteasy.reactive.RestResponse;
import org.jspecify.annotations.Nullable;

/** Changes of single jobs. */
@Path("/api/v1/projects/{project}/jobs")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class JobEditsResource {
  private final Authorizer authorizer;
  private final JobEdits edits;
  private final JobStore store;
  private final int mostPayloadBytes;

  JobEditsResource(Authorizer authorizer, JobEdits edits, JobStore store, JobLimits limits) {
    this.authorizer = authorizer;
    this.edits = edits;
    this.store = store;
    this.mostPayloadBytes = JobLimits.payloadBytes(limits);
  }

  /** What is changed; what is left out stays as it is. */
  @Schema(name = "JobChange")
  public record JobChange(
      @Schema(minimum = "0", maximum = "9") @Nullable Integer priority,
      @Schema(ref = "AnyJson") @Nullable Object payload,
      @Schema(description = "only of a job that is scheduled or ready") @Nullable Instant runAt,
      @Schema(description = "at most 20 names; an empty list takes them away")
          @Nullable List<String> tags) {}

  @PATCH
  @Audited(value = "job", mostBytes = JsonBody.LARGE)
  @Path("/{job}")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "editJob",
      summary = "Change priority, payload, time or tags of a job that waits",
      extensions = @Extension(name = "x-role", value = "operator"))
  public RestResponse<Job> edit(
      @PathParam("project") String project,
      @PathParam("job") String job,
      @HeaderParam(HttpHeaders.IF_MATCH) @Nullable String ifMatch,
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = JobChange.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value = "{\"priority\":9,\"tags\":[\"urgent\"]}")))
          InputStream body) {
    Grant grant = authorizer.requireInQueues(project, Action.JOBS_RETRY);
    long id = authorizer.job(grant, job);
    JobEdit edit = JsonBody.read(body, JsonBody.LARGE, in -> JobEdit.read(in, mostPayloadBytes));
    edits.edit(grant, id, ifMatch, edit);
    return withEtag(store.getJob(grant, id));
  }

  /** A job with its entity tag. */
  static RestResponse<Job> withEtag(Job job) {
    RestResponse.ResponseBuilder<Job> answer = RestResponse.ResponseBuilder.ok(job);
    if (job.version() != null) {
      answer.header(
          HttpHeaders.ETAG, JobEtag.of(Long.parseLong(job.summary().id()), job.version()));
    }
    return answer.build();
  }

  @DELETE
  @Audited("job")
  @Path("/{job}")
  @Operation(
      operationId = "deleteJob",
      summary = "Delete a job that has ended or waits",
      extensions = @Extension(name = "x-role", value = "operator"))
  @APIResponse(responseCode = "204", description = "It is gone, with all that was kept of it.")
  public void delete(@PathParam("project") String project, @PathParam("job") String job) {
    Grant grant = authorizer.requireInQueues(project, Action.JOBS_CANCEL);
    edits.delete(grant, authorizer.job(grant, job));
  }
}
