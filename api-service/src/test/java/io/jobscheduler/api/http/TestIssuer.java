package io.jobscheduler.api.http;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jose4j.jwk.JsonWebKey;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.jwk.RsaJsonWebKey;
import org.jose4j.jwk.RsaJwkGenerator;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.lang.JoseException;

/** An OpenID Connect issuer on this machine: discovery, keys, and any token one asks for. */
final class TestIssuer {
  static final String AUDIENCE = "jobs";

  private static TestIssuer running;

  private final HttpServer server;
  private final RsaJsonWebKey key = newKey("first");
  private final AtomicInteger keyReads = new AtomicInteger();

  private TestIssuer() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    serve(
        "/.well-known/openid-configuration",
        () -> "{\"issuer\":\"" + issuer() + "\",\"jwks_uri\":\"" + issuer() + "/keys\"}");
    serve(
        "/keys",
        () -> {
          keyReads.incrementAndGet();
          return new JsonWebKeySet(key).toJson(JsonWebKey.OutputControlLevel.PUBLIC_ONLY);
        });
    server.start();
  }

  static TestIssuer start() {
    running = new TestIssuer();
    return running;
  }

  static TestIssuer running() {
    return running;
  }

  void stop() {
    server.stop(0);
  }

  String issuer() {
    return "http://localhost:" + server.getAddress().getPort();
  }

  int keyReads() {
    return keyReads.get();
  }

  RsaJsonWebKey key() {
    return key;
  }

  /** Claims of a good token. */
  JwtClaims claims(String subject, Map<String, Object> more) {
    JwtClaims claims = new JwtClaims();
    claims.setIssuer(issuer());
    claims.setAudience(AUDIENCE);
    claims.setSubject(subject);
    claims.setIssuedAtToNow();
    claims.setExpirationTimeMinutesInTheFuture(5);
    more.forEach(claims::setClaim);
    return claims;
  }

  String token(JwtClaims claims) {
    return token(claims, key, "RS256");
  }

  static String token(JwtClaims claims, RsaJsonWebKey key, String algorithm) {
    JsonWebSignature signature = new JsonWebSignature();
    signature.setPayload(claims.toJson());
    signature.setKeyIdHeaderValue(key.getKeyId());
    signature.setAlgorithmHeaderValue(algorithm);
    signature.setKey(key.getPrivateKey());
    try {
      return signature.getCompactSerialization();
    } catch (JoseException e) {
      throw new IllegalStateException(e);
    }
  }

  static RsaJsonWebKey newKey(String id) {
    try {
      RsaJsonWebKey key = RsaJwkGenerator.generateJwk(2048);
      key.setKeyId(id);
      return key;
    } catch (JoseException e) {
      throw new IllegalStateException(e);
    }
  }

  private interface Page {
    String text();
  }

  private void serve(String path, Page page) {
    server.createContext(
        path,
        exchange -> {
          byte[] body = page.text().getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().set("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
  }
}
