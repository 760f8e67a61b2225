package io.jobscheduler.dashboard.proxy;

import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.HostAndPort;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import org.jboss.logging.Logger;

/**
 * Streams requests to api-service and answers back, with back-pressure both ways: a body is never
 * held in memory. Written over the Vert.x client, because the Vert.x proxy answers a failed
 * connection by itself, with an empty 502.
 */
@ApplicationScoped
class ApiProxy {
  private static final Logger LOG = Logger.getLogger(ApiProxy.class);

  private final ApiClient api;

  ApiProxy(ApiClient api) {
    this.api = api;
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
    ForwardedHeaders.copyEndToEnd(incoming.headers(), outgoing.headers(), "Host");
    SocketAddress client = incoming.remoteAddress();
    HostAndPort authority = incoming.authority();
    ForwardedHeaders.addForwarded(
        outgoing.headers(),
        client == null ? null : client.hostAddress(),
        incoming.scheme(),
        authority == null ? null : authority.toString());
    // The browser went away: api-service need not go on.
    context.response().closeHandler(gone -> outgoing.reset());
    boolean hasBody =
        incoming.headers().contains("Content-Length")
            || incoming.headers().contains("Transfer-Encoding");
    outgoing.setChunked(hasBody && !incoming.headers().contains("Content-Length"));
    (hasBody ? outgoing.send(incoming) : outgoing.send())
        .onSuccess(answer -> answer(context, answer))
        .onFailure(failure -> refuse(context, failure, true));
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
        .pipeTo(response)
        .onFailure(
            failure -> {
              LOG.debug("an answer of api-service broke off", failure);
              // The head is out: only a broken connection can say that the body is not whole.
              response.reset();
            });
  }

  private static void refuse(RoutingContext context, Throwable failure, boolean connected) {
    HttpServerResponse response = context.response();
    if (response.closed() || response.ended() || response.headWritten()) {
      return;
    }
    LOG.debug("api-service gave no answer", failure);
    ProxyProblem problem = ProxyProblem.of(failure, connected);
    // What is left of the body is read away, so that the connection can be used again.
    context.request().resume();
    response
        .setStatusCode(problem.status)
        .putHeader("Content-Type", "application/problem+json")
        .putHeader("Cache-Control", "no-store")
        .putHeader("Retry-After", ProxyProblem.RETRY_AFTER_SECONDS)
        .end(problem.body(context.normalizedPath()));
  }
}
