package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Role;
import io.jobscheduler.api.access.Scope;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every operation of the description, as every kind of caller, against docs/access.md. */
@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class RbacHttpTest {
  private static final String NO_PROJECT = "There is no such project";

  @TestHTTPResource("/")
  URI base;

  private final Matrix matrix = new Matrix();
  private ApiClient admin;

  @BeforeEach
  void login() {
    admin = ApiClient.admin(base);
  }

  @Test
  void theDocumentedMatrixIsTheOneInTheCodeAndHasEveryOperation() {
    List<String> differences = new ArrayList<>(matrix.differences);
    for (Operations.Operation operation : Operations.all()) {
      Action action = matrix.actions.get(operation.id());
      String role = action == null ? matrix.others.get(operation.id()) : action.least().label();
      String documented =
          switch (operation.role()) {
            case "none" -> "anybody";
            case "any" -> operation.id().equals("me") ? "logged in, or a key" : "logged in";
            case "platform-admin" -> "platform admin";
            default -> operation.role();
          };
      if (role == null) {
        differences.add(operation + " has no row in docs/access.md");
      } else if (!role.equals(documented)) {
        differences.add(operation + ": x-role is " + operation.role() + ", the row says " + role);
      }
    }
    assertEquals("", String.join("\n", differences));
  }

  @Test
  void everyOperationOpensToWhomTheMatrixSaysAndToNobodyElse() {
    Tenant tenant = new Tenant(admin);
    Tenant elsewhere = new Tenant(admin);
    Map<String, ApiClient> callers = callers(tenant, elsewhere);
    List<String> failures = new ArrayList<>();
    List<Operations.Operation> operations =
        Operations.all().stream()
            .filter(o -> !o.role().equals("none"))
            .sorted(Comparator.comparing(o -> o.verb().equals("DELETE")))
            .toList();
    for (Operations.Operation operation : operations) {
      callers.forEach(
          (name, caller) -> {
            ApiClient.Answer answer = call(tenant, caller, operation);
            String expected = expected(operation, name);
            String actual = classOf(answer);
            if (!expected.equals(actual)) {
              failures.add(
                  "%s as %s: expected %s but was %s: %d %s"
                      .formatted(
                          operation, name, expected, actual, answer.status(), answer.text()));
            }
            if (!answer.header("Set-Cookie").isEmpty()) {
              failures.add(operation + " sets a cookie");
            }
          });
    }
    assertEquals("", String.join("\n", failures));
  }

  /** From the least to the most, so that who may act comes after those who may not. */
  private Map<String, ApiClient> callers(Tenant tenant, Tenant elsewhere) {
    Map<String, ApiClient> callers = new LinkedHashMap<>();
    callers.put("nobody", ApiClient.anonymous(base));
    callers.put("outsider", member(elsewhere, "admin"));
    for (Scope scope : Scope.values()) {
      callers.put("foreign key " + scope.label(), key(elsewhere, scope));
    }
    for (Scope scope : Scope.values()) {
      callers.put("key " + scope.label(), key(tenant, scope));
    }
    for (Role role : Role.values()) {
      callers.put(role.label(), member(tenant, role.label()));
    }
    callers.put("platform admin", admin);
    return callers;
  }

  private ApiClient member(Tenant tenant, String role) {
    return admin.member(tenant.name, role + "-" + tenant.name + "@rbac.org", role);
  }

  private ApiClient key(Tenant tenant, Scope scope) {
    return ApiClient.anonymous(base)
        .withToken(
            admin
                .post(
                    tenant.path + "/api-keys",
                    "{\"name\":\"%1$s\",\"scopes\":[\"%1$s\"],\"payloadVisible\":true}"
                        .formatted(scope.label()))
                .status(201)
                .json()
                .path("secret")
                .asText());
  }

  private static ApiClient.Answer call(
      Tenant tenant, ApiClient caller, Operations.Operation operation) {
    if (operation.id().equals("changePassword")) {
      // With a right body it would end the caller's session.
      return caller.post(operation.path(), "{}");
    }
    return tenant.call(caller, operation);
  }

  private String expected(Operations.Operation operation, String caller) {
    if (caller.equals("nobody")) {
      return "unauthorized";
    }
    Action action = matrix.actions.get(operation.id());
    if (action == null) {
      boolean key = caller.contains("key");
      return switch (String.valueOf(matrix.others.get(operation.id()))) {
        case "platform admin" -> caller.equals("platform admin") ? "allowed" : "forbidden";
        case "logged in" -> key ? "forbidden" : "allowed";
        default -> "allowed";
      };
    }
    if (caller.equals("outsider") || caller.startsWith("foreign key ")) {
      return "no project";
    }
    if (caller.startsWith("key ")) {
      Scope scope = Scope.valueOf(caller.substring(4).toUpperCase(Locale.ROOT));
      return action.scopes().contains(scope) ? "allowed" : "forbidden";
    }
    Role role =
        caller.equals("platform admin")
            ? Role.ADMIN
            : Role.valueOf(caller.toUpperCase(Locale.ROOT));
    return role.permits(action) ? "allowed" : "forbidden";
  }

  private static String classOf(ApiClient.Answer answer) {
    return switch (answer.status()) {
      case 401 -> "unauthorized";
      case 403 -> "forbidden";
      case 404 -> answer.text().contains(NO_PROJECT) ? "no project" : "allowed";
      default -> answer.status() < 500 ? "allowed" : "failed";
    };
  }

  @Test
  void readingChangesNothing() {
    Tenant tenant = new Tenant(admin);
    String before = tenant.snapshot();
    for (Operations.Operation operation : Operations.all()) {
      if (!operation.changes()) {
        ApiClient.Answer answer = tenant.call(admin, operation);
        assertEquals(200, answer.status(), operation + answer.text());
      }
    }
    assertEquals(before, tenant.snapshot());
  }

  /** Another site can make a browser send a form and its cookies, and nothing else. */
  @Test
  void aFormOfAnotherSiteDoesNothing() {
    Tenant tenant = new Tenant(admin);
    String before = tenant.snapshot();
    for (Operations.Operation operation : Operations.all()) {
      if (operation.changes() && !operation.role().equals("none")) {
        ApiClient.Answer answer =
            admin.send(
                ApiClient.anonymous(base)
                    .request(operation.at(p -> tenant.id(operation, p)))
                    .header("Cookie", "Authorization=Bearer " + admin.token())
                    .header("Origin", "https://elsewhere.example")
                    .header("Content-Type", "application/x-www-form-urlencoded")
                    .method(operation.verb(), HttpRequest.BodyPublishers.ofString("name=x")));
        assertFalse(answer.status() < 400, operation + answer.text());
      }
    }
    assertEquals(before, tenant.snapshot());
  }
}
