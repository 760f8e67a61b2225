package io.jobscheduler.dashboard.proxy;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import jakarta.enterprise.context.ApplicationScoped;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Connections to api-service, pooled. Never blocks; thread-safe. */
@ApplicationScoped
public class ApiClient {
  private static final int MAX_CONNECTIONS = 256;

  /** A whole answer. */
  public record Answer(int status, Buffer body) {}

  private final HttpClient client;
  private final ApiConfig config;

  ApiClient(Vertx vertx, ApiConfig config) {
    this.config = config;
    this.client =
        vertx.createHttpClient(
            new HttpClientOptions()
                .setMaxPoolSize(MAX_CONNECTIONS)
                .setMaxWaitQueueSize(4 * MAX_CONNECTIONS)
                .setKeepAliveTimeout(30)
                // Neither side moved a byte: a stalled upload or download ends here.
                .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                .setIdleTimeout((int) (config.idleTimeout().toMillis() * 5 / 4))
                .setSsl("https".equals(config.apiUrl().getScheme())));
  }

  /** A request whose head is not sent yet. Fails when no connection comes up in time. */
  Future<HttpClientRequest> request(HttpMethod method, String uri) {
    return client.request(options(method, uri));
  }

  /** GET with a bearer token; for small answers, which are held in memory. */
  public Future<Answer> get(String uri, String token, Duration timeout) {
    return client
        .request(options(HttpMethod.GET, uri).setIdleTimeout(timeout.toMillis()))
        .compose(request -> request.putHeader("Authorization", "Bearer " + token).send())
        .compose(response -> response.body().map(body -> new Answer(response.statusCode(), body)));
  }

  private RequestOptions options(HttpMethod method, String uri) {
    URI api = config.apiUrl();
    boolean ssl = "https".equals(api.getScheme());
    int port = api.getPort() >= 0 ? api.getPort() : ssl ? 443 : 80;
    return new RequestOptions()
        .setMethod(method)
        .setHost(api.getHost())
        .setPort(port)
        .setSsl(ssl)
        .setURI(uri)
        .setConnectTimeout(config.connectTimeout().toMillis());
  }
}
