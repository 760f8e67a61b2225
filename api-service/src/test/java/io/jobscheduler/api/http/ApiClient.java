package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.jobscheduler.schema.testing.Role;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;

/** Speaks to the service under test as one caller. */
final class ApiClient {
  static final String PASSWORD = "a long password";
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern INSIDE =
      Pattern.compile(
          "Exception|\\bat [a-z]+\\.[a-zA-Z]|\\b(io|org|java|com)\\.[a-z]+\\.|SQLSTATE|SELECT |INSERT"
              + " |jobs\\.[a-z]+_");

  private final URI base;
  private final String token;

  private ApiClient(URI base, String token) {
    this.base = base;
    this.token = token;
  }

  /** An answer; {@code json} is null when there is no body. */
  record Answer(int status, String text, JsonNode json, HttpResponse<String> http) {
    /** Requires a problem of a type; returns this. */
    Answer problem(int expected, String type) {
      assertEquals(expected, status, text);
      assertEquals("/problems/" + type, json.path("type").asText(), text);
      assertEquals(expected, json.path("status").asInt());
      assertEquals(
          "application/problem+json", http.headers().firstValue("Content-Type").orElse(""));
      assertEquals(http.uri().getRawPath(), json.path("instance").asText());
      return this;
    }

    Answer status(int expected) {
      assertEquals(expected, status, text);
      return this;
    }

    List<String> pointers() {
      List<String> pointers = new ArrayList<>();
      json.path("errors").forEach(e -> pointers.add(e.path("pointer").asText()));
      return pointers;
    }

    String header(String name) {
      return http.headers().firstValue(name).orElse("");
    }
  }

  static ApiClient anonymous(URI base) {
    return new ApiClient(base, "");
  }

  static ApiClient admin(URI base) {
    return anonymous(base).login("admin@localhost", System.getProperty(ApiDatabase.ADMIN_PASSWORD));
  }

  ApiClient login(String email, String password) {
    Answer answer =
        post(
            "/api/v1/auth/login",
            "{\"email\":\"" + email + "\",\"password\":\"" + password + "\"}");
    return withToken(answer.status(200).json().path("accessToken").asText());
  }

  ApiClient withToken(String otherToken) {
    return new ApiClient(base, otherToken);
  }

  String token() {
    return token;
  }

  /** As an admin: a new user, member of a project. */
  ApiClient member(String project, String email, String role) {
    String id =
        post("/api/v1/users", "{\"email\":\"" + email + "\",\"password\":\"" + PASSWORD + "\"}")
            .status(201)
            .json()
            .path("id")
            .asText();
    put("/api/v1/projects/" + project + "/members/" + id, "{\"role\":\"" + role + "\"}")
        .status(200);
    return anonymous(base).login(email, PASSWORD);
  }

  /** As an admin: a new project; returns its path. */
  String project(String name) {
    post("/api/v1/projects", "{\"name\":\"" + name + "\"}").status(201);
    return "/api/v1/projects/" + name;
  }

  HttpRequest.Builder request(String path) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(base.resolve(path)).timeout(Duration.ofSeconds(60));
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    return request;
  }

  Answer get(String path) {
    return send(request(path).GET());
  }

  Answer post(String path, String body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  Answer post(String path, byte[] body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body)));
  }

  Answer put(String path, String body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .PUT(HttpRequest.BodyPublishers.ofString(body)));
  }

  Answer patch(String path, String body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .method("PATCH", HttpRequest.BodyPublishers.ofString(body)));
  }

  /** Only if the thing has that entity tag. */
  Answer conditional(String method, String path, String tag, String body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .header("If-Match", tag)
            .method(method, HttpRequest.BodyPublishers.ofString(body)));
  }

  Answer delete(String path) {
    return send(request(path).DELETE());
  }

  Answer send(HttpRequest.Builder request) {
    try {
      HttpResponse<String> answer =
          HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
      boolean html = answer.headers().firstValue("Content-Type").orElse("").startsWith("text/html");
      JsonNode json = answer.body().isEmpty() || html ? null : JSON.readTree(answer.body());
      assertSaysNothingOfTheInside(answer);
      return new Answer(answer.statusCode(), answer.body(), json, answer);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** In whatever test an error is provoked, its answer names no class, statement or stack. */
  private static void assertSaysNothingOfTheInside(HttpResponse<String> answer) {
    if (answer.statusCode() >= 400) {
      assertFalse(INSIDE.matcher(answer.body()).find(), answer.body());
    }
  }

  /** Runs a statement as the schema's owner. */
  static void sql(String sql) {
    try (Connection owner =
            DriverManager.getConnection(
                System.getProperty(ApiDatabase.URL),
                Role.OWNER.databaseName(),
                Role.OWNER.password());
        Statement statement = owner.createStatement()) {
      statement.execute("SET search_path = jobs");
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /** A live worker with four slots for queues of one pattern; its id. */
  static String worker(String pattern) {
    long id = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
    sql("SELECT register_worker(%d, 'h', 1, 'v', '{%s}', 4)".formatted(id, pattern));
    return Long.toString(id);
  }

  /** The one text that a query of the schema's owner answers; null as "null". */
  static String value(String query) {
    try (Connection owner =
            DriverManager.getConnection(
                System.getProperty(ApiDatabase.URL),
                Role.OWNER.databaseName(),
                Role.OWNER.password());
        Statement statement = owner.createStatement()) {
      statement.execute("SET search_path = jobs");
      try (ResultSet row = statement.executeQuery(query)) {
        row.next();
        return String.valueOf(row.getString(1));
      }
    } catch (SQLException e) {
      throw new IllegalStateException(query, e);
    }
  }
}
