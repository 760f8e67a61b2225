package io.jobscheduler.api.http;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** The API's description as it is served, and whether an answer is one that it allows. */
final class Contract {
  static final String PROBLEM = "application/problem+json";
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
  private static final int MOST_FAULTS = 5;

  /**
   * An operation.
   *
   * @param parameters how many parts of its path are parameters
   */
  record Operation(String verb, String path, Pattern pattern, int parameters, JsonNode node) {
    String id() {
      return node.path("operationId").asText();
    }

    String role() {
      return node.path("x-role").asText();
    }

    /** The schema of its JSON body; missing when it takes none. */
    JsonNode body() {
      return node.path("requestBody").path("content").path("application/json").path("schema");
    }
  }

  private final JsonNode document;
  private final List<Operation> operations = new ArrayList<>();
  private final Map<JsonNode, Schema> compiled = new HashMap<>();
  private final SchemaRegistry registry =
      SchemaRegistry.withDefaultDialect(
          SpecificationVersion.DRAFT_2020_12,
          builder ->
              builder.schemaRegistryConfig(
                  SchemaRegistryConfig.builder().formatAssertionsEnabled(true).build()));

  Contract(JsonNode document) {
    this.document = document;
    document
        .path("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .properties()
                    .forEach(
                        verb ->
                            operations.add(
                                operation(path.getKey(), verb.getKey(), verb.getValue()))));
    operations.sort(Comparator.comparing(Operation::parameters));
  }

  private static Operation operation(String path, String verb, JsonNode node) {
    StringBuilder pattern = new StringBuilder();
    int parameters = 0;
    for (String part : path.substring(1).split("/", -1)) {
      boolean parameter = part.startsWith("{");
      parameters += parameter ? 1 : 0;
      pattern.append('/').append(parameter ? "[^/]+" : Pattern.quote(part));
    }
    return new Operation(
        verb.toUpperCase(Locale.ROOT), path, Pattern.compile(pattern + "/?"), parameters, node);
  }

  JsonNode document() {
    return document;
  }

  List<Operation> operations() {
    return operations;
  }

  /** The operation that a request reaches, by its path as it was sent. */
  Optional<Operation> find(String verb, String path) {
    // Fixed parts first: /jobs/bulk is no job.
    return operations.stream()
        .filter(o -> o.pattern().matcher(path).matches())
        .findFirst()
        .flatMap(
            best ->
                operations.stream()
                    .filter(o -> o.path().equals(best.path()) && o.verb().equals(verb))
                    .findFirst());
  }

  /** What is wrong with an answer; empty: nothing. */
  List<String> faults(Operation operation, int status, String contentType, String body) {
    JsonNode response = resolve(operation.node().path("responses").path(Integer.toString(status)));
    if (response.isMissingNode()) {
      return List.of("status " + status + " is not documented");
    }
    String type = contentType.replaceAll(";.*", "").strip();
    JsonNode content = response.path("content");
    if (content.isMissingNode() || content.isEmpty()) {
      return body.isEmpty() ? List.of() : List.of("a body that is not documented");
    }
    JsonNode media = content.path(type);
    if (media.isMissingNode()) {
      return List.of("media type \"" + contentType + "\" is not documented");
    }
    List<String> faults = new ArrayList<>();
    List<String> documents = type.endsWith("ndjson") ? body.lines().toList() : List.of(body);
    for (String text : documents) {
      try {
        faults.addAll(faults(media.path("schema"), JSON.readTree(text)));
      } catch (IOException e) {
        faults.add("no JSON: " + e.getMessage());
      }
    }
    return faults;
  }

  /** Where a value breaks a schema of the description. */
  List<String> faults(JsonNode schema, JsonNode value) {
    Schema compiledSchema;
    synchronized (compiled) {
      compiledSchema = compiled.computeIfAbsent(schema, this::compile);
    }
    return compiledSchema.validate(value).stream().limit(MOST_FAULTS).map(Error::toString).toList();
  }

  private Schema compile(JsonNode schema) {
    ObjectNode whole = schema.deepCopy();
    whole.set("components", document.path("components"));
    return registry.getSchema(whole);
  }

  /** Where the document breaks the schema of OpenAPI 3.1 documents. */
  List<String> formFaults() throws IOException {
    JsonNode form = JSON.readTree(Contract.class.getResource("/openapi-3.1-schema.json"));
    return registry.getSchema(form).validate(document).stream().map(Error::toString).toList();
  }

  /** What a reference stands for; itself when it is none. */
  JsonNode resolve(JsonNode node) {
    return node.has("$ref") ? document.at(node.path("$ref").asText().substring(1)) : node;
  }
}
