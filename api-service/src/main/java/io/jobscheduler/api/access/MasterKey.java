package io.jobscheduler.api.access;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts secrets that stand in the database: AES-256-GCM (NIST SP 800-38D), a fresh 12-byte nonce
 * before each text, the owner's name as associated data so that two rows cannot be swapped.
 * Thread-safe.
 */
public final class MasterKey {
  private static final int KEY_BYTES = 32;
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;

  private final SecretKeySpec key;
  private final SecureRandom random = new SecureRandom();

  private MasterKey(byte[] key) {
    this.key = new SecretKeySpec(key, "AES");
  }

  /**
   * Reads the configured file.
   *
   * @throws IllegalStateException with one line for the operator
   */
  static MasterKey of(AccessConfig config) {
    return read(
        config
            .masterKeyFile()
            .orElseThrow(
                () -> new IllegalStateException("jobs.access.master-key-file is not set")));
  }

  /**
   * Reads the key from a file.
   *
   * @throws IllegalStateException with one line for the operator, when it is not there or not a key
   */
  public static MasterKey read(Path file) {
    String text;
    try {
      text = Files.readString(file, StandardCharsets.US_ASCII).strip();
    } catch (IOException e) {
      throw new IllegalStateException(
          "the master key file "
              + file
              + " cannot be read; make one with: head -c 32 /dev/urandom | base64 > "
              + file,
          e);
    }
    try {
      byte[] key = Base64.getDecoder().decode(text);
      if (key.length == KEY_BYTES) {
        return new MasterKey(key);
      }
    } catch (IllegalArgumentException e) {
      // Not base64: falls through to the one message.
    }
    throw new IllegalStateException(
        "the master key file " + file + " does not hold 32 bytes in base64");
  }

  /**
   * A MAC of a text (HMAC-SHA-256), under a key of its own for each purpose.
   *
   * @return 32 bytes
   */
  byte[] authenticate(String purpose, byte[] text) {
    return hmac(hmac(key.getEncoded(), purpose.getBytes(StandardCharsets.UTF_8)), text);
  }

  private static byte[] hmac(byte[] key, byte[] text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(text);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Encrypts {@code plain} for {@code owner}. */
  public byte[] encrypt(byte[] plain, String owner) {
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    try {
      byte[] sealed = cipher(Cipher.ENCRYPT_MODE, nonce, owner).doFinal(plain);
      return ByteBuffer.allocate(NONCE_BYTES + sealed.length).put(nonce).put(sealed).array();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Decrypts what {@link #encrypt} made for the same owner.
   *
   * @throws GeneralSecurityException when it was another key or owner, or was changed
   */
  public byte[] decrypt(byte[] sealed, String owner) throws GeneralSecurityException {
    if (sealed.length < NONCE_BYTES) {
      throw new GeneralSecurityException("too short");
    }
    return cipher(Cipher.DECRYPT_MODE, sealed, owner)
        .doFinal(sealed, NONCE_BYTES, sealed.length - NONCE_BYTES);
  }

  private Cipher cipher(int mode, byte[] nonce, String owner) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce, 0, NONCE_BYTES));
    cipher.updateAAD(owner.getBytes(StandardCharsets.UTF_8));
    return cipher;
  }
}
