package io.jobscheduler.api.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;

/**
 * Argon2id (RFC 9106) in the PHC string form {@code $argon2id$v=19$m=…,t=…,p=…$salt$hash}.
 *
 * <p>Cost of a hash: 19 MiB and two passes, about 50 ms (OWASP Password Storage Cheat Sheet); the
 * parameters of a stored hash are its own, so they may be raised later. Stateless, thread-safe.
 */
public final class PasswordHash {
  private static final int MEMORY_KIB = 19_456;
  private static final int PASSES = 2;
  private static final int LANES = 1;
  private static final int SALT_BYTES = 16;
  private static final int HASH_BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  private PasswordHash() {}

  /** Hashes a password with a fresh salt. */
  public static String of(String password) {
    byte[] salt = new byte[SALT_BYTES];
    RANDOM.nextBytes(salt);
    byte[] hash = compute(password, salt, MEMORY_KIB, PASSES, LANES, HASH_BYTES);
    Base64.Encoder base64 = Base64.getEncoder().withoutPadding();
    return "$argon2id$v=19$m="
        + MEMORY_KIB
        + ",t="
        + PASSES
        + ",p="
        + LANES
        + "$"
        + base64.encodeToString(salt)
        + "$"
        + base64.encodeToString(hash);
  }

  /**
   * Whether {@code password} is the one hashed; compared in constant time.
   *
   * @throws IllegalArgumentException when {@code stored} is not such a string
   */
  public static boolean matches(String password, String stored) {
    String[] parts = stored.split("\\$", -1);
    if (parts.length != 6 || !parts[1].equals("argon2id") || !parts[2].equals("v=19")) {
      throw new IllegalArgumentException("not an Argon2id hash");
    }
    String[] cost = parts[3].split(",", -1);
    if (cost.length != 3) {
      throw new IllegalArgumentException("not an Argon2id hash");
    }
    byte[] salt = Base64.getDecoder().decode(parts[4]);
    byte[] expected = Base64.getDecoder().decode(parts[5]);
    byte[] actual =
        compute(
            password,
            salt,
            parameter(cost[0], "m="),
            parameter(cost[1], "t="),
            parameter(cost[2], "p="),
            expected.length);
    return MessageDigest.isEqual(expected, actual);
  }

  private static int parameter(String text, String prefix) {
    if (!text.startsWith(prefix)) {
      throw new IllegalArgumentException("not an Argon2id hash");
    }
    return Integer.parseInt(text.substring(prefix.length()));
  }

  private static byte[] compute(
      String password, byte[] salt, int memoryKib, int passes, int lanes, int length) {
    Argon2BytesGenerator generator = new Argon2BytesGenerator();
    generator.init(
        new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
            .withVersion(Argon2Parameters.ARGON2_VERSION_13)
            .withMemoryAsKB(memoryKib)
            .withIterations(passes)
            .withParallelism(lanes)
            .withSalt(salt)
            .build());
    byte[] hash = new byte[length];
    generator.generateBytes(password.getBytes(StandardCharsets.UTF_8), hash);
    return hash;
  }
}
