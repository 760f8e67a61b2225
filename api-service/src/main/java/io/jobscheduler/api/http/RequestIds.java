package io.jobscheduler.api.http;

import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jboss.logging.MDC;
import org.jspecify.annotations.Nullable;

/**
 * The id of each request: the caller's X-Request-Id if it is sane, else a new one. It is in every
 * answer's header, in problem documents, log lines and audit rows.
 */
@ApplicationScoped
public class RequestIds {
  /** The header's name. */
  public static final String HEADER = "X-Request-Id";

  /** The field of log lines. */
  public static final String LOG_FIELD = "request_id";

  private static final String KEY = "jobs.request-id";
  private static final int FIRST = 20_000;

  // What stands in a log line and a header as it is, and cannot fill them.
  private static final Pattern SANE = Pattern.compile("[A-Za-z0-9._:/+=-]{1,128}");

  void register(@Observes Filters filters) {
    filters.register(RequestIds::give, FIRST);
  }

  private static void give(RoutingContext request) {
    String given = request.request().getHeader(HEADER);
    String id =
        given != null && SANE.matcher(given).matches() ? given : UUID.randomUUID().toString();
    request.put(KEY, id);
    request.response().putHeader(HEADER, id);
    MDC.put(LOG_FIELD, id);
    request.next();
  }

  /** The id of a request; null before it has one. */
  public static @Nullable String of(@Nullable RoutingContext request) {
    return request == null ? null : request.get(KEY);
  }
}
