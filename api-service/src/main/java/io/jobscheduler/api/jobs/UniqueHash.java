package io.jobscheduler.api.jobs;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The unique key that stands for values of a job's fields: a SHA-256 over their names and values.
 *
 * <p>Values of JSON are compared without blanks, with members in the order of their names and
 * strings by their characters; numbers by their digits as typed, so 1 and 1.0 differ. An absent
 * value equals no other but an absent one. Linear in the payload; stateless.
 */
final class UniqueHash {
  private static final String PREFIX = "sha-256:";
  private static final String PAYLOAD = "payload";

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNumberLength(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .maxStringLength(Integer.MAX_VALUE)
                  .build())
          .build();

  private UniqueHash() {}

  /** The key. The payload is one that was accepted: valid, and nested at most 64 deep. */
  static String of(List<String> fields, String type, String queue, @Nullable String payload) {
    StringBuilder values = new StringBuilder();
    for (String field : fields.stream().sorted().toList()) {
      String value =
          switch (field) {
            case "type" -> type;
            case "queue" -> queue;
            default -> payload == null ? null : canonical(payload, path(field));
          };
      values.append(field).append('\n').append(value == null ? "" : "=" + value).append('\n');
    }
    return PREFIX + HexFormat.of().formatHex(sha256(values.toString()));
  }

  private static String[] path(String field) {
    return field.equals(PAYLOAD)
        ? new String[0]
        : field.substring(PAYLOAD.length() + 1).split("\\.", -1);
  }

  private static @Nullable String canonical(String json, String[] path) {
    try (JsonParser in = FACTORY.createParser(json)) {
      in.nextToken();
      for (String name : path) {
        if (!enter(in, name)) {
          return null;
        }
      }
      StringBuilder out = new StringBuilder();
      write(in, out);
      return out.toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Goes on to a member's value; false when what is here has no such member. */
  private static boolean enter(JsonParser in, String name) throws IOException {
    if (in.currentToken() != JsonToken.START_OBJECT) {
      return false;
    }
    while (in.nextToken() == JsonToken.FIELD_NAME) {
      boolean wanted = in.currentName().equals(name);
      in.nextToken();
      if (wanted) {
        return true;
      }
      in.skipChildren();
    }
    return false;
  }

  private static void write(JsonParser in, StringBuilder out) throws IOException {
    switch (in.currentToken()) {
      case START_OBJECT -> {
        Map<String, String> members = new TreeMap<>();
        while (in.nextToken() == JsonToken.FIELD_NAME) {
          String name = quoted(in.currentName());
          in.nextToken();
          StringBuilder value = new StringBuilder();
          write(in, value);
          members.put(name, value.toString());
        }
        out.append('{');
        members.forEach((name, value) -> out.append(name).append(':').append(value).append(','));
        out.append('}');
      }
      case START_ARRAY -> {
        out.append('[');
        while (in.nextToken() != JsonToken.END_ARRAY) {
          write(in, out);
          out.append(',');
        }
        out.append(']');
      }
      case VALUE_STRING -> out.append(quoted(in.getText()));
      default -> out.append(in.getText());
    }
  }

  private static String quoted(String text) {
    return '"' + new String(JsonStringEncoder.getInstance().quoteAsString(text)) + '"';
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
