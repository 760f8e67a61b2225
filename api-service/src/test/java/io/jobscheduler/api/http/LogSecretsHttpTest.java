package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the log may not tell, whatever its level. */
@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class LogSecretsHttpTest {
  private static final String OURS = "io.jobscheduler";
  private static final String EMAIL = "log-secrets@example.org";
  private static final String AUTH = "/api/v1/auth/";

  private final Heard heard = new Heard();
  private final Logger root = Logger.getLogger("");
  private final Logger ours = Logger.getLogger(OURS);
  private final Map<Handler, Level> shown = new LinkedHashMap<>();
  private final Map<String, String> secrets = new LinkedHashMap<>();
  private Level rootLevel;
  private Level oursLevel;

  @TestHTTPResource("/")
  URI base;

  /** Records as text: all that a formatter could show of them. */
  private static final class Heard extends Handler {
    private final List<String> records = new ArrayList<>();

    @Override
    public synchronized void publish(LogRecord record) {
      StringWriter text = new StringWriter();
      text.write(record.getLoggerName() + " " + record.getMessage() + " ");
      text.write(Arrays.deepToString(record.getParameters()));
      if (record.getThrown() != null) {
        record.getThrown().printStackTrace(new PrintWriter(text, true));
      }
      records.add(text.toString());
    }

    synchronized List<String> all() {
      return List.copyOf(records);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @BeforeEach
  void listen() {
    rootLevel = root.getLevel();
    oursLevel = ours.getLevel();
    // It is heard, not shown.
    for (Handler handler : root.getHandlers()) {
      shown.put(handler, handler.getLevel());
      handler.setLevel(Level.INFO);
    }
    heard.setLevel(Level.ALL);
    root.addHandler(heard);
    root.setLevel(Level.ALL);
    ours.setLevel(Level.ALL);
  }

  @AfterEach
  void listenNoMore() {
    root.removeHandler(heard);
    root.setLevel(rootLevel);
    ours.setLevel(oursLevel);
    shown.forEach(Handler::setLevel);
  }

  private String secret(String what, String value) {
    secrets.put(what, value);
    return value;
  }

  private void assertNothingWasToldBy(String category) {
    List<String> told = heard.all().stream().filter(r -> r.startsWith(category)).toList();
    assertTrue(told.size() > 0, "the log is heard");
    // The record itself would bring the secret into the test's own report.
    secrets.forEach(
        (what, value) ->
            assertEquals(
                List.of(),
                told.stream()
                    .filter(r -> r.contains(value))
                    .map(r -> r.substring(0, r.indexOf(' ')))
                    .distinct()
                    .toList(),
                what + " was logged"));
  }

  private static String login(String email, String password) {
    return "{\"email\":\"" + email + "\",\"password\":\"" + password + "\"}";
  }

  private static String passwords(String old, String next) {
    return "{\"oldPassword\":\"" + old + "\",\"newPassword\":\"" + next + "\"}";
  }

  @Test
  void noPasswordTokenOrKeyIsLoggedByAnybody() {
    ApiClient anonymous = ApiClient.anonymous(base);
    secret("the admin's password", ApiDatabase.adminPassword());
    ApiClient admin = ApiClient.admin(base);
    secret("the admin's token", admin.token());
    String first = secret("a user's password", "first-password-of-log");
    String second = secret("the next password", "second-password-of-log");
    String wrong = secret("a wrong password", "wrong-password-of-log");
    admin.post("/api/v1/users", login(EMAIL, first)).status(201);
    anonymous.post(AUTH + "login", login(EMAIL, wrong)).status(401);
    anonymous.post(AUTH + "login", "{\"password\":\"" + wrong + "\"").status(400);
    anonymous.post(AUTH + "login", "{\"pass\":\"" + wrong + "\"}").status(400);
    JsonNode tokens = anonymous.post(AUTH + "login", login(EMAIL, first)).status(200).json();
    secret("an access token", tokens.path("accessToken").asText());
    String refresh = secret("a refresh token", tokens.path("refreshToken").asText());
    JsonNode next =
        anonymous
            .post(AUTH + "refresh", "{\"refreshToken\":\"" + refresh + "\"}")
            .status(200)
            .json();
    ApiClient user =
        anonymous.withToken(secret("the next access token", next.path("accessToken").asText()));
    secret("the next refresh token", next.path("refreshToken").asText());
    user.post(AUTH + "password", passwords(wrong, second));
    assertEquals(2, user.post(AUTH + "password", passwords(first, second)).status() / 100);
    anonymous.post(AUTH + "refresh", "{\"refreshToken\":\"" + refresh + "\"}").status(401);

    String project = admin.project("log-secrets");
    String made =
        admin
            .post(project + "/api-keys", "{\"name\":\"log\",\"scopes\":[\"enqueue\"]}")
            .status(201)
            .json()
            .path("secret")
            .asText();
    ApiClient key = anonymous.withToken(secret("an API key", made));
    key.post(project + "/jobs", "{\"type\":\"echo\"}").status(201);
    anonymous.withToken(made + "x").get(project + "/jobs").status(401);

    TestIssuer issuer = TestIssuer.running();
    String foreign = issuer.token(issuer.claims("log-secrets", Map.of()));
    anonymous.withToken(secret("an issuer's token", foreign)).get(AUTH + "me").status(200);
    assertNothingWasToldBy("");
  }

  /** A statement that fails unforeseen: Postgres tells the row, which is not for the log. */
  @Test
  void noPayloadIsLoggedByUsNotEvenWithAFailure() {
    ApiClient admin = ApiClient.admin(base);
    String project = admin.project("log-payloads");
    String job =
        "{\"type\":\"%s\",\"payload\":{\"m\":\"" + secret("a payload", "marker-of-log") + "\"}}";
    for (int i = 0; i < 2; i++) {
      admin
          .send(
              admin
                  .request(project + "/jobs")
                  .header("Content-Type", "application/json")
                  .header("Idempotency-Key", secret("an idempotency key", "once-of-log"))
                  .POST(HttpRequest.BodyPublishers.ofString(job.formatted("echo"))))
          .status(201);
    }
    admin.post(project + "/jobs", job.formatted("echo") + "}").status(400);
    admin.post(project + "/jobs", job.formatted("\\u0000")).status(400);
    ApiClient.sql("ALTER TABLE jobs ADD CONSTRAINT unforeseen CHECK (type <> 'broken') NOT VALID");
    try {
      admin.post(project + "/jobs", job.formatted("broken")).problem(500, "internal-error");
    } finally {
      ApiClient.sql("ALTER TABLE jobs DROP CONSTRAINT unforeseen");
    }
    // At DEBUG libraries quote a token that they refuse; it opens nothing here.
    String forged =
        TestIssuer.token(
            TestIssuer.running().claims("log-secrets", Map.of()),
            TestIssuer.newKey(TestIssuer.running().key().getKeyId()),
            "RS256");
    ApiClient.anonymous(base)
        .withToken(secret("a forged token", forged))
        .get(AUTH + "me")
        .status(401);
    assertNothingWasToldBy(OURS);
    assertTrue(
        heard.all().stream().anyMatch(r -> r.startsWith(OURS) && r.contains("check constraint")),
        "the cause is in the log");
  }
}
