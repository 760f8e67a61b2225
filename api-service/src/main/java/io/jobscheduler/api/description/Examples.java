package io.jobscheduler.api.description;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.media.Content;
import org.eclipse.microprofile.openapi.models.media.MediaType;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * An example for each answer that has none of its own, made from its schema: what the request's
 * example says comes back, what may be null is, and the rest by its name.
 */
final class Examples {
  private static final String REFERENCE = "#/components/schemas/";
  private static final String INSTANT = "2030-01-31T08:00:00.000Z";
  private static final int DEEPEST = 8;

  private static final Map<String, Object> BY_NAME =
      Map.ofEntries(
          Map.entry("id", "4711"),
          Map.entry("job", "4711"),
          Map.entry("workflow", "17"),
          Map.entry("version", "1:4711"),
          Map.entry("name", "mail"),
          Map.entry("queue", "default"),
          Map.entry("type", "echo"),
          Map.entry("project", "default"),
          Map.entry("key", "extract"),
          Map.entry("from", "extract"),
          Map.entry("to", "load"),
          Map.entry("email", "ann@example.org"),
          Map.entry("userId", "3"),
          Map.entry("priority", 4),
          Map.entry("maxAttempts", 20),
          Map.entry("attempt", 1),
          Map.entry("cost", 1),
          Map.entry("weight", 1),
          Map.entry("slots", 16),
          Map.entry("host", "worker-7f9c"),
          Map.entry("createdBy", "ann@example.org"),
          Map.entry("hint", "jsk_3kPq"),
          Map.entry("secret", "jsk_…"),
          Map.entry("accessToken", "eyJhbGciOiJFUzI1NiJ9.…"),
          Map.entry("refreshToken", "jsr_…"),
          Map.entry("tokenType", "Bearer"),
          Map.entry("expiresIn", 900),
          Map.entry("fingerprint", "9f86d081884c7d65"),
          Map.entry("errorKind", "http-503"),
          Map.entry("message", "The server answered 503."),
          Map.entry("detail", "The queue is paused."),
          Map.entry("action", "pauseQueue"),
          Map.entry("description", "At 02:30"),
          Map.entry("timeZone", "Europe/Berlin"),
          Map.entry("whole", true),
          Map.entry("dryRun", true),
          Map.entry("duplicate", true),
          Map.entry("cancelRequested", true),
          Map.entry("line", 1),
          Map.entry("status", 201));

  private final OpenAPI api;

  Examples(OpenAPI api) {
    this.api = api;
  }

  void complete() {
    api.getPaths()
        .getPathItems()
        .values()
        .forEach(path -> path.getOperations().values().forEach(this::complete));
  }

  private void complete(Operation operation) {
    Map<String, Object> asked = asked(operation);
    operation
        .getResponses()
        .getAPIResponses()
        .values()
        .forEach(
            response -> {
              Content content = response.getContent();
              if (content != null) {
                content.getMediaTypes().values().forEach(media -> complete(media, asked));
              }
            });
  }

  private void complete(MediaType media, Map<String, Object> asked) {
    Schema schema = media.getSchema();
    if (schema == null
        || media.getExample() != null
        || media.getExamples() != null && !media.getExamples().isEmpty()) {
      return;
    }
    media.addExample("example", OASFactory.createExample().value(value("", schema, asked, 0)));
  }

  /** The members of the request's example. */
  private static Map<String, Object> asked(Operation operation) {
    Map<String, Object> members = new LinkedHashMap<>();
    if (operation.getRequestBody() != null && operation.getRequestBody().getContent() != null) {
      operation.getRequestBody().getContent().getMediaTypes().values().stream()
          .filter(media -> media.getExamples() != null)
          .flatMap(media -> media.getExamples().values().stream())
          .forEach(
              example -> {
                if (example.getValue() instanceof Map<?, ?> map) {
                  map.forEach((name, its) -> members.put(String.valueOf(name), its));
                }
              });
    }
    return members;
  }

