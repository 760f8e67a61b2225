package io.jobscheduler.api.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Random values that a schema of the description allows, with ids and names that exist. */
final class FuzzValues {
  private static final JsonNodeFactory MAKE = JsonNodeFactory.instance;
  private static final int DEEPEST = 7;
  private static final Map<String, List<String>> WORDS =
      Map.of(
          "cron",
              List.of("*/5 * * * *", "0 30 2 * * ?", "@daily", "30 2 * * mon-fri", "0 0 31 2 *"),
          "timeZone", List.of("UTC", "Europe/Berlin", "Pacific/Chatham", "+02:00", "Mars/Olympus"),
          "type", List.of("echo", "t", "sleep"),
          "password", List.of("a long enough password"),
          "kinds", List.of("http-503", "http-5*", "timeout"),
          "scopes", List.of("read", "enqueue", "operate", "lease"));

  private final Contract contract;
  private final FuzzPool pool;
  private final Random random;

  FuzzValues(Contract contract, FuzzPool pool, Random random) {
    this.contract = contract;
    this.pool = pool;
    this.random = random;
  }

  JsonNode of(JsonNode schema) {
    return value("", schema, 0);
  }

  private JsonNode value(String name, JsonNode given, int depth) {
    JsonNode schema = contract.resolve(given);
    for (String choice : List.of("oneOf", "anyOf")) {
      if (schema.has(choice)) {
        return value(name, any(schema.path(choice)), depth + 1);
      }
    }
    if (schema.has("enum")) {
      return any(schema.path("enum"));
    }
    JsonNode type = schema.path("type");
    String wanted = type.isArray() ? any(type).asText() : type.asText("");
    return switch (wanted) {
      case "object" -> object(name, schema, depth);
      case "array" -> array(name, schema, depth);
      case "string" -> MAKE.textNode(text(name, schema));
      case "integer" -> MAKE.numberNode(number(schema));
      case "number" -> MAKE.numberNode(1 + random.nextInt(40) / 10.0);
      case "boolean" -> MAKE.booleanNode(random.nextBoolean());
      case "null" -> MAKE.nullNode();
      default -> any(name, depth);
    };
  }

  private long number(JsonNode schema) {
    long least = schema.path("minimum").asLong(0);
    long most = schema.path("maximum").asLong(Math.max(least, 100));
    return random.nextInt(4) == 0
        ? random.nextBoolean() ? least : most
        : least + Math.floorMod(random.nextLong(), most - least + 1);
  }

  private String text(String name, JsonNode schema) {
    switch (schema.path("format").asText()) {
      case "date-time" -> {
        return Instant.parse("2020-01-01T00:00:00Z")
            .plusSeconds(random.nextInt(20 * 365 * 86_400))
            .toString();
      }
      case "date" -> {
        return "20" + (20 + random.nextInt(20)) + "-02-" + (10 + random.nextInt(18));
      }
      default -> {}
    }
    if (schema.path("pattern").asText().startsWith("^P(")) {
      return Duration.ofSeconds(1 + random.nextInt(7_200)).toString();
    }
    List<String> words = WORDS.get(name);
    if (words != null) {
      return words.get(random.nextInt(words.size()));
    }
    if (name.equals("email")) {
      return "f" + Long.toUnsignedString(random.nextLong(), 36) + "@example.org";
    }
    String known = random.nextInt(4) == 0 ? null : pool.named(name, random);
    if (known != null) {
      return known;
    }
    String made = "f" + Integer.toUnsignedString(random.nextInt(), 36);
    int least = schema.path("minLength").asInt(0);
    return made.length() < least ? made + "x".repeat(least) : made;
  }

  private JsonNode object(String name, JsonNode schema, int depth) {
    ObjectNode object = MAKE.objectNode();
    if (!schema.has("properties")) {
      return random.nextBoolean() ? object : object.set("k" + random.nextInt(3), any(name, depth));
    }
    List<String> required = new ArrayList<>();
    schema.path("required").forEach(r -> required.add(r.asText()));
    schema
        .path("properties")
        .properties()
        .forEach(
            member -> {
              if (required.contains(member.getKey())
                  || depth < DEEPEST && random.nextInt(depth < 2 ? 4 : 3) == 0) {
                object.set(member.getKey(), value(member.getKey(), member.getValue(), depth + 1));
              }
            });
    return object;
  }

  private JsonNode array(String name, JsonNode schema, int depth) {
    ArrayNode array = MAKE.arrayNode();
    int items = depth >= DEEPEST ? 0 : random.nextInt(4);
    for (int i = Math.max(items, schema.path("minItems").asInt(0)); i > 0; i--) {
      array.add(value(name, schema.path("items"), depth + 1));
    }
    return array;
  }

  /** Any JSON. */
  private JsonNode any(String name, int depth) {
    return switch (random.nextInt(depth > DEEPEST ? 5 : 7)) {
      case 0 -> MAKE.nullNode();
      case 1 -> MAKE.booleanNode(random.nextBoolean());
      case 2 -> MAKE.numberNode(random.nextInt());
      case 3 -> MAKE.textNode("{{plannedAt}}");
      case 4 -> MAKE.textNode("Ünï\uD83D\uDE00 " + random.nextInt());
      case 5 -> MAKE.arrayNode().add(any(name, depth + 1)).add(any(name, depth + 1));
      default -> MAKE.objectNode().set("n", any(name, depth + 1));
    };
  }

  private JsonNode any(JsonNode choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
