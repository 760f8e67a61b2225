package io.jobscheduler.worker.workflow;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Whether a text may be a payload, by the rules of the API: what is accepted comes back as it was
 * typed on every surface.
 */
final class PayloadCheck {
  private static final int BYTES = 262_144;
  private static final int DEPTH = 64;
  private static final int DIGITS = 100;
  private static final int EXPONENT = 400;

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(DEPTH)
                  // A sign, a point, zeros behind it, digits, and an exponent.
                  .maxNumberLength(DIGITS + EXPONENT + 10)
                  .build())
          .build();

  private PayloadCheck() {}

  /** True for one JSON value within the limits, and for none. */
  static boolean isStorable(@Nullable String payload) {
    if (payload == null) {
      return true;
    }
    if (payload.getBytes(StandardCharsets.UTF_8).length > BYTES) {
      return false;
    }
    try (JsonParser parser = JSON.createParser(payload)) {
      int depth = 0;
      boolean read = false;
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (read && depth == 0) {
          return false;
        }
        read = true;
        depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        if (!isFine(token, parser.getText())) {
          return false;
        }
      }
      return read;
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isFine(JsonToken token, String text) {
    if (token.isNumeric()) {
      return isFineNumber(text);
    }
    return token != JsonToken.VALUE_STRING && token != JsonToken.FIELD_NAME
        || text.codePoints()
            .noneMatch(
                c -> c == 0 || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE));
  }

  private static boolean isFineNumber(String text) {
    String[] parts = text.split("[eE]", 2);
    String digits = parts[0].replaceAll("[-.]", "").replaceAll("^0+", "");
    String exponent = parts.length == 1 ? "" : parts[1].replaceAll("^[-+]?0*", "");
    return digits.length() <= DIGITS
        && exponent.length() <= 3
        && (exponent.isEmpty() || Integer.parseInt(exponent) <= EXPONENT);
  }
}
