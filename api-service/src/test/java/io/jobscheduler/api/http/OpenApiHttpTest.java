package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class OpenApiHttpTest {
  private static final Path CHECKED_IN = Path.of("../docs/openapi.yaml");
  private static final Set<String> ROLES =
      Set.of("none", "any", "viewer", "operator", "admin", "platform-admin");

  private String served(String format) throws IOException, InterruptedException {
    int port = ConfigProvider.getConfig().getValue("quarkus.management.port", Integer.class);
    URI uri = URI.create("http://localhost:" + port + "/q/openapi?format=" + format);
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    assertEquals(200, answer.statusCode());
    return answer.body();
  }

  /** Run with {@code -Dopenapi.write=true} to bring the file up to date. */
  @Test
  void theCheckedInDocumentIsTheOneServed() throws Exception {
    String served = served("yaml");
    if (Boolean.getBoolean("openapi.write")) {
      Files.writeString(CHECKED_IN, served);
    }
    assertTrue(
        Files.exists(CHECKED_IN) && Files.readString(CHECKED_IN).equals(served),
        "docs/openapi.yaml is stale: run mvn -pl api-service test -Dtest=OpenApiHttpTest"
            + " -Dopenapi.write=true");
  }

  /** A user is never read alone, so nobody knows a tag of one. */
  private static final Set<String> EDITED_UNREAD = Set.of("patchUser");

  /** Else two who edit at once undo each other's change unsaid. */
  @Test
  void everyEditTakesTheVersionThatWasRead() throws Exception {
    List<String> without = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (Contract.Operation operation : contract().operations()) {
      if (operation.verb().equalsIgnoreCase("PUT") || operation.verb().equalsIgnoreCase("PATCH")) {
        seen.add(operation.id());
        boolean takes = false;
        for (JsonNode parameter : operation.node().path("parameters")) {
          takes |= parameter.path("name").asText().equals("If-Match");
        }
        boolean gives = operation.node().at("/responses/200/headers").has("ETag");
        if (takes == EDITED_UNREAD.contains(operation.id()) || takes != gives) {
          without.add(operation.id());
        }
      }
    }
    assertEquals(List.of(), without);
    assertTrue(seen.containsAll(EDITED_UNREAD), "an exception that is none");
  }

  @Test
  void theDocumentIsAValidOne() throws Exception {
    assertEquals(List.of(), contract().formFaults());
  }

  private Contract contract() throws Exception {
    return new Contract(new ObjectMapper().readTree(served("json")));
  }

  @Test
  void everyOperationSaysWhatItDoesWhoMayAndWhatGoesWrong() throws Exception {
    Contract contract = contract();
    assertTrue(contract.document().path("openapi").asText().startsWith("3.1"));
    List<String> missing = new ArrayList<>();
    Set<String> ids = new HashSet<>();
    for (Contract.Operation operation : contract.operations()) {
      JsonNode it = operation.node();
      String name = operation.verb() + " " + operation.path();
      require(missing, name + " summary", it.hasNonNull("summary"));
      require(missing, name + " operationId of its own", ids.add(operation.id()));
      require(missing, name + " role", ROLES.contains(operation.role()));
      for (String status : problems(operation)) {
        require(
            missing,
            name + " problem " + status,
            contract
                .resolve(it.path("responses").path(status))
                .path("content")
                .has(Contract.PROBLEM));
      }
      it.path("parameters")
          .forEach(
              p ->
                  require(
                      missing,
                      name + " description of " + p.path("name").asText(),
                      p.hasNonNull("description")));
      it.path("responses")
          .properties()
          .forEach(
              response ->
                  contents(contract.resolve(response.getValue()))
                      .forEach(
                          media -> {
                            String where = name + " " + response.getKey();
                            require(missing, where + " schema", media.has("schema"));
                            require(missing, where + " example", media.path("examples").size() > 0);
                          }));
      contents(it.path("requestBody"))
          .forEach(media -> require(missing, name + " example", media.path("examples").size() > 0));
    }
    assertEquals("", String.join("\n", missing));
    assertEquals(90, contract.operations().size());
  }

  /** The statuses of problems that an operation must name, by what it takes. */
  private static List<String> problems(Contract.Operation operation) {
    List<String> problems = new ArrayList<>(List.of("400", "406", "500", "503"));
    if (!operation.role().equals("none")) {
      problems.addAll(List.of("401", "403", "429"));
    }
    if (operation.path().contains("{")) {
      problems.add("404");
    }
    if (operation.node().has("requestBody")) {
      problems.addAll(List.of("413", "415", "422"));
    }
    for (JsonNode parameter : operation.node().path("parameters")) {
      switch (parameter.path("name").asText()) {
        case "Idempotency-Key" -> problems.add("409");
        case "If-Match" -> problems.add("412");
        default -> {}
      }
    }
    return problems;
  }

  @Test
  void everyExampleIsWhatItsSchemaAllows() throws Exception {
    Contract contract = contract();
    List<String> wrong = new ArrayList<>();
    for (Contract.Operation operation : contract.operations()) {
      List<JsonNode> media = new ArrayList<>();
      operation
          .node()
          .path("responses")
          .forEach(response -> media.addAll(contents(contract.resolve(response))));
      media.add(operation.node().at("/requestBody/content/application~1json"));
      for (JsonNode one : media) {
        for (JsonNode example : one.path("examples")) {
          contract
              .faults(one.path("schema"), example.path("value"))
              .forEach(fault -> wrong.add(operation.id() + ": " + fault));
        }
      }
    }
    assertEquals("", String.join("\n", wrong));
  }

  /** An answer with a member too many, too few, or of another kind is told by its schema. */
  @Test
  void everyObjectIsClosedAndSaysWhatIsAlwaysThere() throws Exception {
    List<String> open = new ArrayList<>();
    contract()
        .document()
        .path("components")
        .path("schemas")
        .properties()
        .forEach(
            schema -> {
              JsonNode it = schema.getValue();
              if (it.has("properties")) {
                require(
                    open,
                    schema.getKey() + " closed",
                    it.path("additionalProperties").isBoolean()
                        && !it.path("additionalProperties").asBoolean());
              }
            });
    Contract contract = contract();
    for (Contract.Operation operation : contract.operations()) {
      for (JsonNode response : operation.node().path("responses")) {
        for (JsonNode media : contents(response)) {
          JsonNode schema = contract.resolve(media.path("schema"));
          require(
              open,
              operation.id() + " required members",
              !schema.has("properties") || schema.has("required"));
        }
      }
    }
    assertEquals("", String.join("\n", open));
  }

  private static List<JsonNode> contents(JsonNode holder) {
    List<JsonNode> contents = new ArrayList<>();
    holder.path("content").forEach(contents::add);
    return contents;
  }

  private static void require(List<String> missing, String what, boolean there) {
    if (!there) {
      missing.add(what);
    }
  }
}
