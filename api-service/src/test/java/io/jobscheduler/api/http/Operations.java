package io.jobscheduler.api.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.microprofile.config.ConfigProvider;

/** The operations of the API, as its own description lists them. */
final class Operations {
  private static final Pattern PARAMETER = Pattern.compile("\\{([^}]+)}");

  private Operations() {}

  /**
   * One operation.
   *
   * @param verb the method, in capitals
   * @param path with parameters in braces
   * @param role the least that may call it, as documented
   * @param body its example; null when it takes none
   * @param queries names of its query parameters
   */
  record Operation(
      String id, String verb, String path, String role, String body, List<String> queries) {
    boolean changes() {
      return !verb.equals("GET");
    }

    boolean inProject() {
      return path.contains("{project}");
    }

    /** Names of the path's parameters but the project. */
    List<String> ids() {
      List<String> ids = new ArrayList<>();
      Matcher matcher = PARAMETER.matcher(path);
      while (matcher.find()) {
        if (!matcher.group(1).equals("project")) {
          ids.add(matcher.group(1));
        }
      }
      return ids;
    }

    /** The path with values. */
    String at(UnaryOperator<String> values) {
      return PARAMETER
          .matcher(path)
          .replaceAll(m -> Matcher.quoteReplacement(values.apply(m.group(1))));
    }

    @Override
    public String toString() {
      return id + " (" + verb + " " + path + ")";
    }
  }

  static List<Operation> all() {
    List<Operation> all = new ArrayList<>();
    document()
        .path("paths")
        .fields()
        .forEachRemaining(
            path ->
                path.getValue()
                    .fields()
                    .forEachRemaining(
                        entry -> all.add(read(path.getKey(), entry.getKey(), entry.getValue()))));
    return all;
  }

  private static Operation read(String path, String verb, JsonNode operation) {
    JsonNode body =
        operation
            .path("requestBody")
            .path("content")
            .path("application/json")
            .path("examples")
            .findPath("value");
    List<String> queries = new ArrayList<>();
    operation
        .path("parameters")
        .forEach(
            p -> {
              if (p.path("in").asText().equals("query")) {
                queries.add(p.path("name").asText());
              }
            });
    return new Operation(
        operation.path("operationId").asText(),
        verb.toUpperCase(java.util.Locale.ROOT),
        path,
        operation.path("x-role").asText(),
        body.isMissingNode() ? null : body.isTextual() ? body.asText() : body.toString(),
        queries);
  }

  static JsonNode document() {
    int port = ConfigProvider.getConfig().getValue("quarkus.management.port", Integer.class);
    try {
      HttpResponse<String> answer =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(
                          URI.create("http://localhost:" + port + "/q/openapi?format=json"))
                      .build(),
                  HttpResponse.BodyHandlers.ofString());
      return new ObjectMapper().readTree(answer.body());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
