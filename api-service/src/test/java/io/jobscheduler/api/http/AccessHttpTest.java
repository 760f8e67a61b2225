package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.jwt.build.Jwt;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.jwt.consumer.JwtConsumerBuilder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class AccessHttpTest {
  private static final String ME = "/api/v1/auth/me";
  private static final String DEFAULT = "/api/v1/projects/default";

  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private ApiClient anonymous;

  @BeforeEach
  void login() {
    admin = ApiClient.admin(base);
    anonymous = ApiClient.anonymous(base);
  }

  private static String base64(String text) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void aTokenCanBeVerifiedWithThePublishedKey() throws Exception {
    ApiClient.Answer jwks = anonymous.get("/.well-known/jwks.json").status(200);
    JsonNode key = jwks.json().path("keys").path(0);
    assertFalse(key.has("d"), "the private key stays at home");
    assertTrue(jwks.header("Cache-Control").contains("max-age"));
    PublicKey published = PublicJsonWebKey.Factory.newPublicJwk(key.toString()).getPublicKey();
    assertEquals(
        "admin@localhost",
        new JwtConsumerBuilder()
            .setVerificationKey(published)
            .setExpectedIssuer("job-scheduler")
            .setExpectedAudience("job-scheduler-api")
            .build()
            .processToClaims(admin.token())
            .getStringClaimValue("email"));
  }

  @Test
  void saysWhoTheCallerIs() {
    JsonNode me = admin.get(ME).status(200).json();
    assertEquals("admin@localhost", me.path("email").asText());
    assertTrue(me.path("platformAdmin").asBoolean());
    assertEquals("admin", me.path("projects").path(0).path("role").asText());

    admin.project("me-test");
    JsonNode viewer = admin.member("me-test", "me@example.org", "viewer").get(ME).json();
    assertEquals(1, viewer.path("projects").size());
    assertEquals("me-test", viewer.path("projects").path(0).path("project").asText());
    assertEquals(
        List.of("project:read", "jobs:read"),
        List.of(
            viewer.path("projects").path(0).path("actions").path(0).asText(),
            viewer.path("projects").path(0).path("actions").path(1).asText()));
  }

  @Test
  void wrongPasswordAndUnknownUserAreAnsweredAlike() {
    ApiClient.Answer wrong =
        anonymous
            .post(
                "/api/v1/auth/login",
                "{\"email\":\"admin@localhost\",\"password\":\"not the password\"}")
            .problem(401, "unauthorized");
    ApiClient.Answer unknown =
        anonymous
            .post(
                "/api/v1/auth/login",
                "{\"email\":\"nobody@localhost\",\"password\":\"not the password\"}")
            .problem(401, "unauthorized");
    assertEquals(withoutId(wrong), withoutId(unknown));
    assertEquals(
        List.of("/email", "/password"),
        anonymous.post("/api/v1/auth/login", "{}").problem(422, "validation-failed").pointers());
  }

  private static JsonNode withoutId(ApiClient.Answer answer) {
    return ((ObjectNode) answer.json().deepCopy()).without("requestId");
  }

  @Test
  void addressesAreCompareWithoutCase() {
    anonymous.login("ADMIN@localhost", System.getProperty(ApiDatabase.ADMIN_PASSWORD));
  }

  @Test
  void refusesEveryTokenThatIsNotOurs() throws Exception {
    String[] parts = admin.token().split("\\.", -1);
    JsonNode key = anonymous.get("/.well-known/jwks.json").json().path("keys").path(0);
    String kid = key.path("kid").asText();
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    String foreign =
        Jwt.issuer("job-scheduler")
            .subject("1")
            .expiresIn(600)
            .jws()
            .algorithm(io.smallrye.jwt.algorithm.SignatureAlgorithm.ES256)
            .keyId(kid)
            .sign(generator.generateKeyPair().getPrivate());
    // The public key taken as the secret of a symmetric signature.
    String hmacHead = base64("{\"alg\":\"HS256\",\"kid\":\"" + kid + "\"}") + "." + parts[1];
    Mac mac = Mac.getInstance("HmacSHA256");
    byte[] publicKey =
        PublicJsonWebKey.Factory.newPublicJwk(key.toString()).getPublicKey().getEncoded();
    mac.init(new SecretKeySpec(publicKey, "HmacSHA256"));
    String hmac =
        hmacHead
            + "."
            + Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(mac.doFinal(hmacHead.getBytes(StandardCharsets.UTF_8)));
    for (String token :
        List.of(
            "x",
            "x.y.z",
            parts[0] + "." + parts[1] + ".",
            parts[0] + "." + base64("{\"sub\":\"1\",\"iss\":\"job-scheduler\"}") + "." + parts[2],
            base64("{\"alg\":\"none\"}") + "." + parts[1] + ".",
            hmac,
            foreign,
            "x".repeat(9000))) {
      ApiClient.Answer answer = anonymous.withToken(token).get(ME).problem(401, "unauthorized");
      assertEquals("Bearer", answer.header("WWW-Authenticate"));
    }
    anonymous.get(ME).problem(401, "unauthorized");
    anonymous.post(DEFAULT + "/jobs", "{}").problem(401, "unauthorized");
  }

  @Test
  void refusesExpiredTokensAndForeignIssuers() {
    admin
        .withToken(TestTokens.of(admin.token(), "job-scheduler", Instant.now().plusSeconds(60)))
        .get(ME)
        .status(200);
    admin
        .withToken(TestTokens.of(admin.token(), "job-scheduler", Instant.now().minusSeconds(1)))
        .get(ME)
        .problem(401, "unauthorized");
    admin
        .withToken(TestTokens.of(admin.token(), "somebody-else", Instant.now().plusSeconds(60)))
        .get(ME)
        .problem(401, "unauthorized");
  }

  @Test
  void aUserWhoIsDisabledIsOutAtOnce() {
    admin.project("disabled-test");
    ApiClient operator = admin.member("disabled-test", "gone@example.org", "operator");
    operator.get("/api/v1/projects/disabled-test").status(200);
    ApiClient.sql("UPDATE users SET disabled_at = now() WHERE email = 'gone@example.org'");
    operator.get("/api/v1/projects/disabled-test").problem(401, "unauthorized");
    operator.get(ME).problem(401, "unauthorized");
    anonymous
        .post(
            "/api/v1/auth/login",
            "{\"email\":\"gone@example.org\",\"password\":\"" + ApiClient.PASSWORD + "\"}")
        .problem(401, "unauthorized");
  }

  @Test
  void memberSeesPayloadsByDefault() {
    String path = admin.project("payload-flag");
    ApiClient operator = admin.member("payload-flag", "seer@example.org", "operator");
    ApiClient.Answer created =
        operator.post(path + "/jobs", "{\"type\": \"echo\", \"payload\": 1e2}").status(201);
    assertTrue(created.text().contains("\"payload\":1e2"), created.text());
    assertTrue(
        operator.get(created.header("Location")).status(200).text().contains("\"payload\":1e2"));
  }

  @Test
  void rolesOpenWhatTheyShould() {
    String path = admin.project("roles");
    ApiClient viewer = admin.member("roles", "viewer@example.org", "viewer");
    ApiClient operator = admin.member("roles", "operator@example.org", "operator");
    ApiClient projectAdmin = admin.member("roles", "admin@example.org", "admin");
    String job = "{\"type\":\"echo\"}";

    viewer.get(path + "/jobs").status(200);
    viewer.get(path + "/queues").status(200);
    viewer.get(path + "/stats").status(200);
    viewer.get(path + "/workers").status(200);
    viewer.get(path + "/workflows").status(200);
    viewer.post(path + "/jobs", job).problem(403, "forbidden");
    viewer.post(path + "/jobs/bulk", "[" + job + "]").problem(403, "forbidden");
    viewer.post(path + "/workflows", "{}").problem(403, "forbidden");
    viewer.put(path + "/queues/q", "{}").problem(403, "forbidden");
    viewer.get(path + "/members").problem(403, "forbidden");

    operator.post(path + "/jobs", job).status(201);
    operator.put(path + "/queues/q", "{}").problem(403, "forbidden");
    operator.put(path + "/members/1", "{\"role\":\"viewer\"}").problem(403, "forbidden");

    projectAdmin.put(path + "/queues/q", "{}").status(201);
    projectAdmin.get(path + "/members").status(200);
    projectAdmin.get("/api/v1/users").problem(403, "forbidden");
    projectAdmin.post("/api/v1/users", "{}").problem(403, "forbidden");
    projectAdmin.post("/api/v1/projects", "{\"name\":\"x\"}").problem(403, "forbidden");
  }

  @Test
  void membersComeAndGo() {
    String path = admin.project("members");
    ApiClient member = admin.member("members", "member@example.org", "viewer");
    JsonNode listed = admin.get(path + "/members").json();
    assertEquals("member@example.org", listed.path("items").path(0).path("email").asText());
    assertEquals(1, listed.path("count").path("value").asInt());
    String id = listed.path("items").path(0).path("userId").asText();
    admin.put(path + "/members/" + id, "{\"role\":\"operator\"}").status(200);
    member.post(path + "/jobs", "{\"type\":\"echo\"}").status(201);
    admin.put(path + "/members/" + id, "{\"role\":\"owner\"}").problem(422, "validation-failed");
    admin.put(path + "/members/999999", "{\"role\":\"viewer\"}").problem(404, "not-found");
    admin.delete(path + "/members/" + id).status(204);
    admin.delete(path + "/members/" + id).problem(404, "not-found");
    member.get(path + "/jobs").problem(404, "not-found");
  }

  @Test
  void usersAndProjectsAreUnique() {
    admin.project("unique");
    admin.post("/api/v1/projects", "{\"name\":\"unique\"}").problem(409, "conflict");
    admin.post("/api/v1/projects", "{\"name\":\"no/slash\"}").problem(422, "validation-failed");
    String user = "{\"email\":\"Twice@example.org\",\"password\":\"" + ApiClient.PASSWORD + "\"}";
    admin.post("/api/v1/users", user).status(201);
    assertEquals(
        List.of("/email"),
        admin
            .post("/api/v1/users", user.replace("Twice", "twice"))
            .problem(409, "conflict")
            .pointers());
    assertEquals(
        List.of("/email", "/password"),
        admin
            .post("/api/v1/users", "{\"email\":\"x y\",\"password\":\"short\"}")
            .problem(422, "validation-failed")
            .pointers());
    JsonNode page = admin.get("/api/v1/users?limit=1").json();
    assertEquals("admin@localhost", page.path("items").path(0).path("email").asText());
    assertFalse(
        admin
            .get("/api/v1/users?limit=1&cursor=" + page.path("nextCursor").asText())
            .json()
            .path("items")
            .isEmpty());
    assertFalse(page.toString().contains("argon2"));
  }
}
