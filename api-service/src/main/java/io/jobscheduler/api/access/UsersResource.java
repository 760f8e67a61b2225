package io.jobscheduler.api.access;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.json.JsonReader;
import io.jobscheduler.api.paging.Cursor;
import io.jobscheduler.api.paging.Limit;
import io.jobscheduler.api.paging.Page;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.problem.SqlFailures;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
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
  // One @ with something on both sides and no blanks: delivery, not syntax, proves an address.
  private static final Pattern EMAIL = Pattern.compile("[^@\\s]+@[^@\\s]+");
  private static final int SHORTEST_PASSWORD = 12;
  private static final int LONGEST_PASSWORD = 256;

  private final AccessStore store;
  private final PasswordCheck passwords;
  private final Authorizer authorizer;

  UsersResource(AccessStore store, PasswordCheck passwords, Authorizer authorizer) {
    this.store = store;
    this.passwords = passwords;
    this.authorizer = authorizer;
  }

  /** A user. */
  public record User(
      String id, String email, String name, boolean platformAdmin, Instant createdAt) {
    static User of(UserRow row) {
      return new User(
          Long.toString(row.id()), row.email(), row.name(), row.platformAdmin(), row.createdAt());
    }
  }

  /** Body of a new user. */
  public record UserRequest(String email, String password, String name, boolean platformAdmin) {}

  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "createUser",
      summary = "Create a user",
      extensions = @Extension(name = "x-role", value = "platform-admin"))
  @APIResponseSchema(value = User.class, responseCode = "201")
  public Response create(
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
                                  "{\"email\":\"ann@example.org\",\"password\":\"at least twelve characters\",\"name\":\"Ann\"}")))
          InputStream body) {
    authorizer.requirePlatformAdmin();
    UserRequest request = JsonBody.read(body, JsonBody.SMALL, UsersResource::readUser);
    String hash = passwords.hash(request.password());
    try {
      UserRow row =
          store.insertUser(request.email(), request.name(), hash, request.platformAdmin());
      return Response.status(Response.Status.CREATED).entity(User.of(row)).build();
    } catch (JdbiException e) {
      if (SqlFailures.stateOf(e).equals(SqlFailures.UNIQUE)) {
        throw ProblemException.at(
            ProblemType.CONFLICT, "/email", "There is a user with this address already.");
      }
      throw e;
    }
  }

  private static @Nullable UserRequest readUser(JsonReader in) {
    String email = null;
    String password = null;
    String name = "";
    boolean platformAdmin = false;
    if (!in.startObject()) {
      return null;
    }
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "email" -> {
          email = Fields.text(in, 3, 254);
          if (email != null && !EMAIL.matcher(email).matches()) {
            in.reject("Expected an email address.");
          }
        }
        case "password" -> password = Fields.text(in, SHORTEST_PASSWORD, LONGEST_PASSWORD);
        case "name" -> {
          String text = Fields.text(in, 0, 200);
          name = text == null ? "" : text;
        }
        case "platformAdmin" -> platformAdmin = Boolean.TRUE.equals(in.bool());
        default -> in.unknownField();
      }
    }
    in.violations().require("/email", email != null);
    in.violations().require("/password", password != null);
    return email == null || password == null
        ? null
        : new UserRequest(email, password, name, platformAdmin);
  }

  @GET
  @Operation(
      operationId = "listUsers",
      summary = "List users, oldest first",
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
