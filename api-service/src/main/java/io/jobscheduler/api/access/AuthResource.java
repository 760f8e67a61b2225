package io.jobscheduler.api.access;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.json.JsonReader;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.trail.AuditTrail;
import io.jobscheduler.api.trail.Audited;
import io.jobscheduler.api.trail.Unaudited;
import io.quarkus.security.Authenticated;
import io.vertx.core.http.HttpServerRequest;
import jakarta.annotation.security.PermitAll;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.jspecify.annotations.Nullable;

/** Sessions of people: login, refresh, logout, another password. */
@Path("/api/v1/auth")
@Produces(MediaType.APPLICATION_JSON)
public class AuthResource {
  private final AccessStore store;
  private final UserStore users;
  private final PasswordCheck passwords;
  private final LoginThrottle throttle;
  private final ClientAddress address;
  private final Sessions sessions;
  private final Tokens tokens;
  private final Authorizer authorizer;
  private final AuditTrail trail;

  AuthResource(
      AccessStore store,
      UserStore users,
      PasswordCheck passwords,
      LoginThrottle throttle,
      ClientAddress address,
      Sessions sessions,
      Tokens tokens,
      Authorizer authorizer,
      AuditTrail trail) {
    this.store = store;
    this.users = users;
    this.passwords = passwords;
    this.throttle = throttle;
    this.address = address;
    this.sessions = sessions;
    this.tokens = tokens;
    this.authorizer = authorizer;
    this.trail = trail;
  }

  /** Body of a login. */
  public record LoginRequest(String email, String password) {
    /** Without the password: it never gets into a log. */
    @Override
    public String toString() {
      return "LoginRequest[email=" + email + "]";
    }
  }

  /**
   * A session's tokens.
   *
   * @param accessToken goes into {@code Authorization: Bearer}
   * @param refreshToken gives the next two, once
   * @param expiresIn seconds that the access token is good
   */
  @Schema(name = "LoginAnswer")
  public record LoginAnswer(
      String accessToken, String refreshToken, String tokenType, long expiresIn) {
    /** Without the tokens: they never get into a log. */
    @Override
    public String toString() {
      return "LoginAnswer[expiresIn=" + expiresIn + "]";
    }
  }

  @POST
  @Unaudited("a session is no change to record")
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
          InputStream body,
      @Context HttpServerRequest http) {
    LoginRequest request = JsonBody.read(body, JsonBody.SMALL, AuthResource::readLogin);
    AccessStore.Credentials user = check(request.email(), request.password(), address.of(http));
    return answer(sessions.begin(user).orElseThrow(AuthResource::wrong));
  }

  private static ProblemException wrong() {
    return ProblemException.of(
        ProblemType.UNAUTHORIZED, "The email address or the password is wrong.");
  }

  // The same statements and one hash, whether the account is unknown, disabled or the password
  // wrong:
  // neither the answer nor its time tells which.
  private AccessStore.Credentials check(String email, String password, String from) {
    LoginThrottle.Try one = throttle.take(from, email);
    Optional<AccessStore.Credentials> user = store.findCredentials(email);
    boolean right =
        passwords.matches(password, user.map(AccessStore.Credentials::passwordHash).orElse(null));
    if (user.isEmpty() || !right) {
      throw wrong();
    }
    throttle.giveBack(one);
    return user.get();
  }

  private LoginAnswer answer(Sessions.Open open) {
    return new LoginAnswer(
        tokens.issue(open.session()), open.refreshToken(), "Bearer", tokens.lifetimeSeconds());
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

  /** Body of a refresh or a logout. */
  @Schema(name = "RefreshRequest")
  public record RefreshRequest(String refreshToken) {
    /** Without the token: it never gets into a log. */
    @Override
    public String toString() {
      return "RefreshRequest";
    }
  }

  @POST
  @Unaudited("the same session goes on")
  @Path("/refresh")
  @PermitAll
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "refresh",
      summary = "Go on with a session: a refresh token gives the next two tokens, once",
      extensions = @Extension(name = "x-role", value = "none"))
  public LoginAnswer refresh(
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = RefreshRequest.class),
                      examples =
                          @ExampleObject(name = "example", value = "{\"refreshToken\":\"jsr_…\"}")))
          InputStream body) {
    RefreshRequest request = JsonBody.read(body, JsonBody.SMALL, AuthResource::readRefresh);
    return answer(
        sessions
            .refresh(request.refreshToken())
            .orElseThrow(
                () ->
                    ProblemException.of(
                        ProblemType.UNAUTHORIZED, "The session has ended. Log in again.")));
  }

  @POST
  @Unaudited("the caller ends its own session")
  @Path("/logout")
  @PermitAll
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "logout",
      summary = "End a session, and its access tokens with it",
      extensions = @Extension(name = "x-role", value = "none"))
  @APIResponse(responseCode = "204", description = "It has ended, or there is none.")
  public void logout(
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = RefreshRequest.class),
                      examples =
                          @ExampleObject(name = "example", value = "{\"refreshToken\":\"jsr_…\"}")))
          InputStream body) {
    sessions.end(JsonBody.read(body, JsonBody.SMALL, AuthResource::readRefresh).refreshToken());
  }

  private static @Nullable RefreshRequest readRefresh(JsonReader in) {
    String token = null;
    if (in.startObject()) {
      String field;
      while ((field = in.nextField()) != null) {
        if (field.equals("refreshToken")) {
          token = Fields.text(in, 1, 200);
        } else {
          in.unknownField();
        }
      }
      in.violations().require("/refreshToken", token != null);
    }
    return token == null ? null : new RefreshRequest(token);
  }

  /** Body of a change of one's own password. */
  @Schema(name = "PasswordRequest")
  public record PasswordRequest(String oldPassword, String newPassword) {
    /** Without the passwords: they never get into a log. */
    @Override
    public String toString() {
      return "PasswordRequest";
    }
  }

  @POST
  @Audited(value = "user", opensItself = true)
  @Path("/password")
  @Authenticated
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "changePassword",
      summary = "Change one's own password; every session ends, and the answer begins a new one",
      extensions = @Extension(name = "x-role", value = "any"))
  public LoginAnswer password(
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = PasswordRequest.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value =
                                  "{\"oldPassword\":\"…\",\"newPassword\":\"at least twelve"
                                      + " characters\"}")))
          InputStream body,
      @Context HttpServerRequest http) {
    UserRow user = authorizer.current();
    if (user.issuer() != null) {
      throw ProblemException.of(
          ProblemType.FORBIDDEN, "Your password is kept by the issuer that you log in with.");
    }
    PasswordRequest request = JsonBody.read(body, JsonBody.SMALL, AuthResource::readPassword);
    AccessStore.Credentials old = check(user.email(), request.oldPassword(), address.of(http));
    String hash = passwords.hash(request.newPassword());
    return trail.change(
        "user",
        "",
        () ->
            answer(
                users
                    .setPassword(old, hash)
                    .flatMap(sessions::begin)
                    .orElseThrow(AuthResource::wrong)));
  }

  private static @Nullable PasswordRequest readPassword(JsonReader in) {
    String old = null;
    String next = null;
    if (in.startObject()) {
      String field;
      while ((field = in.nextField()) != null) {
        switch (field) {
          case "oldPassword" -> old = Fields.text(in, 1, 1024);
          case "newPassword" -> next = UserRequest.password(in);
          default -> in.unknownField();
        }
      }
      in.violations().require("/oldPassword", old != null);
      in.violations().require("/newPassword", next != null);
    }
    return old == null || next == null ? null : new PasswordRequest(old, next);
  }
}
