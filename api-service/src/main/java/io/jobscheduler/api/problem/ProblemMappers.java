package io.jobscheduler.api.problem;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.jobscheduler.api.http.RequestIds;
import io.quarkus.security.AuthenticationFailedException;
import io.quarkus.security.ForbiddenException;
import io.quarkus.security.UnauthorizedException;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Collections;
import java.util.SortedSet;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Turns every failure of a request into a problem document. */
public final class ProblemMappers {
  /** The media type of problem documents. */
  public static final String MEDIA_TYPE = "application/problem+json";

  private static final Logger LOG = Logger.getLogger(ProblemMappers.class);
  private static final String RETRY_AFTER_SECONDS = "5";

  private static final SortedSet<String> NO_METHODS = Collections.emptySortedSet();

  private final ObjectMapper json;
  private final AllowedMethods allowed;
  private final CurrentVertxRequest current;

  ProblemMappers(ObjectMapper json, AllowedMethods allowed, CurrentVertxRequest current) {
    this.json = json;
    this.allowed = allowed;
    this.current = current;
  }

  @ServerExceptionMapper
  Response problem(ProblemException e, UriInfo uri) {
    return answer(e, uri);
  }

  @ServerExceptionMapper
  Response authenticationFailed(AuthenticationFailedException e, UriInfo uri) {
    // A database that is away must not look like a bad token.
    SQLException sql = SqlFailures.in(e);
    if (sql != null) {
      return failed(e, uri);
    }
    if (isOfIo(e)) {
      LOG.warnf("The keys of the tokens' issuer cannot be read: %s", rootMessage(e));
      return answer(
          ProblemException.of(
              ProblemType.SERVICE_UNAVAILABLE,
              "The issuer of this token does not answer. Try again shortly."),
          uri);
    }
    return answer(
        ProblemException.of(
            ProblemType.UNAUTHORIZED,
            "The access token is not valid or has expired. Log in again for a new one."),
        uri);
  }

  /** An issuer that is away must not look like a bad token either. */
  private static boolean isOfIo(Throwable e) {
    return root(e) instanceof IOException;
  }

  private static String rootMessage(Throwable e) {
    return String.valueOf(root(e).getMessage());
  }

  private static Throwable root(Throwable e) {
    Throwable cause = e;
    for (int depth = 0; cause.getCause() != null && depth < 20; depth++) {
      cause = cause.getCause();
    }
    return cause;
  }

  @ServerExceptionMapper
  Response unauthorized(UnauthorizedException e, UriInfo uri) {
    return answer(
        ProblemException.of(
            ProblemType.UNAUTHORIZED,
            "Send an access token as \"Authorization: Bearer …\"; POST /api/v1/auth/login gives"
                + " one."),
        uri);
  }

  @ServerExceptionMapper
  Response forbidden(ForbiddenException e, UriInfo uri) {
    return answer(ProblemException.of(ProblemType.FORBIDDEN, "You may not do this."), uri);
  }

  @ServerExceptionMapper
  Response ofRouter(WebApplicationException e, UriInfo uri) {
    int status = e.getResponse().getStatus();
    if (status >= 500) {
      return failed(e, uri);
    }
    SortedSet<String> methods =
        status == 404 || status == 405 ? allowed.of(uri.getRequestUri().getPath()) : NO_METHODS;
    ProblemType type =
        methods.isEmpty() ? ProblemType.ofStatus(status) : ProblemType.METHOD_NOT_ALLOWED;
    String detail =
        switch (type) {
          case NOT_FOUND -> "There is no resource at this path.";
          case METHOD_NOT_ALLOWED -> "This resource knows " + String.join(", ", methods) + ".";
          case NOT_ACCEPTABLE -> "This resource answers application/json only.";
          case UNSUPPORTED_MEDIA_TYPE -> "Send the body with Content-Type: application/json.";
          default -> type.title() + ".";
        };
    Response.ResponseBuilder response = builder(ProblemException.of(type, detail), uri);
    if (!methods.isEmpty()) {
      response.header(HttpHeaders.ALLOW, String.join(", ", methods));
    }
    return response.build();
  }

  @ServerExceptionMapper
  Response failed(Throwable e, UriInfo uri) {
    SQLException sql = SqlFailures.in(e);
    if (sql != null && SqlFailures.isAway(sql)) {
      LOG.warnf("The database did not answer a request: sqlstate=%s", sql.getSQLState());
      return answer(
          ProblemException.of(
              ProblemType.SERVICE_UNAVAILABLE, "The database does not answer. Try again shortly."),
          uri);
    }
    LOG.errorf(
        e, "A request failed unexpectedly; report it with this trace: path=%s", uri.getPath());
    return answer(
        ProblemException.of(
            ProblemType.INTERNAL_ERROR, "The request failed; its cause is in the server's log."),
        uri);
  }

  private Response answer(ProblemException e, UriInfo uri) {
    return builder(e, uri).build();
  }

  private Response.ResponseBuilder builder(ProblemException e, UriInfo uri) {
    Response.ResponseBuilder response =
        Response.status(e.type().status())
            .type(MEDIA_TYPE)
            .entity(
                text(e.at(uri.getRequestUri().getRawPath(), RequestIds.of(current.getCurrent()))));
    Long after = e.retryAfterSeconds();
    if (e.type() == ProblemType.UNAUTHORIZED) {
      response.header(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
    } else if (after != null) {
      response.header(HttpHeaders.RETRY_AFTER, after);
    } else if (e.type() == ProblemType.SERVICE_UNAVAILABLE) {
      response.header(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS);
    }
    return response;
  }

  private String text(Problem problem) {
    try {
      return json.writeValueAsString(problem);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
