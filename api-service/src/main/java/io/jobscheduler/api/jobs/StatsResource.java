package io.jobscheduler.api.jobs;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.paging.Count;
import io.jobscheduler.api.statistics.History;
import io.jobscheduler.api.statistics.HistoryRequest;
import io.jobscheduler.api.statistics.HistoryStore;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.jspecify.annotations.Nullable;

/** How many jobs a project has in each state, and what became of them over time. */
@Path("/api/v1/projects/{project}/stats")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class StatsResource {
  private final Authorizer authorizer;
  private final StatsStore store;
  private final HistoryStore history;

  StatsResource(Authorizer authorizer, StatsStore store, HistoryStore history) {
    this.authorizer = authorizer;
    this.store = store;
    this.history = history;
  }

  /**
   * Counts by state as of now. With any of the parameters also the history: times in RFC 3339,
   * {@code from} inclusive, {@code to} exclusive, both widened to whole spans.
   */
  @GET
  @Operation(
      operationId = "getStats",
      summary = "Count jobs by state; with from, to or bucket also what ended over time",
      description =
          "The history is rolled up each minute. Minutes are kept for 48 hours, hours for 90 days,"
              + " days (of UTC) for two years; at most 1,500 spans in one answer. Without from: the"
              + " last hour of minutes, day of hours, or 30 days. Percentiles are true to within a"
              + " factor of the root of two.",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public Stats get(
      @PathParam("project") String project,
      @Parameter(description = "minute, hour or day; minute when absent") @QueryParam("bucket")
          @Nullable String bucket,
      @Parameter(description = "begin, such as 2026-01-31T08:00:00Z") @QueryParam("from")
          @Nullable String from,
      @Parameter(description = "end; now when absent") @QueryParam("to") @Nullable String to,
      @Parameter(description = "this queue only") @QueryParam("queue") @Nullable String queue,
      @Parameter(description = "this type only") @QueryParam("type") @Nullable String type) {
    int projectId = authorizer.require(project, Action.STATS_READ).projectId();
    boolean counts = Stream.of(bucket, from, to, queue, type).allMatch(Objects::isNull);
    HistoryRequest request =
        counts ? null : HistoryRequest.of(bucket, from, to, queue, type, history.now());
    StatsStore.Counted counted = store.countByState(projectId);
    return new Stats(
        counted.counts(),
        counted.asOf(),
        request == null ? null : history.history(projectId, request));
  }

  /**
   * Jobs by state.
   *
   * @param asOf when they were counted, by the database's clock
   * @param history only when it was asked for
   */
  public record Stats(Map<String, Count> counts, Instant asOf, @Nullable History history) {}
}
