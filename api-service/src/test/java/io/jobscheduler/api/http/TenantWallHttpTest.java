package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Two projects with the same data: nothing of one can be reached, changed or counted from the
 * other.
 */
@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class TenantWallHttpTest {
  /**
   * What a caller may name although the project has none of that name: it is made in its own
   * project. Users belong to no project; making one a member is how they get in.
   */
  private static final Set<String> MADE =
      Set.of("putQueue queue", "putSchedule name", "signalWorkflow name", "putMember user");

  @TestHTTPResource("/")
  URI base;

  private ApiClient admin;
  private Tenant mine;
  private Tenant theirs;

  @BeforeEach
  void makeBoth() {
    admin = ApiClient.admin(base);
    mine = new Tenant(admin);
    theirs = new Tenant(admin);
  }

  private List<ApiClient> callers() {
    return List.of(
        admin.member(mine.name, "wall-" + mine.name + "@x.org", "admin"),
        ApiClient.anonymous(base)
            .withToken(
                admin
                    .post(
                        mine.path + "/api-keys",
                        "{\"name\":\"all\",\"payloadVisible\":true,"
                            + "\"scopes\":[\"enqueue\",\"read\",\"operate\",\"lease\"]}")
                    .status(201)
                    .json()
                    .path("secret")
                    .asText()));
  }

  @Test
  void noIdOfAnotherProjectIsReachedByAnyPath() {
    String before = theirs.snapshot();
    List<String> failures = new ArrayList<>();
    int[] tried = new int[1];
    for (ApiClient caller : callers()) {
      for (Operations.Operation operation : Operations.all()) {
        if (!operation.inProject()) {
          continue;
        }
        for (String foreign : operation.ids()) {
          // Their id in my project.
          String id = theirs.id(operation, foreign);
          if (!MADE.contains(operation.id() + " " + foreign)
              && !id.equals(mine.id(operation, foreign))) {
            tried[0]++;
            expect404(
                failures,
                operation + " with their " + foreign,
                caller.send(
                    Tenant.request(
                        caller,
                        operation,
                        operation.at(p -> p.equals(foreign) ? id : mine.id(operation, p)),
                        mine.body(operation))));
          }
        }
        // My ids, and theirs, in their project.
        expect404(
            failures,
            operation + " in their project",
            caller.send(
                Tenant.request(
                    caller,
                    operation,
                    operation.at(p -> p.equals("project") ? theirs.name : mine.id(operation, p)),
                    mine.body(operation))));
        expect404(
            failures,
            operation + " wholly theirs",
            caller.send(
                Tenant.request(
                    caller,
                    operation,
                    operation.at(p -> theirs.id(operation, p)),
                    theirs.body(operation))));
      }
    }
    assertEquals("", String.join("\n", failures));
    assertEquals(before, theirs.snapshot(), "something of theirs was changed");
    if (tried[0] < 80) {
      throw new AssertionError("only " + tried[0] + " ids were tried");
    }
  }

  private static void expect404(List<String> failures, String what, ApiClient.Answer answer) {
    // A key that may not do it at all learns just that.
    if (answer.status() != 404 && answer.status() != 403) {
      failures.add(what + ": " + answer.status() + " " + answer.text());
    }
  }

  @Test
  void aMemberOfMineIsAnswered404AndNot403() {
    ApiClient caller = callers().get(0);
    for (Operations.Operation operation : Operations.all()) {
      if (operation.inProject() && !operation.role().equals("platform-admin")) {
        assertEquals(404, theirs.call(caller, operation).status(), operation.toString());
      }
    }
  }

  @Test
  void nothingOfTheirsIsListedOrCounted() {
    ApiClient caller = callers().get(0);
    List<String> failures = new ArrayList<>();
    for (Operations.Operation operation : Operations.all()) {
      if (operation.changes() || !operation.inProject()) {
        continue;
      }
      String text = mine.call(caller, operation).text();
      for (String word : theirs.words()) {
        if (text.contains(word)) {
          failures.add(operation + " shows " + word + ": " + text);
        }
      }
    }
    assertEquals("", String.join("\n", failures));
    for (String filter :
        List.of(
            "workflow=" + theirs.value("workflow"),
            "schedule=" + theirs.value("name"),
            "queue=" + theirs.value("queue"),
            "error=" + theirs.value("fingerprint"))) {
      ApiClient.Answer answer = caller.get(mine.path + "/jobs?" + filter);
      assertEquals(
          0, answer.json().path("count").path("value").asInt(), filter + " " + answer.text());
    }
  }

  /** Bodies name ids too. */
  @Test
  void noBodyReachesOverTheWall() {
    ApiClient caller = callers().get(0);
    String job = theirs.value("job");
    String before = theirs.snapshot();
    caller
        .post(
            mine.path + "/workflows",
            "{\"name\":\"w\",\"jobs\":[{\"key\":\"a\",\"type\":\"t\",\"dependsOn\":[{\"job\":\"%s\"}]}]}"
                .formatted(job))
        .status(422);
    caller
        .post(mine.path + "/jobs", "{\"type\":\"t\",\"queue\":\"" + theirs.value("queue") + "\"}")
        .status(422);
    assertEquals(before, theirs.snapshot());
  }
}
