package io.jobscheduler.api.access;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * The text of an API key: {@code jsk_}, 256 random bits as 43 digits of base 62, and 6 digits of
 * their CRC-32. The prefix lets scanners of repositories find a key that leaked; the checksum tells
 * a mistyped one without asking the database.
 *
 * <p>SHA-256 of it is what is stored. A slow hash protects what can be guessed; 256 random bits
 * cannot, and a key is compared at every request. Stateless, thread-safe.
 */
final class ApiKey {
  /** How every key begins. */
  static final String PREFIX = "jsk_";

  private static final String DIGITS =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final int RANDOM_BYTES = 32;
  private static final int RANDOM_DIGITS = 43;
  private static final int CHECK_DIGITS = 6;
  private static final int HINT_LENGTH = 8;
  private static final Pattern FORM =
      Pattern.compile(PREFIX + "[0-9A-Za-z]{" + (RANDOM_DIGITS + CHECK_DIGITS) + "}");
  private static final SecureRandom RANDOM = new SecureRandom();

  private ApiKey() {}

  /** A new key. */
  static String make() {
    byte[] random = new byte[RANDOM_BYTES];
    RANDOM.nextBytes(random);
    String body = PREFIX + digits(new BigInteger(1, random), RANDOM_DIGITS);
    return body + check(body);
  }

  /** Whether {@code text} means to be a key. */
  static boolean looksLike(String text) {
    return text.startsWith(PREFIX);
  }

  /** Whether {@code text} can be a key: its form and checksum are right. */
  static boolean isWhole(String text) {
    int end = text.length() - CHECK_DIGITS;
    return FORM.matcher(text).matches()
        && text.substring(end).equals(check(text.substring(0, end)));
  }

  /** What is shown of a key for ever: 4 of its 43 digits, from which nothing follows. */
  static String hint(String key) {
    return key.substring(0, HINT_LENGTH);
  }

  /** What is stored of a key. */
  static byte[] hash(String key) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.US_ASCII));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The same in hexadecimal digits. */
  static String hexHash(String key) {
    return HexFormat.of().formatHex(hash(key));
  }

  private static String check(String body) {
    CRC32 crc = new CRC32();
    crc.update(body.getBytes(StandardCharsets.US_ASCII));
    return digits(BigInteger.valueOf(crc.getValue()), CHECK_DIGITS);
  }

  private static String digits(BigInteger number, int count) {
    char[] text = new char[count];
    BigInteger rest = number;
    BigInteger base = BigInteger.valueOf(DIGITS.length());
    for (int i = count - 1; i >= 0; i--) {
      BigInteger[] parts = rest.divideAndRemainder(base);
      text[i] = DIGITS.charAt(parts[1].intValue());
      rest = parts[0];
    }
    return new String(text);
  }
}
