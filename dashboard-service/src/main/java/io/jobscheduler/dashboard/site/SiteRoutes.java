package io.jobscheduler.dashboard.site;

import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.Map;

/** Security and cache headers for every answer, and the app's page for each of its addresses. */
@ApplicationScoped
class SiteRoutes {
  private static final String PAGE = "/index.html";

  /** Before everything else. */
  private static final int FIRST = Integer.MIN_VALUE + 1_000;

  /** After the files of the web UI. */
  private static final int LAST = Integer.MAX_VALUE - 1_000;

  /** No inline script or style, nothing from elsewhere; sockets to the own origin only. */
  static final String CONTENT_SECURITY_POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self';"
          + " img-src 'self' data:; connect-src 'self'; worker-src 'self'; manifest-src 'self';"
          + " base-uri 'none'; frame-ancestors 'none'; form-action 'self'";

  private static final Map<String, String> SECURITY_HEADERS =
      Map.of(
          "Content-Security-Policy",
          CONTENT_SECURITY_POLICY,
          "X-Content-Type-Options",
          "nosniff",
          "X-Frame-Options",
          "DENY",
          "Referrer-Policy",
          "same-origin",
          "Cross-Origin-Opener-Policy",
          "same-origin",
          "Cross-Origin-Resource-Policy",
          "same-origin",
          "Permissions-Policy",
          "camera=(), geolocation=(), microphone=()");

  void routes(@Observes Router router) {
    router.route().order(FIRST).handler(SiteRoutes::addHeaders);
    router.route().order(LAST).handler(SiteRoutes::servePage);
  }

  private static void addHeaders(RoutingContext context) {
    HttpServerResponse response = context.response();
    SECURITY_HEADERS.forEach(response::putHeader);
    String path = context.normalizedPath();
    if (!isService(path)) {
      // At the end of the head, so that it wins over the file handler's own default.
      context.addHeadersEndHandler(
          end -> {
            int status = response.getStatusCode();
            boolean found = status == 200 || status == 206 || status == 304;
            response.putHeader(
                "Cache-Control", found ? CachePolicy.of(path) : CachePolicy.REVALIDATE);
          });
    }
    context.next();
  }

  private static void servePage(RoutingContext context) {
    if (isAppAddress(context.request(), context.normalizedPath())) {
      context.reroute(PAGE);
    } else {
      context.next();
    }
  }

  /** An address of the app: asked for as a page, no file, not one of the services' paths. */
  private static boolean isAppAddress(HttpServerRequest request, String path) {
    boolean read = request.method() == HttpMethod.GET || request.method() == HttpMethod.HEAD;
    String accept = request.getHeader("Accept");
    boolean page = accept != null && accept.contains("text/html");
    boolean file = path.substring(path.lastIndexOf('/') + 1).contains(".") && !isProject(path);
    return read && page && !file && !isService(path) && !path.equals(PAGE);
  }

  /** A project's own name may hold a dot. */
  private static boolean isProject(String path) {
    return path.startsWith("/p/");
  }

  private static boolean isService(String path) {
    return path.startsWith("/api/")
        || path.equals("/api")
        || path.startsWith("/q/")
        || path.startsWith("/.well-known/")
        || path.equals("/live");
  }
}
