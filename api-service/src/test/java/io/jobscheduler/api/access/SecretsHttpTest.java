package io.jobscheduler.api.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.jobscheduler.api.http.ApiDatabase;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;

/** What the time that a login takes may not tell. */
@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class SecretsHttpTest {
  private static final String WRONG = "a password that is wrong";
  private static final ObjectMapper JSON = new ObjectMapper();

  @TestHTTPResource("/api/v1/")
  URI api;

  @Inject PasswordCheck passwords;
  @Inject AccessConfig config;
  @Inject Jdbi jdbi;

  private HttpResponse<String> post(String path, String token, String body) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(api.resolve(path))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body));
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  /** Without the request's own id. */
  private static String said(HttpResponse<String> answer) {
    return answer.body().replaceAll("\"requestId\":\"[^\"]*\"", "")
        + answer.headers().map().keySet();
  }

  private static String login(String email, String password) {
    return "{\"email\":\"" + email + "\",\"password\":\"" + password + "\"}";
  }

  private static JsonNode json(HttpResponse<String> answer, int status) throws IOException {
    assertEquals(status, answer.statusCode(), answer.body());
    return JSON.readTree(answer.body());
  }

  private String admin() throws Exception {
    return json(post("auth/login", "", login("admin@localhost", ApiDatabase.adminPassword())), 200)
        .path("accessToken")
        .asText();
  }

  /** What takes the time is the hash; an account that is not there costs the same one. */
  @Test
  void aLoginCostsOneHashWhetherThereIsSuchAnAccountOrNot() throws Exception {
    String admin = admin();
    json(post("users", admin, login("hashed@example.org", "right and long enough")), 201);
    List<String> answers = new ArrayList<>();
    for (String email : List.of("hashed@example.org", "nobody-hashed@example.org", "x")) {
      long before = passwords.hashed();
      HttpResponse<String> answer = post("auth/login", "", login(email, WRONG));
      assertEquals(401, answer.statusCode());
      answers.add(said(answer));
      assertEquals(before + 1, passwords.hashed(), email);
    }
    assertEquals(1, answers.stream().distinct().count(), answers.toString());
    String id =
        json(post("users", admin, login("off@example.org", "right and long enough")), 201)
            .path("id")
            .asText();
    HttpRequest disable =
        HttpRequest.newBuilder(api.resolve("users/" + id))
            .header("Content-Type", "application/json")
            .header("Authorization", "Bearer " + admin)
            .method("PATCH", HttpRequest.BodyPublishers.ofString("{\"disabled\":true}"))
            .build();
    assertEquals(
        200,
        HttpClient.newHttpClient()
            .send(disable, HttpResponse.BodyHandlers.ofString())
            .statusCode());
    long before = passwords.hashed();
    HttpResponse<String> off =
        post("auth/login", "", login("off@example.org", "right and long enough"));
    assertEquals(before + 1, passwords.hashed());
    assertEquals(answers.get(0), said(off));
  }

  /** Else as many of them as there are connections keep everybody else out meanwhile. */
  @Test
  void aPasswordIsHashedOutsideOfAnyTransaction() throws Exception {
    String admin = admin();
    String user =
        "{\"email\":\"%s@hashing.example.org\",\"password\":\"a long password\",\"name\":\"x\"}";
    assertEquals(201, post("users", admin, user.formatted("one")).statusCode());
    String one =
        json(post("auth/login", "", login("one@hashing.example.org", "a long password")), 200)
            .path("accessToken")
            .asText();
    holdsNothing(() -> post("users", admin, user.formatted("two")));
    holdsNothing(
        () ->
            post(
                "auth/password",
                one,
                "{\"oldPassword\":\"a long password\",\"newPassword\":\"another password\"}"));
  }

  private void holdsNothing(Callable<HttpResponse<String>> request) throws Exception {
    CompletableFuture<Integer> go = new CompletableFuture<>();
    CountDownLatch taken = new CountDownLatch(config.concurrentHashes());
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      for (int i = 0; i < config.concurrentHashes(); i++) {
        threads.submit(
            () ->
                passwords.inTurn(
                    () -> {
                      taken.countDown();
                      return go.join();
                    }));
      }
      assertTrue(taken.await(30, TimeUnit.SECONDS));
      Future<HttpResponse<String>> answer = threads.submit(request);
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (passwords.waiting() == 0) {
        assertTrue(System.nanoTime() - end < 0 && !answer.isDone(), "nobody waits");
        Thread.onSpinWait();
      }
      assertEquals(
          "0",
          jdbi.<String, RuntimeException>withHandle(
              h ->
                  h.createQuery(
                          "SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database"
                              + " WHERE d.datname = current_database()"
                              + " AND relation = 'jobs.users'::regclass")
                      .mapTo(String.class)
                      .one()));
      go.complete(1);
      answer.get(30, TimeUnit.SECONDS);
    } finally {
      go.complete(1);
      threads.shutdownNow();
    }
  }
}
