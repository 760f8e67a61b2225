package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * What the description says of bodies and limits is what the operations do. Its symptom: generated
 * clients had to send bodies that may be left out, and could not ask for more than 200 entries of
 * an audit log to be checked.
 */
@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class DescribedRequestsHttpTest {
  @TestHTTPResource("/")
  URI base;

  @Test
  void aBodyMayBeLeftOutWhereItIsNotRequiredOnly() {
    ApiClient admin = ApiClient.admin(base);
    Tenant mine = new Tenant(admin);
    JsonNode document = Operations.document();
    List<String> wrong = new ArrayList<>();
    int bodies = 0;
    for (Operations.Operation operation : Operations.all()) {
      JsonNode body = described(document, operation).path("requestBody");
      if (body.isMissingNode()) {
        continue;
      }
      bodies++;
      String path = operation.at(p -> p.equals("project") ? mine.name : mine.id(operation, p));
      ApiClient.Answer answer =
          admin.send(
              admin
                  .request(path)
                  .header("Content-Type", "application/json")
                  .method(operation.verb(), HttpRequest.BodyPublishers.noBody()));
      boolean refused = answer.status() >= 400 && answer.status() != 404 && answer.status() != 409;
      if (refused != body.path("required").asBoolean()) {
        wrong.add(operation + ": " + answer.status() + " " + answer.text());
      }
    }
    assertTrue(bodies > 30, "bodies: " + bodies);
    assertEquals(List.of(), wrong);
  }

  @Test
  void aLimitIsTakenUpToTheDescribedOne() {
    ApiClient admin = ApiClient.admin(base);
    Tenant mine = new Tenant(admin);
    JsonNode document = Operations.document();
    List<String> wrong = new ArrayList<>();
    int limits = 0;
    for (Operations.Operation operation : Operations.all()) {
      String path = operation.at(p -> p.equals("project") ? mine.name : mine.id(operation, p));
      for (JsonNode parameter : described(document, operation).path("parameters")) {
        if (parameter.path("name").asText().equals("limit")) {
          limits++;
          long most = parameter.at("/schema/maximum").asLong();
          int at = admin.get(path + "?limit=" + most).status();
          int above = admin.get(path + "?limit=" + (most + 1)).status();
          int empty = admin.get(path + "?limit=").status();
          if (at != 200 || above < 400 || empty < 400) {
            wrong.add(operation + ": " + most + " " + at + ", above " + above + ", empty " + empty);
          }
        }
      }
    }
    assertTrue(limits > 10, "limits: " + limits);
    assertEquals(List.of(), wrong);
  }

  private static JsonNode described(JsonNode document, Operations.Operation operation) {
    return document
        .path("paths")
        .path(operation.path())
        .path(operation.verb().toLowerCase(Locale.ROOT));
  }
}
