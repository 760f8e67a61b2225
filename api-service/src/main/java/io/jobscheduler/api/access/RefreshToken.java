package io.jobscheduler.api.access;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A refresh token: {@code jsr_} and, in base64url, its session's handle (16 random bytes), its
 * generation and a MAC of both under the master key. So the successor of a token can be given again
 * without being kept, an old one is told from one that never was, and the database alone makes
 * none.
 *
 * @param text as the client has it
 */
record RefreshToken(byte[] handle, int generation, String text) {
  private static final String PREFIX = "jsr_";
  private static final String PURPOSE = "refresh-token";
  private static final int HANDLE_BYTES = 16;
  private static final int NAMED_BYTES = HANDLE_BYTES + Integer.BYTES;
  private static final int BYTES = NAMED_BYTES + 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  /** The first token of a new session. */
  static RefreshToken first(MasterKey master) {
    byte[] handle = new byte[HANDLE_BYTES];
    RANDOM.nextBytes(handle);
    return of(master, handle, 0);
  }

  /** The one that takes this one's place; always the same. */
  RefreshToken successor(MasterKey master) {
    return of(master, handle, generation + 1);
  }

  private static RefreshToken of(MasterKey master, byte[] handle, int generation) {
    byte[] named = ByteBuffer.allocate(NAMED_BYTES).put(handle).putInt(generation).array();
    byte[] all =
        ByteBuffer.allocate(BYTES).put(named).put(master.authenticate(PURPOSE, named)).array();
    return new RefreshToken(
        handle, generation, PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(all));
  }

  /** Reads what a client sent; null when we never made it. */
  static @Nullable RefreshToken read(MasterKey master, String text) {
    byte[] all;
    try {
      all = Base64.getUrlDecoder().decode(text.startsWith(PREFIX) ? text.substring(4) : "");
    } catch (IllegalArgumentException e) {
      return null;
    }
    if (all.length != BYTES) {
      return null;
    }
    RefreshToken made =
        of(master, Arrays.copyOf(all, HANDLE_BYTES), ByteBuffer.wrap(all).getInt(HANDLE_BYTES));
    return MessageDigest.isEqual(made.bytes(), text.getBytes(StandardCharsets.UTF_8)) ? made : null;
  }

  /** What is stored of it. */
  byte[] hash() {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private byte[] bytes() {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Not the token: it never gets into a log. */
  @Override
  public String toString() {
    return "RefreshToken[generation=" + generation + "]";
  }
}
