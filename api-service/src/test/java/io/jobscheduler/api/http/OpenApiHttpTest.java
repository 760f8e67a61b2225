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

  @Test
  void everyOperationSaysWhatItDoesWhoMayAndWhatGoesWrong() throws Exception {
    JsonNode api = new ObjectMapper().readTree(served("json"));
    assertTrue(api.path("openapi").asText().startsWith("3.1"));
    List<String> missing = new ArrayList<>();
    int[] operations = new int[1];
    api.path("paths")
        .fields()
        .forEachRemaining(
            path ->
                path.getValue()
                    .fields()
                    .forEachRemaining(
                        operation -> {
                          operations[0]++;
                          String name = operation.getKey() + " " + path.getKey();
                          JsonNode it = operation.getValue();
                          require(missing, name + " summary", it.hasNonNull("summary"));
                          require(
                              missing, name + " role", ROLES.contains(it.path("x-role").asText()));
                          require(
                              missing,
                              name + " problems",
                              it.path("responses").has("400") && it.path("responses").has("503"));
                          require(
                              missing,
                              name + " example",
                              !it.has("requestBody")
                                  || it.path("requestBody").toString().contains("\"examples\""));
                        }));
    assertEquals(List.of(), missing);
    assertEquals(90, operations[0]);
  }

  private static void require(List<String> missing, String what, boolean there) {
    if (!there) {
      missing.add(what);
    }
  }
}
