package io.jobscheduler.api.access;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A range of IP addresses in CIDR notation (RFC 4632); a bare address is a range of one.
 *
 * @param bits how many of the first bits of an address count
 */
record Network(byte[] address, int bits) {
  // Only what cannot be a host name: nothing is ever resolved.
  private static final Pattern LITERAL = Pattern.compile("[0-9.]+|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*");

  /**
   * Parses a range.
   *
   * @throws IllegalArgumentException when it is none
   */
  static Network of(String text) {
    int slash = text.indexOf('/');
    byte[] address = parse(slash < 0 ? text : text.substring(0, slash));
    if (address == null) {
      throw new IllegalArgumentException("no address or network: " + text);
    }
    try {
      int bits = slash < 0 ? address.length * 8 : Integer.parseInt(text.substring(slash + 1));
      if (bits >= 0 && bits <= address.length * 8) {
        return new Network(address, bits);
      }
    } catch (NumberFormatException e) {
      // Falls through to the one message.
    }
    throw new IllegalArgumentException("no address or network: " + text);
  }

  /** The bytes of an address; null when {@code text} is none. */
  static byte @Nullable [] parse(String text) {
    if (!LITERAL.matcher(text).matches()) {
      return null;
    }
    try {
      return InetAddress.getByName(text).getAddress();
    } catch (UnknownHostException e) {
      return null;
    }
  }

  /** Whether an address lies in it. */
  boolean contains(byte[] other) {
    if (other.length != address.length) {
      return false;
    }
    int whole = bits / 8;
    if (!Arrays.equals(address, 0, whole, other, 0, whole)) {
      return false;
    }
    int rest = bits % 8;
    return rest == 0 || ((address[whole] ^ other[whole]) & (0xff << (8 - rest)) & 0xff) == 0;
  }
}
