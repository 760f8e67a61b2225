package io.jobscheduler.api.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.jobscheduler.api.problem.Problem;
import io.jobscheduler.api.problem.ProblemMappers;
import io.jobscheduler.api.problem.ProblemType;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

/**
 * Refuses a body that is announced to be far too large before any of it is read: the HTTP server
 * would do so without a problem document. Jobs by the line are read as they come, never whole.
 */
@ApplicationScoped
class HugeBodies {
  // Below quarkus.http.limits.max-body-size; what is smaller is read, or refused, by the resource.
  private static final long MOST_BYTES = 24L * 1024 * 1024;
  private static final int FIRST = 10_000;
  private static final int LONGEST_LENGTH = 18;

  private final ObjectMapper json;

  HugeBodies(ObjectMapper json) {
    this.json = json;
  }

  void register(@Observes Filters filters) {
    filters.register(this::check, FIRST);
  }

  private void check(RoutingContext request) {
    String length = request.request().getHeader(HttpHeaders.CONTENT_LENGTH);
    if (length == null
        || request.request().path().endsWith("/jobs/bulk")
            && String.valueOf(request.request().getHeader(HttpHeaders.CONTENT_TYPE))
                .startsWith("application/x-ndjson")
        || length.length() < LONGEST_LENGTH && Long.parseLong(length) <= MOST_BYTES) {
      request.next();
      return;
    }
    ProblemType type = ProblemType.PAYLOAD_TOO_LARGE;
    Problem problem =
        new Problem(
            type.uri(),
            type.title(),
            type.status(),
            "The body may have at most " + MOST_BYTES + " bytes.",
            request.request().path(),
            RequestIds.of(request),
            null,
            null);
    request
        .response()
        .setStatusCode(type.status())
        .putHeader(HttpHeaders.CONTENT_TYPE, ProblemMappers.MEDIA_TYPE)
        .putHeader(HttpHeaders.CONNECTION, "close");
    try {
      // The rest of the body is not waited for, so the connection cannot be used again.
      request
          .response()
          .end(json.writeValueAsString(problem))
          .onComplete(sent -> request.request().connection().close());
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
