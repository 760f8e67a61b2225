package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Payloads, results and logs are for those with the flag, whatever their role or scopes. */
@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class PayloadHttpTest {
  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private Tenant tenant;

  @BeforeEach
  void makeProject() {
    admin = ApiClient.admin(base);
    tenant = new Tenant(admin);
  }

  private ApiClient blindAdmin() {
    String email = "blind-" + tenant.name + "@x.org";
    ApiClient blind = admin.member(tenant.name, email, "admin");
    ApiClient.sql(
        "UPDATE project_members SET payload_visible = false WHERE user_id ="
            + " (SELECT id FROM users WHERE email = '%s')".formatted(email));
    return blind;
  }

  private ApiClient blindKey() {
    return ApiClient.anonymous(base)
        .withToken(
            admin
                .post(
                    tenant.path + "/api-keys",
                    "{\"name\":\"blind\",\"scopes\":[\"enqueue\",\"read\",\"operate\",\"lease\"]}")
                .status(201)
                .json()
                .path("secret")
                .asText());
  }

  /** Every answer of every operation, for each kind of job where it takes one. */
  private Set<String> showing(ApiClient caller) {
    Set<String> showing = new TreeSet<>();
    List<Operations.Operation> operations =
        Operations.all().stream()
            .filter(Operations.Operation::inProject)
            .sorted(
                Comparator.comparing(Operations.Operation::changes)
                    .thenComparing(o -> o.verb().equals("DELETE")))
            .toList();
    for (Operations.Operation operation : operations) {
      List<String> jobs =
          operation.ids().contains("job")
              ? List.of("job", "dead job", "another dead job", "succeeded job", "scheduled job")
              : List.of("job");
      for (String job : jobs) {
        String text =
            caller
                .send(
                    Tenant.request(
                        caller,
                        operation,
                        operation.at(
                            p -> p.equals("job") ? tenant.value(job) : tenant.id(operation, p)),
                        tenant.body(operation)))
                .text();
        if (text.contains(Tenant.SECRET)) {
          showing.add(operation.id());
        }
      }
    }
    return showing;
  }

  @Test
  void noOperationShowsThemToAnAdminWithoutTheFlag() {
    assertEquals(Set.of(), showing(blindAdmin()));
  }

  @Test
  void noOperationShowsThemToAKeyWithoutTheFlag() {
    assertEquals(Set.of(), showing(blindKey()));
  }

  /** Else the other two would prove nothing. */
  @Test
  void thoseWithTheFlagSeeThem() {
    Set<String> showing = showing(admin);
    assertTrue(
        showing.containsAll(
            List.of(
                "getJob", "listLogs", "getSchedule", "getWorkflowJob", "retryJob", "cancelJob")),
        showing.toString());
  }

  /** Whether a guess is right must not be told either. */
  @Test
  void theyCannotBeGuessedByAFilter() {
    ApiClient blind = blindAdmin();
    List<String> told = new ArrayList<>();
    for (String filter : List.of("payload.secret=" + Tenant.SECRET, "payload.secret=something")) {
      ApiClient.Answer answer = blind.get(tenant.path + "/jobs?" + filter);
      told.add(answer.status() + " " + answer.json().path("count"));
    }
    assertEquals(told.get(0), told.get(1));
  }
}
