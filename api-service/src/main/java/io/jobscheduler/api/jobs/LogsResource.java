package io.jobscheduler.api.jobs;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.paging.Count;
import io.jobscheduler.api.paging.Cursor;
import io.jobscheduler.api.paging.Limit;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.jspecify.annotations.Nullable;

/** What the attempts of a job have said. As sensitive as payloads, which they may quote. */
@Path("/api/v1/projects/{project}/jobs")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class LogsResource {
  private final Authorizer authorizer;
  private final LogStore store;

  LogsResource(Authorizer authorizer, LogStore store) {
    this.authorizer = authorizer;
    this.store = store;
  }

  /**
   * Lines of one attempt, oldest first.
   *
   * @param generation of the attempt; null, as {@code attempt}, when the job has had none
   * @param nextCursor where the next lines begin; of a running attempt also those not yet written
   * @param count lines that are there
   * @param dropped lines that were too many, or are too old, and are not there
   */
  public record LogPage(
      @Nullable Integer generation,
      @Nullable Integer attempt,
      List<LogLine> items,
      @Nullable String nextCursor,
      Count count,
      long dropped) {}

  @GET
  @Path("/{job}/logs")
  @Operation(
      operationId = "listLogs",
      summary = "Read the log of an attempt, of the newest one if none is named",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public LogPage logs(
      @PathParam("project") String project,
      @PathParam("job") String job,
      @Parameter(schema = @Schema(implementation = Integer.class)) @QueryParam("attempt")
          @Nullable String attemptText,
      @Parameter(schema = @Schema(implementation = Integer.class)) @QueryParam("generation")
          @Nullable String generationText,
      @QueryParam("limit") @Nullable String limitText,
      @QueryParam("cursor") @Nullable String cursor) {
    Grant grant = authorizer.requireInQueues(project, Action.JOBS_READ);
    Integer attempt = number("?attempt", attemptText);
    Integer generation = number("?generation", generationText);
    int limit = Limit.of(limitText);
    int after = (int) Math.max(0, Math.min(Integer.MAX_VALUE, Cursor.number(cursor, 0)));
    long id = authorizer.job(grant, job);
    LogStore.Which which =
        store
            .findAttempt(grant.projectId(), id, attempt, generation)
            .orElseThrow(() -> ProblemException.notFound("job"));
    if (!grant.payloadVisible()) {
      throw ProblemException.of(
          ProblemType.FORBIDDEN, "Logs may quote payloads, and you may not see those.");
    }
    if (!which.isAttempt()) {
      if (attempt != null || generation != null) {
        throw ProblemException.notFound("attempt");
      }
      return new LogPage(null, null, List.of(), null, new Count(0, false), 0);
    }
    List<LogLine> lines = store.listLines(id, which.leaseToken(), after, limit + 1);
    boolean more = lines.size() > limit;
    List<LogLine> items = more ? lines.subList(0, limit) : lines;
    int last = items.isEmpty() ? after : items.get(items.size() - 1).line();
    LogStore.Extent extent = store.extent(id, which.leaseToken());
    return new LogPage(
        which.generation(),
        which.attempt(),
        items,
        more || which.running() ? Cursor.after(Integer.toString(last)) : null,
        Count.of(extent.lines()),
        extent.last() - extent.lines());
  }

  private static @Nullable Integer number(String name, @Nullable String text) {
    if (text == null) {
      return null;
    }
    try {
      int number = Integer.parseInt(text);
      if (number >= 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Falls through to the one answer.
    }
    throw ProblemException.at(ProblemType.VALIDATION_FAILED, name, "Expected a whole number.");
  }
}
