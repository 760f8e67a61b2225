package io.jobscheduler.api.json;

/**
 * What a JSON text may contain, so that it comes back unchanged on every surface. RFC 8259 with
 * I-JSON's (RFC 7493) ban on duplicate names and lone surrogates.
 */
final class JsonLimits {
  /** Nested containers of a payload. */
  static final int DEPTH = 64;

  /** Nested containers of a body around its payloads. */
  static final int ENVELOPE_DEPTH = 8;

  /** Digits of a number, leading zeros not counted. */
  static final int SIGNIFICANT_DIGITS = 100;

  /** Largest exponent, up and down; also the most zeros between point and first digit. */
  static final int EXPONENT = 400;

  private JsonLimits() {}

  /** What is wrong with a number's text, or an empty string. */
  static String flawOfNumber(char[] text, int offset, int length) {
    int digits = 0;
    int fractionZeros = 0;
    boolean inFraction = false;
    int end = offset + length;
    for (int i = offset; i < end; i++) {
      char c = text[i];
      if (c == 'e' || c == 'E') {
        return exponentFits(text, i + 1, end) ? flaw(digits, fractionZeros) : EXPONENT_FLAW;
      }
      if (c == '.') {
        inFraction = true;
      } else if (c >= '0' && c <= '9' && (c != '0' || digits > 0)) {
        digits++;
      } else if (c == '0' && inFraction) {
        fractionZeros++;
      }
    }
    return flaw(digits, fractionZeros);
  }

  private static final String EXPONENT_FLAW =
      "The exponent of a number must lie within -" + EXPONENT + " and " + EXPONENT + ".";

  private static String flaw(int digits, int fractionZeros) {
    if (digits > SIGNIFICANT_DIGITS) {
      return "A number may have at most " + SIGNIFICANT_DIGITS + " significant digits.";
    }
    return fractionZeros > EXPONENT ? EXPONENT_FLAW : "";
  }

  private static boolean exponentFits(char[] text, int from, int end) {
    int exponent = 0;
    for (int i = from; i < end && exponent <= EXPONENT; i++) {
      if (text[i] >= '0' && text[i] <= '9') {
        exponent = exponent * 10 + (text[i] - '0');
      }
    }
    return exponent <= EXPONENT;
  }

  /** What is wrong with a string's characters, or an empty string. */
  static String flawOfString(char[] text, int offset, int length) {
    int end = offset + length;
    for (int i = offset; i < end; i++) {
      char c = text[i];
      if (c == 0) {
        return "A string must not contain U+0000.";
      }
      if (Character.isSurrogate(c)) {
        if (!Character.isHighSurrogate(c)
            || i + 1 == end
            || !Character.isLowSurrogate(text[i + 1])) {
          return "A string must not contain half of a surrogate pair.";
        }
        i++;
      }
    }
    return "";
  }
}
