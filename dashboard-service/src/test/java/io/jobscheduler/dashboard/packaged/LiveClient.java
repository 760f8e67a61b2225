package io.jobscheduler.dashboard.packaged;

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A browser's socket. */
final class LiveClient implements WebSocket.Listener, AutoCloseable {
  final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
  final CompletableFuture<Integer> closed = new CompletableFuture<>();
  private WebSocket socket;

  /** Connects as the UI does; throws {@link Refused} when the upgrade is refused. */
  static LiveClient connect(PackagedService service, String project, String token) {
    return connect(service, "/live?project=" + project, token, "http://127.0.0.1:" + service.port);
  }

  static LiveClient connect(PackagedService service, String path, String token, String origin) {
    LiveClient client = new LiveClient();
    WebSocket.Builder builder = PackagedService.HTTP.newWebSocketBuilder();
    if (origin != null) {
      builder.header("Origin", origin);
    }
    if (token != null) {
      String header = "quarkus-http-upgrade#Authorization#Bearer " + token;
      String encoded = URLEncoder.encode(header, StandardCharsets.UTF_8).replace("+", "%20");
      builder.subprotocols("bearer-token-carrier", encoded);
    }
    URI address = URI.create("ws://127.0.0.1:" + service.port + path);
    try {
      client.socket = builder.buildAsync(address, client).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof WebSocketHandshakeException refused) {
        throw new Refused(refused.getResponse().statusCode());
      }
      throw e;
    }
    return client;
  }

  String next() throws InterruptedException {
    String message = messages.poll(Await.DEADLINE.toSeconds(), TimeUnit.SECONDS);
    if (message == null) {
      throw new AssertionError("no message");
    }
    return message;
  }

  /** The next message that names a topic. */
  String nextSignal() throws InterruptedException {
    String message = next();
    while (message.contains("\"topics\":[]")) {
      message = next();
    }
    return message;
  }

  int closeCode() throws Exception {
    return closed.get(Await.DEADLINE.toSeconds(), TimeUnit.SECONDS);
  }

  @Override
  public CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
    messages.add(data.toString());
    webSocket.request(1);
    return null;
  }

  @Override
  public CompletionStage<?> onClose(WebSocket webSocket, int statusCode, String reason) {
    closed.complete(statusCode);
    return null;
  }

  @Override
  public void onError(WebSocket webSocket, Throwable error) {
    closed.completeExceptionally(error);
  }

  @Override
  public void close() {
    socket.abort();
  }

  /** The upgrade was answered with an HTTP status. */
  static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;

    final int status;

    Refused(int status) {
      super("refused with " + status);
      this.status = status;
    }
  }
}
