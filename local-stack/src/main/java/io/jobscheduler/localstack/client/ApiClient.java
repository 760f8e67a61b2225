package io.jobscheduler.localstack.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.jobscheduler.localstack.process.StackFailure;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Calls of the API under one origin, with or without a login. Thread-safe. */
public final class ApiClient {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String ROOT = "/api/v1";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final URI origin;
  private final @Nullable String token;
  private final HttpClient http;

  /** Nobody's client, of api-service or of the dashboard that stands before it. */
  public ApiClient(URI origin) {
    this(origin, null, HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build());
  }

  private ApiClient(URI origin, @Nullable String token, HttpClient http) {
    this.origin = origin;
    this.token = token;
    this.http = http;
  }

  /**
   * An answer.
   *
   * @param body the JSON, or null's node when there is none
   * @param text the body as sent, digit for digit
   * @param contentType as sent, or empty
   */
  public record Answer(int status, JsonNode body, String text, String contentType) {

    /**
     * The body of a success.
     *
     * @throws StackFailure when it is none, with the problem's own words
     */
    public JsonNode success() {
      if (status / 100 != 2) {
        throw new StackFailure("The API answered " + status + ": " + body);
      }
      return body;
    }
  }

  /**
   * This client, logged in.
   *
   * @throws StackFailure when the API refuses
   */
  public ApiClient login(String email, String password) {
    Answer answer = post("/auth/login", Map.of("email", email, "password", password));
    if (answer.status() != 200) {
      throw new StackFailure("Cannot log in as " + email + ": " + answer.body());
    }
    return withToken(answer.body().path("accessToken").asText());
  }

  /** This client with another token. */
  public ApiClient withToken(String other) {
    return new ApiClient(origin, other, http);
  }

  /** This client's user and token at another origin. */
  public ApiClient at(URI other) {
    return new ApiClient(other, token, http);
  }

  /** The token it was given at login, or an empty text. */
  public String token() {
    return token == null ? "" : token;
  }

  /** Path below {@code /api/v1}. */
  public Answer get(String path) {
    return send(request(path).GET());
  }

  /** Posts a value as JSON. */
  public Answer post(String path, Object body) {
    return postText(path, text(body));
  }

  /** Posts a text as it stands, declared as JSON. */
  public Answer postText(String path, String body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  /** Puts a value as JSON. */
  public Answer put(String path, Object body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .PUT(HttpRequest.BodyPublishers.ofString(text(body))));
  }

  private HttpRequest.Builder request(String path) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(origin.resolve(ROOT + path)).timeout(LIMIT);
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    return request;
  }

  private Answer send(HttpRequest.Builder builder) {
    HttpRequest request = builder.build();
    try {
      HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
      String type = response.headers().firstValue("Content-Type").orElse("");
      return new Answer(response.statusCode(), json(response.body(), type), response.body(), type);
    } catch (IOException e) {
      throw new StackFailure(
          "No answer to " + request.method() + " " + request.uri() + " (" + e + ")", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StackFailure("Interrupted.", e);
    }
  }

  private static JsonNode json(String body, String contentType) throws JsonProcessingException {
    if (body.isEmpty()) {
      return JsonNodeFactory.instance.nullNode();
    }
    return contentType.contains("json")
        ? JSON.readTree(body)
        : JsonNodeFactory.instance.textNode(body);
  }

  private static String text(Object body) {
    try {
      return JSON.writeValueAsString(body);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
