package io.jobscheduler.dashboard.proxy;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.Set;
import org.jboss.logging.Logger;

/**
 * Streams requests to api-service and answers back, with back-pressure both ways: a body is never
 * held in memory. Written over the Vert.x client, because the Vert.x proxy answers a failed
 * connection by itself, with an empty 502.
 */
@ApplicationScoped
class ApiProxy {
  private static final Logger LOG = Logger.getLogger(ApiProxy.class);

  private static final Set<HttpMethod> WITH_BODY =
      Set.of(HttpMethod.POST, HttpMethod.PUT, HttpMethod.PATCH);

  private final Vertx vertx;
  private final ApiClient api;
  private final ApiConfig config;

  ApiProxy(Vertx vertx, ApiClient api, ApiConfig config) {
    this.vertx = vertx;
    this.api = api;
    this.config = config;
  }

  void routes(@Observes Router router) {
    router.route("/api/*").handler(this::forward);
    router.route("/.well-known/jwks.json").handler(this::forward);
  }

  private void forward(RoutingContext context) {
    HttpServerRequest incoming = context.request();
    // Nothing may be read before the other side can take it.
    incoming.pause();
    api.request(incoming.method(), incoming.uri())
        .onSuccess(outgoing -> send(context, outgoing))
        .onFailure(failure -> refuse(context, failure, false));
  }

  private void send(RoutingContext context, HttpClientRequest outgoing) {
    HttpServerRequest incoming = context.request();
    ForwardedHeaders.copyEndToEnd(incoming.headers(), outgoing.headers(), "Host", "Expect");
    SocketAddress client = incoming.remoteAddress();
    HostAndPort authority = incoming.authority();
    ForwardedHeaders.addForwarded(
        outgoing.headers(),
        client == null ? null : client.hostAddress(),
        incoming.scheme(),
        authority == null ? null : authority.toString());
    // The browser went away: api-service need not go on.
    context.response().closeHandler(gone -> outgoing.reset());
    boolean hasBody = incoming.headers().contains("Content-Length") || hasUnknownLength(incoming);
    // Asked of what goes out: a Connection header may have named the length as well.
    outgoing.setChunked(hasBody && !outgoing.headers().contains("Content-Length"));
    if ("100-continue".equalsIgnoreCase(incoming.getHeader("Expect"))) {
      // Whoever waits for leave to send its body gets it here: the body is streamed, not kept.
      context.response().writeContinue();
    }
    Deadline deadline = new Deadline(vertx, outgoing, config.idleTimeout());
    outgoing
        .response()
        .onComplete(done -> deadline.cancel())
        .onSuccess(answer -> answer(context, answer))
        .onFailure(failure -> refuse(context, failure, deadline.expired()));
    (hasBody ? incoming.pipe().endOnFailure(false).to(outgoing) : outgoing.end())
        .onSuccess(sent -> deadline.start())
        // api-service may have answered before it read all: what is left is read away.
        .onFailure(failure -> incoming.handler(null).resume());
  }

  /** HTTP/2 does not say whether a body follows; then what the method is for decides. */
  private static boolean hasUnknownLength(HttpServerRequest incoming) {
    return incoming.version() == HttpVersion.HTTP_2
        ? WITH_BODY.contains(incoming.method())
        : incoming.headers().contains("Transfer-Encoding");
  }

  private void answer(RoutingContext context, HttpClientResponse answer) {
    HttpServerResponse response = context.response();
    if (response.closed() || response.ended()) {
      return;
    }
    response.setStatusCode(answer.statusCode());
    ForwardedHeaders.copyEndToEnd(answer.headers(), response.headers());
    if (!answer.headers().contains("Content-Length")) {
      response.setChunked(true);
    }
    answer
        .pipe()
        .endOnFailure(false)
        .to(response)
        .onFailure(
            failure -> {
              LOG.debug("an answer of api-service broke off", failure);
              // The head is out: only a broken stream can say that the body is not whole.
              response.reset();
            });
  }

  private static void refuse(RoutingContext context, Throwable failure, boolean timedOut) {
    HttpServerResponse response = context.response();
    if (response.closed() || response.ended() || response.headWritten()) {
      return;
    }
    LOG.debug("api-service gave no answer", failure);
    ProxyProblem problem = timedOut ? ProxyProblem.GATEWAY_TIMEOUT : ProxyProblem.BAD_GATEWAY;
    // What is left of the body is read away, so that the connection can be used again.
    context.request().handler(null).resume();
    response
        .setStatusCode(problem.status)
        .putHeader("Content-Type", "application/problem+json")
        .putHeader("Cache-Control", "no-store")
        .putHeader("Retry-After", ProxyProblem.RETRY_AFTER_SECONDS)
        .end(problem.body(context.normalizedPath()));
  }
}