  private @Nullable Object value(String name, Schema schema, Map<String, Object> asked, int depth) {
    if (schema.getRef() != null) {
      Schema meant = schema(schema.getRef());
      return meant == null || depth > DEEPEST ? null : value(name, meant, asked, depth + 1);
    }
    Object given = first(schema.getExamples());
    if (given != null) {
      return given;
    }
    if (schema.getAnyOf() != null || schema.getOneOf() != null) {
      List<Schema> choices = schema.getAnyOf() != null ? schema.getAnyOf() : schema.getOneOf();
      return choices.stream().anyMatch(Examples::isNull)
          ? null
          : value(name, choices.get(0), asked, depth + 1);
    }
    if (schema.getEnumeration() != null && !schema.getEnumeration().isEmpty()) {
      return schema.getDefaultValue() != null
          ? schema.getDefaultValue()
          : schema.getEnumeration().get(0);
    }
    if (schema.getProperties() != null) {
      return object(schema, depth == 0 || isPart(name) ? asked : Map.of(), depth);
    }
    if (schema.getType() == null || isNull(schema)) {
      return null;
    }
    return plain(name, schema, asked, depth);
  }

  private static boolean isPart(String name) {
    return name.equals("job") || name.equals("key") || name.equals("items");
  }

  private Map<String, @Nullable Object> object(
      Schema schema, Map<String, Object> asked, int depth) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    schema
        .getProperties()
        .forEach(
            (member, its) -> {
              boolean always =
                  schema.getRequired() != null && schema.getRequired().contains(member);
              if (always || depth == 0 && schema.getRequired() == null) {
                Object echo = asked.get(member);
                members.put(
                    member,
                    echo != null && fits(echo, its) ? echo : value(member, its, asked, depth + 1));
              }
            });
    return members;
  }

  /** Whether what the request says may stand in the answer as it is. */
  private static boolean fits(Object echo, Schema schema) {
    List<Schema.SchemaType> types = schema.getType();
    if (schema.getFormat() != null && !schema.getFormat().startsWith("int")) {
      return false;
    }
    return types != null
        && (echo instanceof String && types.contains(Schema.SchemaType.STRING)
            || echo instanceof Integer && types.contains(Schema.SchemaType.INTEGER)
            || echo instanceof Boolean && types.contains(Schema.SchemaType.BOOLEAN))
        && (schema.getEnumeration() == null || schema.getEnumeration().contains(echo));
  }

  private @Nullable Object plain(String name, Schema schema, Map<String, Object> asked, int depth) {
    Object named = BY_NAME.get(name);
    return switch (schema.getType().get(0)) {
      case STRING -> text(schema, named instanceof String ? (String) named : "text");
      case INTEGER, NUMBER ->
          named instanceof Integer
              ? named
              : schema.getMinimum() != null ? schema.getMinimum() : Integer.valueOf(0);
      case BOOLEAN -> named instanceof Boolean ? named : Boolean.FALSE;
      case ARRAY -> array(name, schema, asked, depth);
      case OBJECT -> map(schema, depth);
      case NULL -> null;
    };
  }

  private static String text(Schema schema, String otherwise) {
    String format = schema.getFormat();
    if (format == null) {
      return otherwise;
    }
    return switch (format) {
      case "date-time" -> INSTANT;
      case "duration" -> "PT30S";
      default -> otherwise;
    };
  }

  private List<@Nullable Object> array(
      String name, Schema schema, Map<String, Object> asked, int depth) {
    List<@Nullable Object> items = new ArrayList<>();
    if (schema.getItems() != null && depth < DEEPEST) {
      Schema meant = schema.getItems().getRef() == null ? null : schema(schema.getItems().getRef());
      boolean objects = meant != null && meant.getProperties() != null;
      if (depth <= 2 && (objects || schema.getItems().getType() != null)) {
        String its = name.endsWith("s") ? name.substring(0, name.length() - 1) : name;
        items.add(value(objects ? name : its, schema.getItems(), asked, depth + 1));
      }
    }
    return items;
  }

  private Map<String, @Nullable Object> map(Schema schema, int depth) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    if (schema.getAdditionalPropertiesSchema() != null) {
      members.put("ready", value("", schema.getAdditionalPropertiesSchema(), Map.of(), depth + 1));
    }
    return members;
  }

  private @Nullable Schema schema(String reference) {
    return api.getComponents().getSchemas().get(reference.substring(REFERENCE.length()));
  }

  private static boolean isNull(Schema schema) {
    return schema.getType() != null && schema.getType().contains(Schema.SchemaType.NULL);
  }

  private static @Nullable Object first(@Nullable List<Object> some) {
    return some == null || some.isEmpty() ? null : some.get(0);
  }
}
