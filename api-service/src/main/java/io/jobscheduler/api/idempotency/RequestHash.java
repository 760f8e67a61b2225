package io.jobscheduler.api.idempotency;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The SHA-256 by which a request is recognised: over what it calls and its body, byte for byte. */
public final class RequestHash {
  private RequestHash() {}

  /**
   * The hash.
   *
   * @param operation the method and path, or what else names the operation
   */
  public static byte[] of(String operation, byte[] body) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(operation.getBytes(StandardCharsets.UTF_8));
      digest.update((byte) '\n');
      return digest.digest(body);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
