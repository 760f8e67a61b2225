package io.jobscheduler.api.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.Violations;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Random texts against a tree parser as the plain model. */
class JsonReaderPropertyTest {
  private static final int ROUNDS = 3_000;
  private static final ObjectMapper MODEL =
      new ObjectMapper()
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);

  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);

  @Test
  void slicesAreTheTextsThatWereTyped() {
    for (int round = 0; round < ROUNDS; round++) {
      String value = value(0);
      String body =
          blank() + "{\"before\":" + value(2) + ",\"p\":" + blank() + value + blank() + "}";
      JsonReader in = new JsonReader(body.getBytes(StandardCharsets.UTF_8), new Violations());
      in.startObject();
      in.nextField();
      in.unknownField();
      in.nextField();
      assertEquals(value, in.verbatim(1 << 20), "seed " + seed + " body " + body);
      assertTrue(in.nextField() == null);
      in.end();
    }
  }

  @Test
  void acceptsOnlyWhatTheModelAcceptsWhenBytesChange() {
    int accepted = 0;
    for (int round = 0; round < ROUNDS; round++) {
      byte[] body = value(0).getBytes(StandardCharsets.UTF_8);
      for (int i = random.nextInt(3); i > 0; i--) {
        body[random.nextInt(body.length)] = (byte) random.nextInt(256);
      }
      boolean ours;
      try {
        JsonReader in = new JsonReader(body, new Violations());
        in.verbatim(1 << 20);
        in.end();
        ours = true;
        accepted++;
      } catch (ProblemException e) {
        ours = false;
      }
      if (ours) {
        assertTrue(
            modelAccepts(body),
            "seed " + seed + " body " + new String(body, StandardCharsets.ISO_8859_1));
      }
    }
    assertTrue(accepted > ROUNDS / 10, "seed " + seed);
  }

  private static boolean modelAccepts(byte[] body) {
    try {
      JsonNode tree = MODEL.readTree(body);
      return tree != null && !tree.isMissingNode();
    } catch (java.io.IOException e) {
      return false;
    }
  }

  private String value(int depth) {
    int kind = random.nextInt(depth > 5 ? 5 : 7);
    return switch (kind) {
      case 0 -> random.nextBoolean() ? "true" : "null";
      case 1 -> Long.toString(random.nextLong());
      case 2 ->
          (random.nextBoolean() ? "-" : "")
              + random.nextInt(100)
              + ".0"
              + random.nextInt(9)
              + "e"
              + (random.nextInt(800) - 400);
      case 3, 4 -> string();
      case 5 -> {
        StringBuilder array = new StringBuilder("[");
        for (int i = random.nextInt(5); i > 0; i--) {
          array.append(blank()).append(value(depth + 1)).append(blank()).append(i > 1 ? "," : "");
        }
        yield array.append("]").toString();
      }
      default -> {
        StringBuilder object = new StringBuilder("{");
        for (int i = random.nextInt(5); i > 0; i--) {
          object
              .append(blank())
              .append("\"k")
              .append(i)
              .append("\"")
              .append(blank())
              .append(":")
              .append(value(depth + 1))
              .append(i > 1 ? "," : "");
        }
        yield object.append("}").toString();
      }
    };
  }

  private String string() {
    StringBuilder text = new StringBuilder("\"");
    for (int i = random.nextInt(8); i > 0; i--) {
      switch (random.nextInt(5)) {
        case 0 -> text.append("\\n");
        case 1 -> text.append("\\u00").append(random.nextInt(10, 99));
        case 2 -> text.appendCodePoint(0x1F600 + random.nextInt(40));
        case 3 -> text.append("\\ud83d\\ude0").append(random.nextInt(10));
        default -> text.appendCodePoint('a' + random.nextInt(900));
      }
    }
    return text.append("\"").toString();
  }

  private String blank() {
    return " \n\t ".substring(0, random.nextInt(4));
  }
}
