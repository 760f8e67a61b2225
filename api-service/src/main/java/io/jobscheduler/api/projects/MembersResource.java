package io.jobscheduler.api.projects;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.access.Role;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.json.JsonReader;
import io.jobscheduler.api.paging.Cursor;
import io.jobscheduler.api.paging.Ids;
import io.jobscheduler.api.paging.Limit;
import io.jobscheduler.api.paging.Page;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.projects.ProjectStore.Member;
import io.jobscheduler.api.trail.Audited;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.jspecify.annotations.Nullable;

/** Who may do what in a project. */
@Path("/api/v1/projects/{project}/members")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class MembersResource {
  private final ProjectStore store;
  private final Authorizer authorizer;

  MembersResource(ProjectStore store, Authorizer authorizer) {
    this.store = store;
    this.authorizer = authorizer;
  }

  /** Body of a membership: viewer, operator or admin. */
  public record MemberRequest(String role) {}

  @GET
  @Operation(
      operationId = "listMembers",
      summary = "List the members of a project",
      extensions = @Extension(name = "x-role", value = "admin"))
  public Page<Member> list(
      @PathParam("project") String project,
      @QueryParam("limit") @Nullable String limitText,
      @QueryParam("cursor") @Nullable String cursor) {
    Grant grant = authorizer.require(project, Action.MEMBERS_READ);
    int limit = Limit.of(limitText);
    return Page.of(
        store.listMembers(grant.projectId(), Cursor.number(cursor, 0), limit + 1),
        limit,
        Member::userId,
        store.countMembers(grant.projectId()));
  }

  @PUT
  @Audited("member")
  @Path("/{user}")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "putMember",
      summary = "Make a user a member, or change the role",
      extensions = @Extension(name = "x-role", value = "admin"))
  public Member put(
      @PathParam("project") String project,
      @PathParam("user") String user,
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = MemberRequest.class),
                      examples =
                          @ExampleObject(name = "example", value = "{\"role\":\"operator\"}")))
          InputStream body) {
    Grant grant = authorizer.require(project, Action.MEMBERS_EDIT);
    MemberRequest request = JsonBody.read(body, JsonBody.SMALL, MembersResource::readMember);
    return store
        .putMember(grant.projectId(), Ids.number(user, "user"), request.role())
        .orElseThrow(() -> ProblemException.notFound("user"));
  }

  private static @Nullable MemberRequest readMember(JsonReader in) {
    if (!in.startObject()) {
      return null;
    }
    String role = null;
    String field;
    while ((field = in.nextField()) != null) {
      if (field.equals("role")) {
        role = in.string();
        if (role != null && !Role.isLabel(role)) {
          in.reject("Expected viewer, operator or admin.");
        }
      } else {
        in.unknownField();
      }
    }
    in.violations().require("/role", role != null);
    return role == null ? null : new MemberRequest(role);
  }

  @DELETE
  @Audited("member")
  @Path("/{user}")
  @Operation(
      operationId = "deleteMember",
      summary = "End a membership",
      extensions = @Extension(name = "x-role", value = "admin"))
  public void delete(@PathParam("project") String project, @PathParam("user") String user) {
    Grant grant = authorizer.require(project, Action.MEMBERS_EDIT);
    if (!store.deleteMember(grant.projectId(), Ids.number(user, "user"))) {
      throw ProblemException.notFound("member");
    }
  }
}
