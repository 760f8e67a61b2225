package io.jobscheduler.localstack.load;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Calls of the API that are repeated, with the same Idempotency-Key and at the next address, until
 * one is answered. What faults explain is repeated: no answer, 429, 502, 503, 504, and 409 while
 * the same request is being answered. A 500 is repeated too, and noted. As a platform admin, unless
 * a key is named. Thread-safe.
 */
final class LoadClient {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String LINES = "application/x-ndjson";
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final long PAUSE_MILLIS = 200;

  private final LoadPlan plan;
  private final Ledger ledger;
  private final CountDownLatch givenUp = new CountDownLatch(1);
  private final AtomicInteger next = new AtomicInteger();
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(2))
          .build();
  private volatile String token = "";

  /** An answer. {@code attempt} 1: the first request got it. */
  record Answer(int status, String text, int attempt) {
    JsonNode body() {
      try {
        return text.isEmpty() ? JsonNodeFactory.instance.nullNode() : JSON.readTree(text);
      } catch (JsonProcessingException e) {
        return JsonNodeFactory.instance.nullNode();
      }
    }

    boolean ok() {
      return status / 100 == 2;
    }
  }

  LoadClient(LoadPlan plan, Ledger ledger) {
    this.plan = plan;
    this.ledger = ledger;
  }

  /** Requests under way are not repeated any more. */
  void giveUp() {
    givenUp.countDown();
  }

  /** Empty when it was given up unanswered: what it asked for may or may not have happened. */
  Optional<Answer> get(String path) {
    return call("GET", path, "application/json", null);
  }

  /** Posts a value as JSON, see {@link #get}. */
  Optional<Answer> post(String path, Object body) {
    return call("POST", path, "application/json", text(body));
  }

  /** Any method with a value as JSON, see {@link #get}. */
  Optional<Answer> send(String method, String path, Object body) {
    return call(method, path, "application/json", text(body));
  }

  /** Posts values one a line, see {@link #get}. */
  Optional<Answer> postLines(String path, List<? extends Map<String, ?>> lines) {
    StringBuilder body = new StringBuilder();
    lines.forEach(line -> body.append(text(line)).append('\n'));
    return call("POST", path, LINES, body.toString());
  }

  /** Any method under an API key; {@code body} null: none. See {@link #get}. */
  Optional<Answer> as(String secret, String method, String path, @Nullable Object body) {
    return call(method, path, "application/json", body == null ? null : text(body), secret);
  }

  private Optional<Answer> call(String method, String path, String type, @Nullable String body) {
    return call(method, path, type, body, null);
  }

  private Optional<Answer> call(
      String method, String path, String type, @Nullable String body, @Nullable String secret) {
    String key = UUID.randomUUID().toString();
    int attempt = 0;
    while (givenUp.getCount() > 0) {
      attempt++;
      Optional<HttpResponse<String>> response = once(method, path, type, body, key, secret);
      if (response.isPresent()) {
        Answer answer = new Answer(response.get().statusCode(), response.get().body(), attempt);
        if (!repeatable(answer, method + " " + path, secret == null)) {
          return Optional.of(answer);
        }
      } else {
        ledger.count("requests without an answer");
      }
      pause();
    }
    return Optional.empty();
  }

  private Optional<HttpResponse<String>> once(
      String method,
      String path,
      String type,
      @Nullable String body,
      String key,
      @Nullable String secret) {
    URI origin = plan.apis().get(Math.floorMod(next.get(), plan.apis().size()));
    HttpRequest.Builder request =
        HttpRequest.newBuilder(origin.resolve("/api/v1" + path))
            .timeout(LIMIT)
            .header("Authorization", "Bearer " + (secret == null ? token : secret))
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body));
    if (body != null) {
      String media = method.equals("PATCH") ? "application/merge-patch+json" : type;
      request.header("Content-Type", media);
      // Lines have keys of their own.
      if (!type.equals(LINES)) {
        request.header("Idempotency-Key", key);
      }
    }
    try {
      return Optional.of(http.send(request.build(), HttpResponse.BodyHandlers.ofString()));
    } catch (IOException away) {
      next.incrementAndGet();
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      giveUp();
      return Optional.empty();
    }
  }

  private boolean repeatable(Answer answer, String what, boolean asAdmin) {
    int status = answer.status();
    if (status == 401 && asAdmin) {
      logIn();
      return true;
    }
    if (status == 500) {
      ledger.unexpected(what + " answered 500: " + answer.text());
    }
    boolean busy = status == 409 && answer.text().contains("/problems/in-flight");
    boolean away = status >= 500 || status == 429 || busy;
    if (away) {
      ledger.count("answers " + status);
      next.incrementAndGet();
    }
    return away;
  }

  private synchronized void logIn() {
    once(
            "POST",
            "/auth/login",
            "application/json",
            text(Map.of("email", plan.email(), "password", plan.password())),
            UUID.randomUUID().toString(),
            null)
        .filter(response -> response.statusCode() == 200)
        .ifPresent(
            response ->
                token = new Answer(200, response.body(), 1).body().path("accessToken").asText());
  }

  private void pause() {
    try {
      givenUp.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      giveUp();
    }
  }

  private static String text(Object body) {
    try {
      return JSON.writeValueAsString(body);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
