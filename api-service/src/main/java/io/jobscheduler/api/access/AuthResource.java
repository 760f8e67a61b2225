package io.jobscheduler.api.access;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.json.JsonReader;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.quarkus.security.Authenticated;
import jakarta.annotation.security.PermitAll;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.jspecify.annotations.Nullable;

/** Login, and who the caller is. */
@Path("/api/v1/auth")
@Produces(MediaType.APPLICATION_JSON)
public class AuthResource {
  private final AccessStore store;
  private final PasswordCheck passwords;
  private final Tokens tokens;
  private final Authorizer authorizer;

  AuthResource(AccessStore store, PasswordCheck passwords, Tokens tokens, Authorizer authorizer) {
    this.store = store;
    this.passwords = passwords;
    this.tokens = tokens;
    this.authorizer = authorizer;
  }

  /** Body of a login. */
  public record LoginRequest(String email, String password) {}

  /**
   * An access token.
   *
   * @param expiresIn seconds
   */
  public record LoginAnswer(String accessToken, String tokenType, long expiresIn) {}

  @POST
  @Path("/login")
  @PermitAll
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "login",
      summary = "Log in",
      extensions = @Extension(name = "x-role", value = "none"))
  public LoginAnswer login(
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = LoginRequest.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value = "{\"email\":\"admin@localhost\",\"password\":\"…\"}")))
          InputStream body) {
    LoginRequest request = JsonBody.read(body, JsonBody.SMALL, AuthResource::readLogin);
    Optional<AccessStore.Credentials> user = store.findCredentials(request.email());
    boolean right =
        passwords.matches(
            request.password(), user.map(AccessStore.Credentials::passwordHash).orElse(null));
    if (user.isEmpty() || !right) {
      throw ProblemException.of(
          ProblemType.UNAUTHORIZED, "The email address or the password is wrong.");
    }
    return new LoginAnswer(
        tokens.issue(user.get().id(), user.get().email()), "Bearer", tokens.lifetimeSeconds());
  }

  private static @Nullable LoginRequest readLogin(JsonReader in) {
    String email = null;
    String password = null;
    if (in.startObject()) {
      String field;
      while ((field = in.nextField()) != null) {
        switch (field) {
          case "email" -> email = Fields.text(in, 1, 254);
          case "password" -> password = Fields.text(in, 1, 1024);
          default -> in.unknownField();
        }
      }
      in.violations().require("/email", email != null);
      in.violations().require("/password", password != null);
    }
    return email == null || password == null ? null : new LoginRequest(email, password);
  }

  /** A project that the caller sees, and what may be done there. */
  public record ProjectAccess(String project, String role, List<String> actions) {}

  /** The caller. */
  public record Me(
      String id, String email, String name, boolean platformAdmin, List<ProjectAccess> projects) {}

  @GET
  @Path("/me")
  @Authenticated
  @Operation(
      operationId = "me",
      summary = "The caller, and what it may do in each project",
      extensions = @Extension(name = "x-role", value = "any"))
  public Me me() {
    UserRow user = authorizer.current();
    List<ProjectAccess> projects =
        store.listProjectRoles(user.id(), user.platformAdmin()).stream()
            .map(p -> new ProjectAccess(p.project(), p.role().label(), p.role().actions()))
            .toList();
    return new Me(
        Long.toString(user.id()), user.email(), user.name(), user.platformAdmin(), projects);
  }
}
