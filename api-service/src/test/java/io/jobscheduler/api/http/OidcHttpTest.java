package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jose4j.jwk.RsaJsonWebKey;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.NumericDate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tokens of another issuer, whose keys are read over HTTP. */
@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class OidcHttpTest {
  private static final String ME = "/api/v1/auth/me";

  @TestHTTPResource("/")
  URI base;

  private final TestIssuer issuer = TestIssuer.running();
  private ApiClient admin;

  @BeforeEach
  void login() {
    admin = ApiClient.admin(base);
  }

  private ApiClient with(String subject, String... groups) {
    return with(
        issuer.claims(
            subject,
            Map.of(
                "email", subject + "@other.example.org",
                "name", "Name of " + subject,
                "realm", Map.of("groups", List.of(groups)))));
  }

  private ApiClient with(JwtClaims claims) {
    return admin.withToken(issuer.token(claims));
  }

  @Test
  void rolesFollowFromClaimsAndFromMemberships() {
    String shop = admin.project("oidc-shop");
    String other = admin.project("oidc-other");
    String job = "{\"type\":\"echo\",\"payload\":{\"secret\":1}}";
    String id = admin.post(shop + "/jobs", job).status(201).json().path("id").asText();

    ApiClient nobody = with("nobody");
    assertEquals(0, nobody.get(ME).status(200).json().path("projects").size());
    nobody.get(shop + "/jobs").problem(404, "not-found");

    ApiClient ops = with("olga", "ops", "unknown group");
    JsonNode me = ops.get(ME).status(200).json();
    assertEquals("olga@other.example.org", me.path("email").asText());
    assertEquals("Name of olga", me.path("name").asText());
    assertEquals("operator", me.path("projects").path(0).path("role").asText());
    ops.post(shop + "/jobs", job).status(201);
    ops.put(shop + "/queues/x", "{}").problem(403, "forbidden");
    ops.get(other + "/jobs").problem(404, "not-found");
    assertEquals(
        "olga@other.example.org",
        ops.post(shop + "/queues/default/pause", "{\"reason\":\"x\"}")
            .status(200)
            .json()
            .path("paused")
            .path("by")
            .asText());

    ApiClient auditor = with("aud", "auditors");
    assertFalse(auditor.get(shop + "/jobs/" + id).status(200).text().contains("secret"));
    auditor.get(other + "/jobs").status(200);
    auditor.post(other + "/jobs", job).problem(403, "forbidden");
    assertTrue(auditor.get(ME).json().path("projects").size() > 1);

    admin
        .put(
            other + "/members/" + me.path("id").asText(),
            "{\"role\":\"admin\",\"payloadVisible\":true}")
        .status(200);
    ops.put(other + "/queues/x", "{}").status(201);

    ApiClient root = with("root", "root");
    assertTrue(root.get(ME).json().path("platformAdmin").asBoolean());
    root.get("/api/v1/users").status(200);
    ops.get("/api/v1/users").problem(403, "forbidden");
  }

  @Test
  void theListOfProjectsHasThoseOfClaims() {
    for (String name : List.of("oidc-listed", "oidc-mine", "oidc-others")) {
      admin.project(name);
    }
    assertEquals(List.of(), projects(with("nobody-lists")));
    ApiClient lister = with("lister", "listers");
    assertEquals(List.of("oidc-listed"), projects(lister));
    String user = lister.get(ME).status(200).json().path("id").asText();
    admin.put("/api/v1/projects/oidc-mine/members/" + user, "{\"role\":\"viewer\"}").status(200);
    assertEquals(List.of("oidc-listed", "oidc-mine"), projects(lister));
    List<String> all = projects(admin);
    assertTrue(all.containsAll(List.of("oidc-listed", "oidc-mine", "oidc-others")));
    assertEquals(all, projects(with("lister-of-all", "auditors")));
  }

  /** All names, two a page; the count on each page is theirs. */
  private static List<String> projects(ApiClient who) {
    List<String> names = new ArrayList<>();
    List<Integer> counts = new ArrayList<>();
    String next = "";
    while (next != null) {
      JsonNode page = who.get("/api/v1/projects?limit=2" + next).status(200).json();
      page.path("items").forEach(item -> names.add(item.path("name").asText()));
      counts.add(page.at("/count/value").asInt());
      next = page.hasNonNull("nextCursor") ? "&cursor=" + page.path("nextCursor").asText() : null;
    }
    counts.forEach(count -> assertEquals(names.size(), count));
    return names;
  }

  /** Its first request makes the user, the next renames it: neither stands for what it did. */
  @Test
  void whatAnUnknownUserChangesIsRecorded() {
    String shop = admin.project("oidc-recorded");
    List<String> made = new ArrayList<>();
    for (String name : List.of("first", "second", "third")) {
      String id =
          admin.post(shop + "/jobs", "{\"type\":\"echo\"}").status(201).json().path("id").asText();
      ApiClient user =
          with(
              issuer.claims(
                  "recorded", Map.of("name", name, "realm", Map.of("groups", List.of("root")))));
      user.post(shop + "/jobs/" + id + "/cancel", "{}").status(200);
      assertEquals(
          "cancelJob",
          ApiClient.value(
              "SELECT string_agg(action, ',') FROM audit_log WHERE object_kind = 'job'"
                  + " AND actor = 'sub:recorded' AND object_id = '"
                  + id
                  + "'"));
      // At most once a minute.
      assertEquals(
          name.equals("third") ? "second" : name,
          user.get(ME).status(200).json().path("name").asText());
      made.add(user.get(ME).json().path("id").asText());
    }
    // What the issuer's token makes and changes of the user is the user's own doing.
    assertEquals(
        "firstLogin,renamedByIssuer",
        ApiClient.value(
            "SELECT string_agg(action, ',' ORDER BY id) FROM audit_log WHERE object_kind = 'user'"
                + " AND actor_kind = 'user' AND actor = 'sub:recorded' AND actor_id = object_id AND"
                + " address = '127.0.0.1' AND request_id IS NOT NULL AND object_id = '"
                + made.get(0)
                + "'"));
    assertEquals(
        "0", ApiClient.value("SELECT count(*) FROM audit_log WHERE actor_kind = 'unknown'"));
  }

  @Test
  void whoeverIsDisabledHereIsOutWhateverTheIssuerSays() {
    ApiClient gone = with("gone", "root");
    String id = gone.get(ME).status(200).json().path("id").asText();
    admin.patch("/api/v1/users/" + id, "{\"disabled\":true}").status(200);
    gone.get(ME).problem(401, "unauthorized");
    gone.get("/api/v1/projects").problem(401, "unauthorized");
    with("gone").get(ME).problem(401, "unauthorized");
  }

  /** An address is what an issuer says; it never makes somebody one of our own users. */
  @Test
  void theSameAddressIsNotTheSameUser() {
    ApiClient impostor = with(issuer.claims("impostor", Map.of("email", "admin@localhost")));
    JsonNode me = impostor.get(ME).status(200).json();
    assertFalse(me.path("platformAdmin").asBoolean());
    assertFalse(me.path("id").asText().equals(admin.get(ME).json().path("id").asText()));
    JsonNode unproven =
        with(issuer.claims("unproven", Map.of("email", "admin@localhost", "email_verified", false)))
            .get(ME)
            .status(200)
            .json();
    assertEquals("sub:unproven", unproven.path("email").asText());
    impostor
        .post(
            "/api/v1/auth/password",
            "{\"oldPassword\":\"x\",\"newPassword\":\"a long new password\"}")
        .problem(403, "forbidden");
  }

  @Test
  void everythingElseIsRefused() throws Exception {
    with("good").get(ME).status(200);
    Map<String, String> bad = new LinkedHashMap<>();
    JwtClaims wrongIssuer = issuer.claims("bad", Map.of());
    wrongIssuer.setIssuer("https://issuer.example.org");
    bad.put("another issuer", issuer.token(wrongIssuer));
    JwtClaims ours = issuer.claims("1", Map.of("sid", "1"));
    ours.setIssuer("job-scheduler");
    ours.setAudience("job-scheduler-api");
    bad.put("our name, its key", issuer.token(ours));
    JwtClaims wrongAudience = issuer.claims("bad", Map.of());
    wrongAudience.setAudience("somebody-else");
    bad.put("another audience", issuer.token(wrongAudience));
    JwtClaims noAudience = issuer.claims("bad", Map.of());
    noAudience.unsetClaim("aud");
    bad.put("no audience", issuer.token(noAudience));
    JwtClaims expired = issuer.claims("bad", Map.of());
    expired.setExpirationTime(NumericDate.fromSeconds(NumericDate.now().getValue() - 120));
    bad.put("expired", issuer.token(expired));
    JwtClaims endless = issuer.claims("bad", Map.of());
    endless.unsetClaim("exp");
    bad.put("without an end", issuer.token(endless));
    JwtClaims early = issuer.claims("bad", Map.of());
    early.setNotBeforeMinutesInThePast(-10);
    bad.put("not yet", issuer.token(early));
    JwtClaims nobody = issuer.claims("bad", Map.of());
    nobody.unsetClaim("sub");
    bad.put("of nobody", issuer.token(nobody));
    JwtClaims good = issuer.claims("bad", Map.of("realm", Map.of("groups", List.of("root"))));
    bad.put(
        "a foreign key under its id",
        TestIssuer.token(good, TestIssuer.newKey(issuer.key().getKeyId()), "RS256"));
    bad.put(
        "a foreign key under another id",
        TestIssuer.token(good, TestIssuer.newKey("second"), "RS256"));
    RsaJsonWebKey unnamed = TestIssuer.newKey("x");
    unnamed.setKeyId(null);
    bad.put("no key id", TestIssuer.token(good, unnamed, "RS256"));
    String payload = base64(good.toJson());
    bad.put("unsigned", base64("{\"alg\":\"none\"}") + "." + payload + ".");
    String head =
        base64("{\"alg\":\"HS256\",\"kid\":\"" + issuer.key().getKeyId() + "\"}") + "." + payload;
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(issuer.key().getPublicKey().getEncoded(), "HmacSHA256"));
    bad.put(
        "the public key as a secret",
        head
            + "."
            + Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(mac.doFinal(head.getBytes(StandardCharsets.UTF_8))));
    bad.forEach((what, token) -> assertEquals(401, admin.withToken(token).get(ME).status(), what));
  }

  /** Else whoever makes up key ids makes us ask the issuer for each. */
  @Test
  void unknownKeysDoNotMakeItAskTheIssuerEachTime() {
    with("good").get(ME).status(200);
    int before = issuer.keyReads();
    for (int i = 0; i < 5; i++) {
      String token =
          TestIssuer.token(issuer.claims("bad", Map.of()), renamed("made-up-" + i), "RS256");
      admin.withToken(token).get(ME).problem(401, "unauthorized");
    }
    assertTrue(issuer.keyReads() - before <= 1, "reads: " + (issuer.keyReads() - before));
  }

  private static final RsaJsonWebKey FOREIGN = TestIssuer.newKey("foreign");

  private static RsaJsonWebKey renamed(String id) {
    FOREIGN.setKeyId(id);
    return FOREIGN;
  }

  private static String base64(String text) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }
}
