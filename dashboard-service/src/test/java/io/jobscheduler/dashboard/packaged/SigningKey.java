package io.jobscheduler.dashboard.packaged;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;

/** An ES256 key (RFC 7518): makes tokens and its own public JWK. */
final class SigningKey {
  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

  private final String id;
  private final KeyPair pair;

  SigningKey(String id) {
    this.id = id;
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      this.pair = generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  String token(String user, Duration lifetime) {
    return token(user, "job-scheduler", lifetime);
  }

  String token(String user, String issuer, Duration lifetime) {
    long now = Instant.now().getEpochSecond();
    String header = "{\"alg\":\"ES256\",\"typ\":\"JWT\",\"kid\":\"%s\"}".formatted(id);
    String payload =
        "{\"iss\":\"%s\",\"sub\":\"%s\",\"upn\":\"%s\",\"jti\":\"%d\",\"iat\":%d,\"exp\":%d}"
            .formatted(issuer, user, user, System.nanoTime(), now, now + lifetime.toSeconds());
    String signed = encode(header.getBytes(StandardCharsets.UTF_8)) + "." + encode(payload);
    try {
      Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
      signature.initSign(pair.getPrivate());
      signature.update(signed.getBytes(StandardCharsets.UTF_8));
      return signed + "." + encode(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  String jwk() {
    ECPublicKey key = (ECPublicKey) pair.getPublic();
    return """
        {"kty":"EC","crv":"P-256","use":"sig","alg":"ES256","kid":"%s","x":"%s","y":"%s"}"""
        .formatted(id, coordinate(key.getW().getAffineX()), coordinate(key.getW().getAffineY()));
  }

  private static String coordinate(BigInteger value) {
    byte[] bytes = value.toByteArray();
    byte[] fixed = new byte[32];
    int length = Math.min(bytes.length, 32);
    System.arraycopy(bytes, bytes.length - length, fixed, 32 - length, length);
    return encode(fixed);
  }

  private static String encode(String text) {
    return encode(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String encode(byte[] bytes) {
    return BASE64.encodeToString(bytes);
  }
}
