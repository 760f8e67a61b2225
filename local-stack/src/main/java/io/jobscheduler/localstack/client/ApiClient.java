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
  private final @Nullable Login login;
  private final HttpClient http;

  /**
   * What a client sends as its token.
   *
   * @param token the access token of now
   * @param refreshToken gives the next one, once; empty: there is none
   */
  private record Tokens(String token, String refreshToken) {
    static Tokens of(JsonNode answer) {
      return new Tokens(answer.path("accessToken").asText(), answer.path("refreshToken").asText());
    }
  }

  /** A login, shared by all clients that were made from it. Guarded by its monitor. */
  private static final class Login {
    private Tokens tokens;

    Login(Tokens tokens) {
      this.tokens = tokens;
    }

    synchronized String token() {
      return tokens.token();
    }

    /** Goes on with the session unless another thread has; whether there is a new token. */
    synchronized boolean renew(ApiClient nobody, String over) {
      if (!tokens.token().equals(over)) {
        return true;
      }
      if (tokens.refreshToken().isEmpty()) {
        return false;
      }
      Answer answer = nobody.post("/auth/refresh", Map.of("refreshToken", tokens.refreshToken()));
      if (answer.status() == 200) {
        tokens = Tokens.of(answer.body());
      }
      return answer.status() == 200;
    }
  }

  /** Nobody's client, of api-service or of the dashboard that stands before it. */
  public ApiClient(URI origin) {
    this(origin, null, HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build());
  }

  private ApiClient(URI origin, @Nullable Login login, HttpClient http) {
    this.origin = origin;
    this.login = login;
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
    return new ApiClient(origin, new Login(Tokens.of(answer.body())), http);
  }

  /** This client with another token. */
  public ApiClient withToken(String other) {
    return new ApiClient(origin, new Login(new Tokens(other, "")), http);
  }

  /** This client's user and token at another origin. */
  public ApiClient at(URI other) {
    return new ApiClient(other, login, http);
  }

  /** The token that it sends now, or an empty text. */
  public String token() {
    return login == null ? "" : login.token();
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

  /** Patches with a value as JSON. */
  public Answer patch(String path, Object body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .method("PATCH", HttpRequest.BodyPublishers.ofString(text(body))));
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(origin.resolve(ROOT + path)).timeout(LIMIT);
  }

  /** Once more with the next token when this one is over: a run may be longer than it is good. */
  private Answer send(HttpRequest.Builder builder) {
    if (login == null) {
      return exchange(builder.build());
    }
    String token = login.token();
    Answer answer = exchange(builder.setHeader("Authorization", "Bearer " + token).build());
    return answer.status() == 401 && login.renew(new ApiClient(origin, null, http), token)
        ? exchange(builder.setHeader("Authorization", "Bearer " + login.token()).build())
        : answer;
  }

  private Answer exchange(HttpRequest request) {
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
