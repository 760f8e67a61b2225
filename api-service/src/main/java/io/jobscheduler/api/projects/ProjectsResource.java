package io.jobscheduler.api.projects;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Authorizer;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.access.ProjectsSeen;
import io.jobscheduler.api.idempotency.Idempotency;
import io.jobscheduler.api.idempotency.Scope;
import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.json.JsonReader;
import io.jobscheduler.api.paging.Cursor;
import io.jobscheduler.api.paging.Limit;
import io.jobscheduler.api.paging.Page;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.problem.SqlFailures;
import io.jobscheduler.api.projects.ProjectStore.Project;
import io.jobscheduler.api.trail.Audited;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.net.URI;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponseSchema;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/** Projects: the walls between tenants. */
@Path("/api/v1/projects")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class ProjectsResource {
  private final ProjectStore store;
  private final Authorizer authorizer;
  private final Idempotency idempotency;

  ProjectsResource(ProjectStore store, Authorizer authorizer, Idempotency idempotency) {
    this.store = store;
    this.authorizer = authorizer;
    this.idempotency = idempotency;
  }

  private static final int LONGEST_DESCRIPTION = 500;

  /** Body of a new project. */
  public record ProjectRequest(
      String name, @Schema(maxLength = LONGEST_DESCRIPTION) @Nullable String description) {}

  /** What may be changed of a project; what is absent stays. Its name is for ever. */
  public record ProjectPatch(
      @Schema(maxLength = LONGEST_DESCRIPTION) @Nullable String description) {}

  @POST
  @Audited("project")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "createProject",
      summary = "Create a project, with its queue default",
      extensions = @Extension(name = "x-role", value = "platform-admin"))
  @APIResponseSchema(value = Project.class, responseCode = "201")
  public Response create(
      @HeaderParam(Idempotency.KEY) @Nullable String idempotencyKey,
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = ProjectRequest.class),
                      examples = @ExampleObject(name = "example", value = "{\"name\":\"shop\"}")))
          InputStream body) {
    long user = authorizer.requirePlatformAdmin().id();
    byte[] bytes = JsonBody.bytes(body, JsonBody.SMALL);
    ProjectRequest request = JsonBody.read(bytes, ProjectsResource::readProject);
    return idempotency.once(Scope.ofUser(user), idempotencyKey, bytes, () -> insert(request));
  }

  private Response insert(ProjectRequest request) {
    try {
      Project project =
          store.insertProject(
              request.name(), request.description() == null ? "" : request.description());
      return Response.created(URI.create("/api/v1/projects/" + project.name()))
          .entity(project)
          .build();
    } catch (JdbiException e) {
      if (SqlFailures.stateOf(e).equals(SqlFailures.UNIQUE)) {
        throw ProblemException.at(
            ProblemType.CONFLICT, "/name", "There is, or was, a project of this name.");
      }
      throw e;
    }
  }

  private static @Nullable ProjectRequest readProject(JsonReader in) {
    if (!in.startObject()) {
      return null;
    }
    String name = null;
    String description = null;
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "name" -> name = Fields.name(in);
        case "description" -> description = Fields.text(in, 0, LONGEST_DESCRIPTION);
        default -> in.unknownField();
      }
    }
    in.violations().require("/name", name != null);
    return name == null ? null : new ProjectRequest(name, description);
  }

  @GET
  @Operation(
      operationId = "listProjects",
      summary = "List the projects that the caller sees, by name",
      extensions = @Extension(name = "x-role", value = "any"))
  public Page<Project> list(
      @QueryParam("limit") @Nullable String limitText,
      @QueryParam("cursor") @Nullable String cursor) {
    ProjectsSeen seen = authorizer.projectsSeen();
    int limit = Limit.of(limitText);
    return Page.of(
        store.listProjects(seen, Cursor.name(cursor), limit + 1),
        limit,
        Project::name,
        store.countProjects(seen));
  }

  @GET
  @Path("/{project}")
  @Operation(
      operationId = "getProject",
      summary = "Read a project",
      extensions = @Extension(name = "x-role", value = "viewer"))
  @APIResponseSchema(value = Project.class, responseCode = "200")
  public Response get(@PathParam("project") String project) {
    Grant grant = authorizer.requireInQueues(project, Action.PROJECT_READ);
    return store
        .findProject(grant.projectId())
        .map(ProjectsResource::answer)
        .orElseThrow(() -> ProblemException.notFound("project"));
  }

  @PATCH
  @Audited("project")
  @Path("/{project}")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "patchProject",
      summary = "Describe a project",
      extensions = @Extension(name = "x-role", value = "admin"))
  @APIResponseSchema(value = Project.class, responseCode = "200")
  public Response patch(
      @PathParam("project") String project,
      @HeaderParam(HttpHeaders.IF_MATCH) @Nullable String ifMatch,
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = ProjectPatch.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value = "{\"description\":\"what the shop does at night\"}")))
          InputStream body) {
    Grant grant = authorizer.require(project, Action.PROJECT_EDIT);
    ProjectPatch patch = JsonBody.read(body, JsonBody.SMALL, ProjectsResource::readPatch);
    return store
        .patchProject(grant.projectId(), patch.description(), ifMatch)
        .map(ProjectsResource::answer)
        .orElseThrow(() -> ProblemException.notFound("project"));
  }

  private static Response answer(Project project) {
    return Response.ok(project).header(HttpHeaders.ETAG, project.etag()).build();
  }

  private static @Nullable ProjectPatch readPatch(JsonReader in) {
    if (!in.startObject()) {
      return null;
    }
    String description = null;
    String field;
    while ((field = in.nextField()) != null) {
      if (field.equals("description")) {
        description = Fields.text(in, 0, LONGEST_DESCRIPTION);
      } else {
        in.unknownField();
      }
    }
    return new ProjectPatch(description);
  }

  @DELETE
  @Audited("project")
  @Path("/{project}")
  @Operation(
      operationId = "deleteProject",
      summary =
          "End a project that has no live jobs, no schedules and no bulk actions under way; its"
              + " keys and memberships end too",
      extensions = @Extension(name = "x-role", value = "admin"))
  public void delete(
      @PathParam("project") String project,
      @HeaderParam(HttpHeaders.IF_MATCH) @Nullable String ifMatch) {
    Grant grant = authorizer.require(project, Action.PROJECT_EDIT);
    switch (store.deleteProject(grant.projectId(), ifMatch)) {
      case DONE -> {}
      case NO_SUCH_PROJECT -> throw ProblemException.notFound("project");
      case HAS_JOBS ->
          throw ProblemException.of(
              ProblemType.CONFLICT, "It has jobs that have not ended; cancel them first.");
      case HAS_SCHEDULES ->
          throw ProblemException.of(ProblemType.CONFLICT, "It has schedules; delete them first.");
      case HAS_BULK_ACTIONS ->
          throw ProblemException.of(
              ProblemType.CONFLICT, "It has bulk actions under way; abort them first.");
    }
  }
}
