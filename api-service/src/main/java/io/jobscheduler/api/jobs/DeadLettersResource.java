package io.jobscheduler.api.jobs;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.paging.Count;
import io.jobscheduler.api.paging.Cursor;
import io.jobscheduler.api.paging.Limit;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.trail.Audited;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
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

/** The dead-letter queue: dead jobs, grouped by what they failed of. */
@Path("/api/v1/projects/{project}/dead-letters")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class DeadLettersResource {
  /** Jobs that one call brings back at most: one transaction of well under a second. */
  static final int MOST_REDRIVEN = 1_000;

  private final Authorizer authorizer;
  private final DeadLetterStore store;
  private final JobActions actions;

  DeadLettersResource(Authorizer authorizer, DeadLetterStore store, JobActions actions) {
    this.authorizer = authorizer;
    this.store = store;
    this.actions = actions;
  }

  /** Groups of dead jobs; {@code partial}: there are more than could be looked at. */
  public record DeadLetterPage(
      List<DeadLetterGroup> items, @Nullable String nextCursor, Count count, boolean partial) {}

  @GET
  @Operation(
      operationId = "listDeadLetters",
      summary = "Group dead jobs by what they failed of, the group with the newest job first",
      extensions = @Extension(name = "x-role", value = "viewer"))
  public DeadLetterPage list(
      @PathParam("project") String project,
      @Parameter(schema = @Schema(enumeration = "fingerprint", defaultValue = "fingerprint"))
          @QueryParam("groupBy")
          @Nullable String groupBy,
      @QueryParam("limit") @Nullable String limitText,
      @QueryParam("cursor") @Nullable String cursor) {
    Grant grant = authorizer.require(project, Action.JOBS_READ);
    if (groupBy != null && !groupBy.equals("fingerprint")) {
      throw ProblemException.at(
          ProblemType.VALIDATION_FAILED,
          "?groupBy",
          "Dead jobs are grouped by fingerprint; list them one by one with jobs?state=dead.");
    }
    int limit = Limit.of(limitText);
    long before = Cursor.number(cursor, Long.MAX_VALUE);
    DeadLetterStore.Found found = store.findGroups(grant.projectId(), before, limit + 1);
    List<DeadLetterGroup> groups = found.groups();
    boolean more = groups.size() > limit;
    List<DeadLetterGroup> items = more ? groups.subList(0, limit) : groups;
    return new DeadLetterPage(
        items,
        more ? Cursor.after(items.get(limit - 1).sampleJobs().get(0)) : null,
        Count.of(found.known(), DeadLetterStore.MOST_GROUPS),
        found.known() > DeadLetterStore.MOST_GROUPS);
  }

  /**
   * What a call has brought back.
   *
   * @param redriven jobs that are on their way again
   * @param remaining jobs of the group that are dead still; call again while there are any
   */
  public record Redriven(int redriven, Count remaining) {}

  @POST
  @Audited("dead-letter-group")
  @Path("/{fingerprint}/redrive")
  @Operation(
      operationId = "redriveDeadLetters",
      summary = "Bring the dead jobs of a group back, the oldest 1,000 in each call",
      extensions = @Extension(name = "x-role", value = "operator"))
  public Redriven redrive(
      @PathParam("project") String project, @PathParam("fingerprint") String fingerprint) {
    Grant grant = authorizer.require(project, Action.JOBS_RETRY);
    List<Long> ids =
        Fields.isName(fingerprint)
            ? store.oldestOfGroup(grant.projectId(), fingerprint, MOST_REDRIVEN)
            : List.of();
    if (ids.isEmpty()) {
      throw ProblemException.notFound("group of dead jobs");
    }
    int redriven = actions.redrive(grant, ids);
    return new Redriven(redriven, store.countGroup(grant.projectId(), fingerprint));
  }
}
