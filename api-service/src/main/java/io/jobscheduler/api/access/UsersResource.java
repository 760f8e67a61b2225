package io.jobscheduler.api.access;

import static io.jobscheduler.api.idempotency.Scope.ofUser;

import io.jobscheduler.api.idempotency.Idempotency;
import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.json.JsonReader;
import io.jobscheduler.api.paging.Cursor;
import io.jobscheduler.api.paging.Ids;
import io.jobscheduler.api.paging.Limit;
import io.jobscheduler.api.paging.Page;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.problem.SqlFailures;
import io.jobscheduler.api.trail.AuditTrail;
import io.jobscheduler.api.trail.Audited;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponseSchema;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/** The people who may log in. */
@Path("/api/v1/users")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class UsersResource {
  private final UserStore store;
  private final PasswordCheck passwords;
  private final Authorizer authorizer;
  private final AuditTrail trail;
  private final Idempotency idempotency;
  private final AccessConfig config;

  UsersResource(
      UserStore store,
      PasswordCheck passwords,
      Authorizer authorizer,
      AuditTrail trail,
      Idempotency idempotency,
      AccessConfig config) {
    this.store = store;
    this.passwords = passwords;
    this.authorizer = authorizer;
    this.trail = trail;
    this.idempotency = idempotency;
    this.config = config;
  }

  /**
   * A user.
   *
   * @param issuer who vouches for it; null: it has a password here
   * @param disabledAt null: it may log in
   */
  public record User(
      String id,
      String email,
      String name,
      boolean platformAdmin,
      Instant createdAt,
      @Nullable String issuer,
      @Nullable Instant disabledAt) {
    static User of(UserRow row) {
      return new User(
          Long.toString(row.id()),
          row.email(),
          row.name(),
          row.platformAdmin(),
          row.createdAt(),
          row.issuer(),
          row.disabledAt());
    }
  }

  @POST
  @Audited(value = "user", opensItself = true)
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "createUser",
      summary = "Create a user",
      extensions = @Extension(name = "x-role", value = "platform-admin"))
  @APIResponseSchema(value = User.class, responseCode = "201")
  public Response create(
      @HeaderParam(Idempotency.KEY) @Nullable String idempotencyKey,
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = UserRequest.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value =
                                  "{\"email\":\"ann@example.org\",\"password\":\"at least twelve"
                                      + " characters\",\"name\":\"Ann\"}")))
          InputStream body) {
    long caller = authorizer.requirePlatformAdmin().id();
    byte[] bytes = JsonBody.bytes(body, JsonBody.SMALL);
    UserRequest request = JsonBody.read(bytes, UserRequest::read);
    // Takes long, so no connection is held meanwhile.
    String hash = passwords.hash(request.password());
    return idempotency.once(
        ofUser(caller),
        idempotencyKey,
        idempotencyKey == null ? bytes : sealed(bytes),
        () -> insert(request, hash));
  }

  /**
   * What stands for a body that holds a password where a hash of it is stored: who reads the hash
   * cannot try passwords by it without the master key.
   */
  private byte[] sealed(byte[] body) {
    return MasterKey.of(config).authenticate("idempotency: user", body);
  }

  private Response insert(UserRequest request, String hash) {
    try {
      UserRow row =
          trail.change(
              "user",
              "",
              () ->
                  store.insertUser(request.email(), request.name(), hash, request.platformAdmin()));
      return Response.status(Response.Status.CREATED).entity(User.of(row)).build();
    } catch (JdbiException e) {
      if (SqlFailures.stateOf(e).equals(SqlFailures.UNIQUE)) {
        throw ProblemException.at(
            ProblemType.CONFLICT, "/email", "There is a user with this address already.");
      }
      throw e;
    }
  }

  /** What an admin may change of a user; what is absent stays. */
  @Schema(name = "UserPatch")
  public record UserPatch(
      @Nullable String name, @Nullable Boolean platformAdmin, @Nullable Boolean disabled) {}

  @PATCH
  @Audited("user")
  @Path("/{user}")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "patchUser",
      summary = "Rename, promote or disable a user; who is disabled is out at once",
      extensions = @Extension(name = "x-role", value = "platform-admin"))
  public User patch(
      @PathParam("user") String userText,
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = UserPatch.class),
                      examples = @ExampleObject(name = "example", value = "{\"disabled\":true}")))
          InputStream body) {
    authorizer.requirePlatformAdmin();
    long user = Ids.number(userText, "user");
    UserPatch patch = JsonBody.read(body, JsonBody.SMALL, UsersResource::readPatch);
    switch (store.patchUser(user, patch.name(), patch.platformAdmin(), patch.disabled())) {
      case LAST_ADMIN ->
          throw ProblemException.of(
              ProblemType.CONFLICT, "This is the last platform admin; make another one first.");
      case NO_SUCH_USER, DONE -> {}
    }
    return store.findUser(user).map(User::of).orElseThrow(() -> ProblemException.notFound("user"));
  }

  private static @Nullable UserPatch readPatch(JsonReader in) {
    if (!in.startObject()) {
      return null;
    }
    String name = null;
    Boolean platformAdmin = null;
    Boolean disabled = null;
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "name" -> name = Fields.text(in, 0, 200);
        case "platformAdmin" -> platformAdmin = in.bool();
        case "disabled" -> disabled = in.bool();
        default -> in.unknownField();
      }
    }
    return new UserPatch(name, platformAdmin, disabled);
  }

  @GET
  @Operation(
      operationId = "listUsers",
      summary = "List users, oldest first, the disabled ones too",
      extensions = @Extension(name = "x-role", value = "platform-admin"))
  public Page<User> list(
      @QueryParam("limit") @Nullable String limitText,
      @QueryParam("cursor") @Nullable String cursor) {
    authorizer.requirePlatformAdmin();
    int limit = Limit.of(limitText);
    List<User> rows =
        store.listUsers(Cursor.number(cursor, 0), limit + 1).stream().map(User::of).toList();
    return Page.of(rows, limit, User::id, store.countUsers());
  }
}
