package io.jobscheduler.dashboard.packaged;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** api-service as far as the dashboard needs it: keys, who may see what, and some odd answers. */
final class FakeApi implements AutoCloseable {
  /** Who may see which projects; a user who is not in it is refused. */
  final Map<String, List<String>> access = new ConcurrentHashMap<>();

  final List<SigningKey> keys = new CopyOnWriteArrayList<>();
  final CountDownLatch release = new CountDownLatch(1);

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  FakeApi(int port) {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(threads);
    server.createContext("/.well-known/jwks.json", this::jwks);
    server.createContext("/api/v1/auth/me", this::me);
    server.createContext("/api/v1/echo", FakeApi::echo);
    server.createContext("/api/v1/count", FakeApi::count);
    server.createContext("/api/v1/big", FakeApi::big);
    server.createContext("/api/v1/silent", this::silent);
    server.createContext("/api/v1/broken", FakeApi::broken);
    server.createContext("/api/v1/too-large", FakeApi::tooLarge);
    server.createContext("/api/v1/unchanged", FakeApi::unchanged);
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    release.countDown();
    server.stop(0);
    threads.shutdownNow();
  }

  private void jwks(HttpExchange exchange) throws IOException {
    String all = String.join(",", keys.stream().map(SigningKey::jwk).toList());
    answer(exchange, 200, "{\"keys\":[" + all + "]}");
  }

  private void me(HttpExchange exchange) throws IOException {
    String token = exchange.getRequestHeaders().getFirst("Authorization");
    String user = token == null ? "" : Claims.subject(token.replace("Bearer ", ""));
    List<String> projects = access.get(user);
    if (projects == null) {
      answer(exchange, 401, "{\"title\":\"Unauthorized\"}");
      return;
    }
    String entries =
        String.join(
            ",",
            projects.stream()
                .map(name -> "{\"project\":\"" + name + "\",\"role\":\"viewer\",\"actions\":[]}")
                .toList());
    answer(exchange, 200, "{\"id\":\"1\",\"projects\":[" + entries + "]}");
  }

  /** What arrived: the request line, then the headers one a line, an empty line, the body. */
  private static void echo(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    StringBuilder text = new StringBuilder();
    text.append(exchange.getRequestMethod()).append(' ').append(exchange.getRequestURI());
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> text.append('\n').append(name).append(": ").append(values));
    text.append("\n\n").append(new String(body, StandardCharsets.UTF_8));
    Headers headers = exchange.getResponseHeaders();
    headers.add("X-Two", "a");
    headers.add("X-Two", "b");
    headers.add("Connection", "X-Hop");
    headers.add("X-Hop", "1");
    answer(exchange, 201, text.toString());
  }

  private static void count(HttpExchange exchange) throws IOException {
    long bytes = 0;
    byte[] buffer = new byte[65_536];
    InputStream body = exchange.getRequestBody();
    for (int read = body.read(buffer); read >= 0; read = body.read(buffer)) {
      bytes += read;
    }
    answer(exchange, 200, Long.toString(bytes));
  }

  /** As many bytes as the query says, without a length. */
  private static void big(HttpExchange exchange) throws IOException {
    long left = Long.parseLong(exchange.getRequestURI().getQuery());
    exchange.sendResponseHeaders(200, 0);
    byte[] buffer = new byte[65_536];
    try (OutputStream out = exchange.getResponseBody()) {
      while (left > 0) {
        int part = (int) Math.min(left, buffer.length);
        out.write(buffer, 0, part);
        left -= part;
      }
    }
  }

  private void silent(HttpExchange exchange) throws IOException {
    try {
      release.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    exchange.close();
  }

  /** Promises a hundred bytes, sends ten, hangs up. */
  private static void broken(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(200, 100);
    exchange.getResponseBody().write(new byte[10]);
    exchange.getResponseBody().flush();
    exchange.close();
  }

  /** Refuses before it reads the body, then reads on so that the refusal can arrive. */
  private static void tooLarge(HttpExchange exchange) throws IOException {
    byte[] body = "{\"title\":\"Payload too large\"}".getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(413, body.length);
    exchange.getResponseBody().write(body);
    exchange.getResponseBody().flush();
    exchange.getRequestBody().transferTo(OutputStream.nullOutputStream());
    exchange.close();
  }

  private static void unchanged(HttpExchange exchange) throws IOException {
    exchange.getResponseHeaders().set("ETag", "\"7\"");
    boolean same = "\"7\"".equals(exchange.getRequestHeaders().getFirst("If-None-Match"));
    exchange.sendResponseHeaders(same ? 304 : 200, -1);
    exchange.close();
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(bytes);
    }
  }
}
