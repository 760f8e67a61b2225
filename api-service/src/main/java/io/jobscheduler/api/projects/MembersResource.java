package io.jobscheduler.api.projects;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.access.Role;
import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.json.JsonReader;
import io.jobscheduler.api.paging.Cursor;
import io.jobscheduler.api.paging.Ids;
import io.jobscheduler.api.paging.Limit;
import io.jobscheduler.api.paging.Page;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.projects.MemberStore.Member;
import io.jobscheduler.api.trail.Audited;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.HttpHeaders;
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

/** Who may do what in a project. */
@Path("/api/v1/projects/{project}/members")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class MembersResource {
  private static final int LONGEST_EMAIL = 254;

  private final MemberStore store;
  private final Authorizer authorizer;

  MembersResource(MemberStore store, Authorizer authorizer) {
    this.store = store;
    this.authorizer = authorizer;
  }

  /**
   * Body of a membership.
   *
   * @param role viewer, operator or admin
   * @param payloadVisible whether the member sees payloads and results
   * @param email the user's address
   */
  public record MemberRequest(
      @Schema(enumeration = {"viewer", "operator", "admin"}) String role,
      @Schema(defaultValue = "true") boolean payloadVisible,
      @Schema(
              description =
                  "the user's address: needed for who is no member yet, unless you are a platform"
                      + " admin")
          @Nullable String email) {}

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

  @GET
  @Path("/{user}")
  @Operation(
      operationId = "getMember",
      summary = "Read a membership",
      extensions = @Extension(name = "x-role", value = "admin"))
  @APIResponseSchema(value = Member.class, responseCode = "200")
  public Response get(@PathParam("project") String project, @PathParam("user") String user) {
    return answer(authorizer.require(project, Action.MEMBERS_READ), Ids.number(user, "user"));
  }

  @PUT
  @Audited("member")
  @Path("/{user}")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "putMember",
      summary = "Make a user a member, or change the role",
      extensions = @Extension(name = "x-role", value = "admin"))
  @APIResponseSchema(value = Member.class, responseCode = "200")
  public Response put(
      @PathParam("project") String project,
      @PathParam("user") String user,
      @HeaderParam(HttpHeaders.IF_MATCH) @Nullable String ifMatch,
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = MemberRequest.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value = "{\"role\":\"operator\",\"payloadVisible\":false}")))
          InputStream body) {
    Grant grant = authorizer.require(project, Action.MEMBERS_EDIT);
    MemberRequest request = JsonBody.read(body, JsonBody.SMALL, MembersResource::readMember);
    long id = Ids.number(user, "user");
    // Nobody gives away what is kept from him.
    if (request.payloadVisible() && !grant.payloadVisible()) {
      throw ProblemException.of(
          ProblemType.FORBIDDEN,
          "You do not see payloads, so you cannot let others; send payloadVisible: false.");
    }
    MemberStore.Changed changed =
        store.putMember(
            grant.projectId(),
            id,
            request.role(),
            request.payloadVisible(),
            request.email(),
            authorizer.current().platformAdmin(),
            ifMatch);
    if (changed == MemberStore.Changed.NOBODY && request.email() == null) {
      throw ProblemException.of(
          ProblemType.NOT_FOUND,
          "There is no such member. To make a user one, send the user's email, too.");
    }
    require(changed, "user");
    return answer(grant, id);
  }

  // An edit is still in its transaction and holds the row, so the tag is that of what it made.
  private Response answer(Grant grant, long user) {
    Member member =
        store
            .findMember(grant.projectId(), user)
            .orElseThrow(() -> ProblemException.notFound("member"));
    return Response.ok(member).header(HttpHeaders.ETAG, member.etag()).build();
  }

  private static void require(MemberStore.Changed changed, String who) {
    switch (changed) {
      case DONE -> {}
      case NOBODY -> throw ProblemException.notFound(who);
      case LAST_ADMIN ->
          throw ProblemException.of(
              ProblemType.CONFLICT, "This is the project's last admin; make another one first.");
    }
  }

  private static @Nullable MemberRequest readMember(JsonReader in) {
    if (!in.startObject()) {
      return null;
    }
    String role = null;
    boolean payloadVisible = true;
    String email = null;
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "role" -> {
          role = in.string();
          if (role != null && !Role.isLabel(role)) {
            in.reject("Expected viewer, operator or admin.");
          }
        }
        case "email" -> email = Fields.text(in, 3, LONGEST_EMAIL);
        case "payloadVisible" -> payloadVisible = Boolean.TRUE.equals(in.bool());
        default -> in.unknownField();
      }
    }
    in.violations().require("/role", role != null);
    return role == null ? null : new MemberRequest(role, payloadVisible, email);
  }

  @DELETE
  @Audited("member")
  @Path("/{user}")
  @Operation(
      operationId = "deleteMember",
      summary = "End a membership",
      extensions = @Extension(name = "x-role", value = "admin"))
  public void delete(
      @PathParam("project") String project,
      @PathParam("user") String user,
      @HeaderParam(HttpHeaders.IF_MATCH) @Nullable String ifMatch) {
    Grant grant = authorizer.require(project, Action.MEMBERS_EDIT);
    require(store.deleteMember(grant.projectId(), Ids.number(user, "user"), ifMatch), "member");
  }
}
