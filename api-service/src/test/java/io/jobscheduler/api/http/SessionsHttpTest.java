package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class SessionsHttpTest {
  private static final String ME = "/api/v1/auth/me";
  private static final String AUTH = "/api/v1/auth/";

  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private ApiClient anonymous;

  @BeforeEach
  void login() {
    admin = ApiClient.admin(base);
    anonymous = ApiClient.anonymous(base);
  }

  private String user(String email) {
    return admin
        .post(
            "/api/v1/users",
            "{\"email\":\"" + email + "\",\"password\":\"" + ApiClient.PASSWORD + "\"}")
        .status(201)
        .json()
        .path("id")
        .asText();
  }

  private ApiClient.Answer logIn(String email, String password, String address) {
    return anonymous.send(
        anonymous
            .request(AUTH + "login")
            .header("Content-Type", "application/json")
            .header("X-Forwarded-For", address)
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"email\":\"" + email + "\",\"password\":\"" + password + "\"}")));
  }

  /** Without the request's own id. */
  private static String said(ApiClient.Answer answer) {
    return answer.text().replaceAll("\"requestId\":\"[^\"]*\"", "");
  }

  private JsonNode logIn(String email) {
    return logIn(email, ApiClient.PASSWORD, "198.51.100.1").status(200).json();
  }

  private ApiClient.Answer refresh(JsonNode tokens) {
    return anonymous.post(
        AUTH + "refresh", "{\"refreshToken\":\"" + tokens.path("refreshToken").asText() + "\"}");
  }

  private ApiClient with(JsonNode tokens) {
    return anonymous.withToken(tokens.path("accessToken").asText());
  }

  private static void letTimePass(String email, String interval) {
    ApiClient.sql(
        "UPDATE sessions SET rotated_at = rotated_at - interval '%1$s', rotated_before = rotated_before - interval '%1$s' WHERE user_id ="
                .formatted(interval)
            + " (SELECT id FROM users WHERE email = '"
            + email
            + "')");
  }

  @Test
  void aRefreshTokenGivesTheNextTwoTokens() {
    user("rotate@example.org");
    JsonNode first = logIn("rotate@example.org");
    assertEquals(900, first.path("expiresIn").asInt());
    JsonNode second = refresh(first).status(200).json();
    assertNotEquals(first.path("refreshToken"), second.path("refreshToken"));
    with(second).get(ME).status(200);
    letTimePass("rotate@example.org", "1 hour");
    JsonNode third = refresh(second).status(200).json();
    with(third).get(ME).status(200);
    assertEquals(
        "0",
        ApiClient.value(
            "SELECT count(*) FROM sessions s WHERE s::text LIKE '%"
                + third.path("refreshToken").asText().substring(30)
                + "%'"),
        "what is stored is a hash");
  }

  @Test
  void aTokenThatComesAgainWithinMomentsGivesTheSameSuccessor() throws Exception {
    user("twice-at-once@example.org");
    JsonNode first = logIn("twice-at-once@example.org");
    ExecutorService threads = Executors.newFixedThreadPool(6);
    Set<String> successors = new TreeSet<>();
    try {
      List<Future<ApiClient.Answer>> answers = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        answers.add(threads.submit(() -> refresh(first)));
      }
      for (Future<ApiClient.Answer> answer : answers) {
        successors.add(answer.get().status(200).json().path("refreshToken").asText());
      }
    } finally {
      threads.shutdownNow();
    }
    assertEquals(1, successors.size());
    letTimePass("twice-at-once@example.org", "9 seconds");
    JsonNode again = refresh(first).status(200).json();
    assertEquals(successors, Set.of(again.path("refreshToken").asText()));
    with(again).get(ME).status(200);
  }

  @Test
  void aTokenThatComesAgainLaterEndsTheSession() {
    user("stolen@example.org");
    JsonNode other = logIn("stolen@example.org");
    JsonNode first = logIn("stolen@example.org");
    JsonNode second = refresh(first).status(200).json();
    letTimePass("stolen@example.org", "11 seconds");
    refresh(first).problem(401, "unauthorized");
    refresh(second).problem(401, "unauthorized");
    with(second).get(ME).problem(401, "unauthorized");
    with(first).get(ME).problem(401, "unauthorized");
    with(other).get(ME).status(200);
    refresh(other).status(200);
  }

  /** A page that was loaded anew rotates twice within moments, while a second one still asks. */
  @Test
  void theTokenBeforeTheLastGivesItsSuccessorForAsLong() {
    user("older@example.org");
    JsonNode first = logIn("older@example.org");
    JsonNode second = refresh(first).status(200).json();
    letTimePass("older@example.org", "2 seconds");
    JsonNode third = refresh(second).status(200).json();
    letTimePass("older@example.org", "1 second");

    JsonNode secondAgain = refresh(first).status(200).json();
    assertEquals(second.path("refreshToken"), secondAgain.path("refreshToken"));
    with(secondAgain).get(ME).status(200);
    JsonNode thirdAgain = refresh(secondAgain).status(200).json();
    assertEquals(third.path("refreshToken"), thirdAgain.path("refreshToken"));
    refresh(thirdAgain).status(200);
  }

  @Test
  void theTokenBeforeTheLastEndsTheSessionTenSecondsAfterItGaveWay() {
    user("older-late@example.org");
    JsonNode first = logIn("older-late@example.org");
    JsonNode second = refresh(first).status(200).json();
    letTimePass("older-late@example.org", "11 seconds");
    JsonNode third = refresh(second).status(200).json();
    refresh(second).status(200);
    refresh(first).problem(401, "unauthorized");
    refresh(third).problem(401, "unauthorized");
  }

  /** Only the last two are remembered; three steps back is never a lost answer. */
  @Test
  void anOlderTokenEndsTheSessionHoweverSoonItComes() {
    user("oldest@example.org");
    JsonNode first = logIn("oldest@example.org");
    JsonNode second = refresh(first).status(200).json();
    JsonNode third = refresh(second).status(200).json();
    JsonNode fourth = refresh(third).status(200).json();
    refresh(first).problem(401, "unauthorized");
    refresh(fourth).problem(401, "unauthorized");
    with(fourth).get(ME).problem(401, "unauthorized");
  }

  @Test
  void logoutEndsTheSessionAndItsAccessTokens() {
    String path = admin.project("left");
    admin.put(path + "/members/" + user("leaver@example.org"), "{\"role\":\"viewer\"}").status(200);
    JsonNode tokens = logIn("leaver@example.org");
    String body = "{\"refreshToken\":\"" + tokens.path("refreshToken").asText() + "\"}";
    with(tokens).get(path + "/jobs").status(200);
    anonymous.post(AUTH + "logout", body).status(204);
    with(tokens).get(path + "/jobs").problem(401, "unauthorized");
    with(tokens).get(ME).problem(401, "unauthorized");
    refresh(tokens).problem(401, "unauthorized");
    anonymous.post(AUTH + "logout", body).status(204);
  }

  @Test
  void aTokenThatWeNeverMadeDoesNothing() {
    user("forged@example.org");
    JsonNode tokens = logIn("forged@example.org");
    String text = tokens.path("refreshToken").asText();
    for (String forged :
        List.of(
            "x",
            "jsr_",
            text.substring(0, text.length() - 2) + "AA",
            text.substring(4),
            text + "AAAA",
            "jsr_" + "A".repeat(text.length() - 4))) {
      anonymous
          .post(AUTH + "refresh", "{\"refreshToken\":\"" + forged + "\"}")
          .problem(401, "unauthorized");
      anonymous.post(AUTH + "logout", "{\"refreshToken\":\"" + forged + "\"}").status(204);
    }
    with(tokens).get(ME).status(200);
    refresh(tokens).status(200);
  }

  @Test
  void aSessionEndsWhenNobodyRefreshesIt() {
    user("idle@example.org");
    JsonNode tokens = logIn("idle@example.org");
    ApiClient.sql(
        "UPDATE sessions SET expires_at = now() WHERE user_id ="
            + " (SELECT id FROM users WHERE email = 'idle@example.org')");
    refresh(tokens).problem(401, "unauthorized");
  }

  @Test
  void anotherPasswordNeedsTheOldOneAndEndsEverySession() {
    user("changer@example.org");
    JsonNode here = logIn("changer@example.org");
    JsonNode there = logIn("changer@example.org");
    String next = "another long password";
    String body = "{\"oldPassword\":\"%s\",\"newPassword\":\"%s\"}";
    with(here)
        .post(AUTH + "password", body.formatted("not the old one", next))
        .problem(401, "unauthorized");
    with(here)
        .post(AUTH + "password", body.formatted(ApiClient.PASSWORD, "short"))
        .problem(422, "validation-failed");
    JsonNode fresh =
        with(here)
            .post(AUTH + "password", body.formatted(ApiClient.PASSWORD, next))
            .status(200)
            .json();
    with(fresh).get(ME).status(200);
    for (JsonNode old : List.of(here, there)) {
      with(old).get(ME).problem(401, "unauthorized");
      refresh(old).problem(401, "unauthorized");
    }
    logIn("changer@example.org", ApiClient.PASSWORD, "198.51.100.1").problem(401, "unauthorized");
    logIn("changer@example.org", next, "198.51.100.1").status(200);
    String secret =
        admin
            .post(
                admin.project("password-key") + "/api-keys",
                "{\"name\":\"x\",\"scopes\":[\"read\"]}")
            .json()
            .path("secret")
            .asText();
    anonymous
        .withToken(secret)
        .post(AUTH + "password", body.formatted("x", next))
        .problem(403, "forbidden");
  }

  @Test
  void anAdminDisablesAUserAtOnceAndNotTheLastAdmin() {
    String id = user("disabled-by-admin@example.org");
    JsonNode tokens = logIn("disabled-by-admin@example.org");
    with(tokens).patch("/api/v1/users/" + id, "{\"disabled\":false}").problem(403, "forbidden");
    JsonNode off = admin.patch("/api/v1/users/" + id, "{\"disabled\":true}").status(200).json();
    assertFalse(off.path("disabledAt").isNull());
    with(tokens).get(ME).problem(401, "unauthorized");
    refresh(tokens).problem(401, "unauthorized");
    logIn("disabled-by-admin@example.org", ApiClient.PASSWORD, "198.51.100.1")
        .problem(401, "unauthorized");
    JsonNode on =
        admin
            .patch("/api/v1/users/" + id, "{\"disabled\":false,\"name\":\"Back\"}")
            .status(200)
            .json();
    assertTrue(on.path("disabledAt").isNull());
    assertEquals("Back", on.path("name").asText());
    with(tokens).get(ME).problem(401, "unauthorized");
    logIn("disabled-by-admin@example.org");

    String me = admin.get(ME).json().path("id").asText();
    admin.patch("/api/v1/users/" + me, "{\"disabled\":true}").problem(409, "conflict");
    admin.patch("/api/v1/users/" + me, "{\"platformAdmin\":false}").problem(409, "conflict");
    admin.get(ME).status(200);
    admin.patch("/api/v1/users/999999", "{\"name\":\"x\"}").problem(404, "not-found");
  }

  @Test
  void tooManyFailedLoginsAreRefusedAndAnUnknownAccountLikeAKnownOne() {
    user("guessed@example.org");
    List<String> answers = new ArrayList<>();
    for (String email : List.of("guessed@example.org", "unknown@example.org")) {
      StringBuilder all = new StringBuilder();
      for (int i = 0; i < 10; i++) {
        all.append(said(logIn(email, "wrong", "203.0.113." + i).problem(401, "unauthorized")));
      }
      ApiClient.Answer refused =
          logIn(email, "wrong", "203.0.113.99").problem(429, "too-many-requests");
      int seconds = Integer.parseInt(refused.header("Retry-After"));
      assertTrue(seconds >= 1 && seconds <= 60, "Retry-After: " + seconds);
      answers.add(all + said(refused));
    }
    assertEquals(answers.get(0), answers.get(1));
    logIn("guessed@example.org", ApiClient.PASSWORD, "203.0.113.99")
        .problem(429, "too-many-requests");
    logIn("admin@localhost", System.getProperty(ApiDatabase.ADMIN_PASSWORD), "203.0.113.99")
        .status(200);
    ApiClient.sql("UPDATE login_attempts SET full_at = full_at - interval '1 minute'");
    logIn("guessed@example.org", ApiClient.PASSWORD, "203.0.113.99").status(200);
  }

  @Test
  void refusesOurOwnTokensOfAnotherTypeOrForAnotherAudience() {
    Instant soon = Instant.now().plusSeconds(60);
    String mine = admin.token();
    String[][] wrong = {
      {"job-scheduler", "job-scheduler-api", "JWT"},
      {"job-scheduler", "somebody-else", "at+jwt"},
      {"somebody-else", "job-scheduler-api", "at+jwt"}
    };
    for (String[] one : wrong) {
      anonymous
          .withToken(TestTokens.of(mine, one[0], one[1], one[2], soon))
          .get(ME)
          .problem(401, "unauthorized");
    }
    anonymous
        .withToken(TestTokens.of(mine, "job-scheduler", "job-scheduler-api", "at+jwt", soon))
        .get(ME)
        .status(200);
  }
}
